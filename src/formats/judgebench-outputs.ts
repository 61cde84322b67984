/**
 * Recorded JudgeBench outputs: data rows with `judge_name` and one or two `judgments`; the second saw the answers swapped.
 * `decision` is in terms of the answers as they were shown.
 */
import { BUILTIN_JUDGES } from '../judges/_load.ts'
import type { Decision, JsonObject, Reply, Trial, Verdict } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { flip } from '../verdicts/_terms.ts'
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
      /** As named by an earlier game of the file: a failed game names none. */
      let model: string | undefined
      /** Rows before the first one that names the model. */
      let nameless: Row[] = []
      for await (const batch of context.rows([source])) {
        const out: Row[] = []
        for (const row of batch) {
          model = modelOf(row) ?? model
          if (model === undefined) nameless.push(row)
          else {
            for (const before of [...nameless, row])
              out.push(...rowsMade(before, (one) => trialsOf(one, model, known)))
            nameless = []
          }
        }
        if (out.length > 0) yield out
      }
      if (nameless.length > 0)
        yield nameless.flatMap((row) => rowsMade(row, (one) => trialsOf(one, undefined, known)))
    }
  },
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

function trialsOf(row: Row, named: string | undefined, known: ReadonlySet<string>): Row[] {
  const games = gamesOf(row)
  if (!Array.isArray(games) || games.length === 0)
    return [lacking(row, 'judgebench-outputs', 'no "judgments": this is not a recorded output of JudgeBench')]
  if ((row.field('pair_id') ?? null) === null)
    return [lacking(row, 'judgebench-outputs', 'no "pair_id": this is not a recorded output of JudgeBench')]
  const { judge_name, judgments, ...item } = row.item as JsonObject & {
    judge_name?: string
    judgments: (Judgment | null)[]
  }
  const judge = judge_name ?? 'arena_hard'
  const model = named ?? judge_name ?? ''
  return judgments.map((game, n) => {
    const order = n === 0 ? 'AB' : 'BA'
    const made = Row.make(item, row.file, row.line)
    made.set('judge', judge)
    made.set('item', String(item.pair_id))
    made.set('trial', { n, of: judgments.length, order } satisfies Trial)
    const scores = game?.judgment?.scores
    if (scores) return made.set('verdict', rewardVerdict(scores, game.decision, order, model))
    // The judge is not built in, so its replies cannot be parsed again: keep the recorded decision.
    if (!known.has(judge)) return made.set('verdict', recordedVerdict(game?.decision, order, model))
    // A judgment recorded as null is a failed call: an empty reply, which no rule can read.
    if (game === null) return made.set('reply', { text: '', finish_reason: 'error', model } satisfies Reply)
    return made.set('reply', { text: game.judgment?.response ?? '', model } satisfies Reply)
  })
}

function recordedVerdict(decision: Judgment['decision'], order: string, model: string): Verdict {
  if (typeof decision !== 'string') return { label: null, decision: null, failure: 'no_verdict', model }
  return { label: decision, decision: order === 'BA' ? flip(decision) : decision, model }
}

/** The recorded decision (equal scores were stored as B>A), in the item's terms. */
function rewardVerdict(
  scores: [number, number],
  decision: Judgment['decision'],
  order: string,
  model: string,
): Verdict {
  const [first, second] = scores
  const swapped = order === 'BA'
  return {
    label: `${first} ${second}`,
    decision: (swapped ? flip(decision) : decision) as Decision,
    scores: swapped ? [second, first] : [first, second],
    model,
  }
}
