/**
 * Recorded JudgeBench outputs: data rows with `judge_name` and one or two `judgments`; the second saw the answers swapped.
 * `decision` is in terms of the answers as they were shown.
 */
import { BUILTIN_JUDGES } from '../judges/_load.ts'
import {
  type Decision,
  flip,
  type Json,
  type JsonObject,
  type Reply,
  type Trial,
  type Verdict,
} from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'

interface Judgment {
  /** Reward models have a score for each answer instead of a reply. */
  judgment?: { judge_model?: string; prompt?: string; response?: string; scores?: [number, number] }
  decision?: Decision | null
}

export const format: Format = {
  about: 'recorded JudgeBench outputs → trials with their replies (reward models: with their verdicts)',
  async *read(sources, _options, context) {
    const known = new Set(BUILTIN_JUDGES.names())
    for (const source of sources) {
      const models = new Models(context.note)
      const trials = ([row, model]: Named) =>
        rowsMade(row, (one) => trialsOf(one, model, known, context.note))
      for await (const batch of context.rows([source])) {
        const out = batch.flatMap((row) => models.take(row)).flatMap(trials)
        if (out.length > 0) yield out
      }
      yield models.rest().flatMap(trials)
    }
  },
}

type Named = [row: Row, model: string | undefined]

/** The model of each row, in the order of the rows: a game that failed names none. */
class Models {
  private model: string | undefined
  private judge: Json | undefined
  /** The pairs of this model: one that comes again begins another recording, as after `cat a.jsonl b.jsonl`. */
  private pairs = new Set<string>()
  /** Rows before the first one that names the model. */
  private nameless: Row[] = []
  /** Rows without a model after the last one that names it. */
  private last = 0
  private readonly note: Context['note']

  constructor(note: Context['note']) {
    this.note = note
  }

  take(row: Row): Named[] {
    const named = modelOf(row)
    const judge = row.has('error') ? undefined : row.field('judge_name')
    const isSame = judge === this.judge
    if (named === undefined) {
      if (this.model !== undefined && isSame && this.isNew(row)) {
        this.last++
        return [[row, this.model]]
      }
      this.model = undefined
      this.nameless.push(row)
      return []
    }
    if (this.model !== undefined && !(isSame && named === this.model)) {
      if (this.last > 0)
        this.note(
          `pairs without a judgment (${this.last}) between those of ${this.model} and ${named} count as those of ${this.model}`,
          { file: row.file, line: row.line },
        )
      this.pairs = new Set()
    }
    this.model = named
    this.judge = judge
    this.last = 0
    const rows = [...this.nameless, row]
    this.nameless = []
    for (const one of rows) this.isNew(one)
    return rows.map((one) => [one, named])
  }

  /** Rows of a recording that names no model at all. */
  rest(): Named[] {
    return this.nameless.map((row) => [row, undefined])
  }

  /** Whether the row's pair is new; it is kept. */
  private isNew(row: Row): boolean {
    const pair = JSON.stringify(row.has('error') ? null : (row.field('pair_id') ?? null))
    return this.pairs.size < this.pairs.add(pair).size
  }
}

const gamesOf = (row: Row) =>
  (row.has('error') ? undefined : row.field('judgments')) as (Judgment | null)[] | undefined

/** The model that one of the row's games names. */
function modelOf(row: Row): string | undefined {
  const games = gamesOf(row)
  return Array.isArray(games)
    ? games.find((game) => game?.judgment?.judge_model !== undefined)?.judgment?.judge_model
    : undefined
}

/** As in the original, a pair's first two judgments count. */
const GAMES = 2

function trialsOf(
  row: Row,
  named: string | undefined,
  known: ReadonlySet<string>,
  note: Context['note'],
): Row | Row[] {
  const games = gamesOf(row)
  if (!Array.isArray(games) || games.length === 0)
    return lacking(row, 'judgebench-outputs', 'no "judgments": this is not a recorded output of JudgeBench')
  if ((row.field('pair_id') ?? null) === null)
    return lacking(row, 'judgebench-outputs', 'no "pair_id": this is not a recorded output of JudgeBench')
  const { judge_name, judgments, ...item } = row.item as JsonObject & {
    judge_name?: string
    judgments: (Judgment | null)[]
  }
  const judge = judge_name ?? 'arena_hard'
  const model = named ?? judge_name ?? ''
  if (judgments.length > GAMES)
    note(`pair ${item.pair_id} has ${judgments.length} judgments: the first two count, as in JudgeBench`, {
      ...{ file: row.file, line: row.line, kind: 'more judgments' },
    })
  return judgments.slice(0, GAMES).map((game, n, { length: of }) => {
    const order = n === 0 ? 'AB' : 'BA'
    const made = Row.make(item, row.file, row.line)
    made.set('judge', judge)
    made.set('item', String(item.pair_id))
    made.set('trial', { n, of, order } satisfies Trial)
    // If the judge is not built in, its replies cannot be parsed again: keep the recorded decision.
    if (game?.judgment?.scores || !known.has(judge))
      return made.set('verdict', recordedVerdict(game, order, model))
    // A judgment recorded as null is a failed call: an empty reply, which no rule can read.
    if (game === null) return made.set('reply', { text: '', finish_reason: 'error', model } satisfies Reply)
    return made.set('reply', { text: game.judgment?.response ?? '', model } satisfies Reply)
  })
}

/** The recorded decision in the item's terms. Of scores, equal ones were stored as B>A. */
function recordedVerdict(game: Judgment | null, order: string, model: string): Verdict {
  const { decision, judgment } = game ?? {}
  const scores = judgment?.scores
  if (!scores && typeof decision !== 'string')
    return { label: null, decision: null, failure: 'no_verdict', model }
  const [first, second] = scores ?? []
  const swapped = order === 'BA'
  return {
    label: scores ? `${first} ${second}` : decision!,
    decision: (swapped ? flip(decision) : decision) as Decision,
    ...(scores && { scores: (swapped ? [second, first] : [first, second]) as [number, number] }),
    model,
  }
}
