/** How original programs read replies, and what they send (--compat): one file each in originals/, with a reading for each of its judges. */
import type { Judge } from '../judges/_judge.ts'
import { didYouMean } from '../options/nearest.ts'
import { configError, type Decision, RowFailure, type Verdict } from '../rows/record.ts'
import { orElse, type Read, type ReadContext } from './_rule.ts'

/** A reading. `read` throws RowFailure where the original finds nothing, `otherwise` gives what it takes instead. */
export interface Reading {
  read(text: string, context: ReadContext, judge: Judge): Verdict
  /** Whether the original asks again for a reply that can be read. */
  isUnfinished?(text: string): boolean
  otherwise?(failure: RowFailure, text: string, context: ReadContext, judge: Judge): Verdict
}

/** What a file in originals/ exports. */
interface Original {
  readings: Record<string, Reading>
  /** The score of a failed call. */
  failed?: number
  /** The judge with the request that the original sends; a judge that the original does not have stays as it is. */
  asking?(judge: Judge): Judge
}

/**
 * The reading that a judge file names for an original (`compat: { judgebench: arena_hard }`); undefined if it names none.
 * @param raise whether a reply without a verdict fails, whatever the original takes instead
 * @throws Fatal (configuration) for the name of no reading
 */
export async function originalOf(judge: Judge, compat: string, raise = false): Promise<Read | undefined> {
  const name = judge.compat?.[compat]
  if (name === undefined) return undefined
  const { readings } = await load(compat)
  const reading = Object.hasOwn(readings, name) ? readings[name]! : undefined
  if (!reading) {
    const names = Object.keys(readings)
    const hint = didYouMean(name, names, `, expected one of ${names.join(', ')}`)
    throw configError(`${judge.where}: compat.${compat} is "${name}"${hint}`)
  }
  const read: Read = (text, context) => {
    if (raise && reading.isUnfinished?.(text)) throw nothing()
    return reading.read(text, context, judge)
  }
  const { otherwise } = reading
  if (!otherwise || raise) return read
  return orElse(read, (failure, text, context) => otherwise(failure, text, context, judge))
}

/** The score that an original gives to a failed call; undefined if it gives none. */
export const failedScore = async ({ compat }: Judge, name: string): Promise<number | undefined> =>
  compat?.[name] === undefined ? undefined : (await load(name)).failed

/** The judge with the request that an original sends: its parameters, and messages that it adds to the prompt. */
export const askingAs = async (judge: Judge, name: string): Promise<Judge> =>
  (await load(name)).asking?.(judge) ?? judge

const load = (name: string): Promise<Original> => import(`./originals/${name}.ts`)

export const nothing = (what = 'verdict') =>
  new RowFailure('no_verdict', `the original finds no ${what} in the reply`)

/** A reading of two answers: what it finds, and the decision it takes where it finds nothing. */
export const decisionReading = (
  find: (text: string) => Verdict | undefined,
  otherwise?: Decision | '' | null,
): Reading => ({
  read(text) {
    const verdict = find(text)
    if (verdict) return verdict
    throw nothing()
  },
  ...(otherwise !== undefined && {
    otherwise: ({ code }) => ({ label: null, decision: otherwise as Decision, failure: code }),
  }),
})

/** The verdict that one of two answers is better, or a tie. @param label the words that say so */
export function decided(
  label: string | undefined,
  first: string,
  second: string,
  tie?: string,
): Verdict | undefined {
  const word = label?.toLowerCase()
  const decision = ({ [first]: 'A>B', [second]: 'B>A', [tie ?? '']: 'A=B' } as Record<string, Decision>)[
    word || '-'
  ]
  return decision && { label: label!, decision }
}

/** The first of patterns that matches, and its first group. */
export function firstGroup(text: string, ...patterns: RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const [, group] = pattern.exec(text) ?? []
    if (group !== undefined) return group
  }
  return undefined
}

/** A failure at which the original crashes; here only the row fails. */
export const CRASH = { original: 'crash' }

/** The text, if Python can evaluate it: not 08, nor digits of other scripts. @throws RowFailure if the original would crash */
export function asLiteral(text: string): string {
  if ((/^0\d+$/.test(text) && /[1-9]/.test(text)) || /[^\d.]/.test(text))
    throw new RowFailure(
      'no_verdict',
      `the original crashes at ${text}, which is not a number in Python`,
      CRASH,
    )
  return text
}
