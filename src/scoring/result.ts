/** From the trials of an item to its result: the one way, whether they stand in the ledger's columns or in rows. */
import type { Criterion, JsonObject, Result, RowError, RowFailure } from '../rows/record.ts'
import { failureIn } from '../rows/stage.ts'
import { windowOf } from '../verdicts/_window.ts'
import type { About, JudgeKind, Scored, ScoreSettings } from './kind.ts'
import { KIND, kindOf } from './kinds.ts'
import { unreadLabelIn } from './label.ts'

/** A trial that counts; one that failed has an error. */
export interface Tried extends Scored {
  error?: RowError | undefined
}

/** What an item comes to: a result, or why it has none. */
export interface ItemDecision {
  result?: Result | undefined
  failure?: (Pick<RowFailure, 'code' | 'message'> & Partial<Pick<RowFailure, 'detail'>>) | undefined
  /** The error of the trial that failed. */
  error?: RowError | undefined
  /** It is that of a row of jb-score. */
  isGiven?: boolean | undefined
}

/** What is known of an item besides its trials. */
export interface AboutItem {
  /** How many trials it has. */
  of: number
  /** What its own fields say. @throws RowFailure */
  about(kind: JudgeKind): Omit<About, 'asked'>
  /** Is told why it has no result, and of a label that could not be read. */
  tell(words: string, kind: string): void
}

/**
 * @param trials that count, in their order, those of a window apart: see {@link trialsApart}
 * @param asked the criteria that they asked about
 */
export function decideItem(
  trials: readonly Tried[],
  asked: readonly Criterion[],
  given: AboutItem,
  settings: ScoreSettings,
): ItemDecision {
  for (const one of trials) if (one.error) return failureOf(one, given.of)
  try {
    const kind = KIND[kindOf(trials[0]!.verdict!)]
    const { label, lack, criteria } = given.about(kind)
    const result = kind.score(trials, { label, lack, criteria, asked }, settings)
    const unread = unreadLabelIn(result)
    if (unread) given.tell(unread, 'label')
    return { result }
  } catch (error) {
    const failure = failureIn(error)
    if (!failure) throw error
    const { code, message } = failure
    if (code !== 'conflict') given.tell(`${code}: ${message}`, code)
    return { failure }
  }
}

function failureOf({ trial, error }: Tried, of: number): ItemDecision {
  const { message: said, stage: _, code, ...detail } = error!
  const message = of === 1 ? said : `trial ${trial.n}: ${said}`
  return { failure: { code, message, detail }, error: error! }
}

export const incomplete = (there: number, of: number): ItemDecision => ({
  failure: { code: 'incomplete', message: `${there} of ${of} trials are there` },
})

export const conflicting = (message: string): ItemDecision => ({ failure: { code: 'conflict', message } })

/** Of a window a trial for every element; one that no line could be read for fails alone. Costs are those of the first. */
export function trialsApart<T extends Tried>(one: T): T[] {
  const window = windowOf(one.trial)
  if (!window) return [one]
  const each = (one.verdict?.each ?? []) as unknown as (JsonObject | null)[]
  return window.trials.map((trial, place) => {
    const { usage, cost, calls, verdict: _, ...rest } = one as T & Record<'usage' | 'cost' | 'calls', unknown>
    const verdict = each[place]
    const message = `no line for ${window.name} ${window.ids[place]}`
    const error: RowError = { stage: 'score', code: 'no_verdict', message }
    return {
      ...rest,
      trial,
      ...(place === 0 && usage !== undefined && { usage }),
      ...(place === 0 && cost !== undefined && { cost }),
      ...(place === 0 && calls !== undefined && { calls }),
      ...(verdict ? { verdict } : !one.error && { error }),
    } as unknown as T
  })
}
