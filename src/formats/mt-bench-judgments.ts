/**
 * Recorded MT-bench judgments. Read: trials with their replies, to parse and score again without calls, from FastChat's single
 * and pairwise files, and those of MT-bench's rating extraction; question files among the operands add categories. Written:
 * FastChat's files (lm-sys/FastChat 0e6d3e4, fastchat/llm_judge).
 */
import { basename } from 'node:path'
import { peek } from '../files/files.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Source } from '../rows/reader.ts'
import type { Json, JsonObject, Trial } from '../rows/record.ts'
import { EXIT, Fatal, isObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { readAt } from '../rows/stage.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { FAILED_CALL, NEED_REFERENCE } from './_mt_bench.ts'

export const format: Format = {
  about: {
    read: 'recorded MT-bench judgments (single or pairwise; question files add categories) → trials with their replies',
    write: 'MT-bench judgments as FastChat’s tools read them: a line a rating, or a pair with both games',
  },
  judgments: true,
  countsRepeats: 'mt-bench',
  fields: ['model', 'model_1', 'model_2', 'question_id', 'turn'],
  async *read(sources, _options, context) {
    const categories = new Map<string, string>()
    // Read question files first, wherever they are among the operands.
    const questions = (row: Row) => Array.isArray(row.field('turns'))
    const [asked, judgments]: [Source[], Source[]] = [[], []]
    for (const source of sources) {
      const { start, again } = await peek(source)
      const isNamed = source.path !== undefined && /question/.test(basename(source.path))
      ;(isNamed || isQuestion(start) ? asked : judgments).push(again)
    }
    for await (const batch of context.rows(asked))
      for (const row of batch)
        if (questions(row)) categories.set(...readAt(row.place, () => categoryOf(row.exact())))
    if (judgments.length === 0)
      throw new Fatal(
        EXIT.data,
        `${sources.map(({ name }) => name).join(', ')}: questions alone, there is no file of judgments`,
      )
    for await (const batch of context.rows(judgments))
      yield batch.flatMap((row) => rowsMade(row, (one) => trialsOf(one, categories)))
  },
  async *write(rows, _options, { note }) {
    const pairs = new Map<string, Games>()
    for await (const batch of rows)
      for (const row of batch) {
        const judgment = row.field('model_1') === undefined ? ratingOf(row) : pairOf(row, pairs)
        if (judgment) yield `${JSON.stringify(judgment)}\n`
      }
    if (pairs.size > 0)
      note(
        `${pairs.size} pairs were judged in one order only and are left out: FastChat has both games of a pair (jb-render --order both)`,
      )
  },
}

/** FastChat's name of the prompt, by which its browser of answers finds a judgment. */
function promptOf(row: Row, type: 'single' | 'pair'): string {
  const math = NEED_REFERENCE.has(String(row.field('category')))
  const parts = [type, math && 'math', type === 'pair' && !math ? 'v2' : 'v1']
  return [...parts, row.field('turn') === 2 && 'multi-turn'].filter(Boolean).join('-')
}

const judgeOf = (row: Row, type: 'single' | 'pair'): Json[] => [
  String(row.get('reply')?.model ?? row.get('error')?.model ?? row.get('verdict')?.model ?? 'judge'),
  promptOf(row, type),
]

const questionOf = (row: Row) => row.field('question_id') ?? row.get('item')
const askedIn = (row: Row) => row.get('request')?.messages?.at(-1)?.content ?? ''
/** A failed call has FastChat's word, any other judgment its text. */
const saidIn = (row: Row) => row.get('reply')?.text ?? (row.get('error')?.stage === 'call' ? FAILED_CALL : '')

/** A line of `JUDGE_single.jsonl`; -1 stands for no rating. FastChat's `tstamp`, which none of its tools reads, is left out. */
const ratingOf = (row: Row): JsonObject => ({
  question_id: questionOf(row)!,
  model: row.field('model') ?? '',
  judge: judgeOf(row, 'single'),
  user_prompt: askedIn(row),
  judgment: saidIn(row),
  score: row.get('verdict')?.score ?? -1,
  turn: row.field('turn') ?? 1,
})

const WINNERS: Record<string, string> = { 'A>B': 'model_1', 'B>A': 'model_2', 'A=B': 'tie' }

interface Game {
  winner: string
  user_prompt: string
  judgment: string
}
/** A pair's games, in FastChat's order: the second shows the answers exchanged. */
type Games = { g1?: Game; g2?: Game }

/** A line of `JUDGE_pair.jsonl`, once both games of its pair are there. @param pairs those that wait for a game */
function pairOf(row: Row, pairs: Map<string, Games>): JsonObject | undefined {
  const judge = judgeOf(row, 'pair')
  const key = JSON.stringify([row.get('item'), judge, row.text('judge'), row.text('judge_digest')])
  const games = getOrInsert(pairs, key, (): Games => ({}))
  games[row.get('trial')?.order === 'BA' ? 'g2' : 'g1'] = {
    winner: WINNERS[String(row.get('verdict')?.decision)] ?? 'error',
    user_prompt: askedIn(row),
    judgment: saidIn(row),
  }
  const { g1, g2 } = games
  if (!g1 || !g2) return undefined
  pairs.delete(key)
  return {
    question_id: questionOf(row)!,
    model_1: row.field('model_1')!,
    model_2: row.field('model_2')!,
    g1_winner: g1.winner,
    g2_winner: g2.winner,
    judge,
    g1_user_prompt: g1.user_prompt,
    g1_judgment: g1.judgment,
    g2_user_prompt: g2.user_prompt,
    g2_judgment: g2.judgment,
    turn: row.field('turn') ?? 1,
  }
}

/** Whether the first line of a file is a question. */
function isQuestion(start: Buffer): boolean {
  const [line = ''] = start.toString('utf8').split('\n')
  try {
    const first: unknown = JSON.parse(line)
    return isObject(first) && Array.isArray(first.turns)
  } catch {
    return false
  }
}

const categoryOf = (row: Row): [question: string, category: string] => [
  String(row.field('question_id')),
  String(row.field('category')),
]

function trialsOf(row: Row, categories: Map<string, string>): Row | Row[] {
  if (!['judgment', 'g1_judgment'].some((key) => row.field(key) !== undefined))
    return lacking(
      row,
      'mt-bench-judgments',
      'neither "judgment" nor "g1_judgment": this is not a recorded judgment of MT-bench',
    )
  if ((row.field('question_id') ?? null) === null)
    return lacking(row, 'mt-bench-judgments', 'no "question_id": this is not a recorded judgment of MT-bench')
  const {
    judgment,
    user_prompt,
    judge,
    g1_judgment,
    g2_judgment,
    g1_user_prompt,
    g2_user_prompt,
    tstamp,
    ...rest
  } = row.item as JsonObject & Record<string, string>
  const [model, prompt] = [judge ?? 'judge'].flat() as [string, string | undefined]
  // The rating extraction's ids: `81_single_turn`, `81_conversation`.
  const suffix = /^(.+)_(single_turn|conversation)$/.exec(String(rest.question_id))
  const item: JsonObject = { ...rest }
  if (suffix) Object.assign(item, { question_id: suffix[1]!, turn: suffix[2] === 'conversation' ? 2 : 1 })
  const category = categories.get(String(item.question_id))
  if (category !== undefined) item.category = category

  const who = [item.model ?? [item.model_1, item.model_2]].flat()
  const id = [item.question_id, ...who, item.turn].filter((part) => part !== undefined).join(':')
  const make = (name: string, trial: Trial, question: unknown, reply: unknown) => {
    const made = Row.make(item, row.file, row.line).set('judge', name).set('item', id).set('trial', trial)
    if (typeof question === 'string') made.set('request', { messages: [{ role: 'user', content: question }] })
    if (reply === FAILED_CALL)
      return made.fail(
        'call',
        new RowFailure('unavailable', `recorded as ${FAILED_CALL}: the judge could not be asked`, { model }),
      )
    return made.set('reply', { text: String(reply ?? ''), model })
  }
  if (g1_judgment === undefined) {
    const name = suffix || prompt === undefined ? 'mt_bench_rating' : 'mt_bench'
    return make(name, { n: 0, of: 1 }, user_prompt, judgment)
  }
  return [
    make('mt_bench_pair', { n: 0, of: 2, order: 'AB' }, g1_user_prompt, g1_judgment),
    make('mt_bench_pair', { n: 1, of: 2, order: 'BA' }, g2_user_prompt, g2_judgment),
  ]
}
