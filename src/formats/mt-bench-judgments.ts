/**
 * Recorded MT-bench judgments → trials with their replies, to parse and score again without calls: FastChat's single and
 * pairwise files, and those of MT-bench's rating extraction. Question files among the operands add categories.
 */
import { basename } from 'node:path'
import { peek } from '../files/files.ts'
import type { Source } from '../rows/reader.ts'
import type { JsonObject, Trial } from '../rows/record.ts'
import { EXIT, Fatal, isObject, RowFailure } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { readAt } from '../rows/stage.ts'
import { exactRow, lacking, rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'

/** FastChat's record of a failed call. */
const FAILED = '$ERROR$'

export const format: Format = {
  about:
    'recorded MT-bench judgments (single or pairwise; question files add categories) → trials with their replies',
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
        if (questions(row)) categories.set(...readAt(row.place, () => categoryOf(exactRow(row))))
    if (judgments.length === 0)
      throw new Fatal(
        EXIT.data,
        `${sources.map(({ name }) => name).join(', ')}: questions alone, there is no file of judgments`,
      )
    for await (const batch of context.rows(judgments))
      yield batch.flatMap((row) => rowsMade(row, (one) => trialsOf(one, categories)))
  },
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
    if (reply === FAILED)
      return made.fail(
        'call',
        new RowFailure('unavailable', `recorded as ${FAILED}: the judge could not be asked`, { model }),
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
