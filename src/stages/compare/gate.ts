/** Gates on a comparison: --fail-worse, --fail-unless-level, and --min-common, without which both would pass on a few easy items. */
import { EXIT, type JsonObject, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import type { CompareOptions } from './options.ts'
import type { ComparedRun } from './runs.ts'
import { isBeyondChance, isShare } from './verdict.ts'

type GateOptions = Pick<CompareOptions, 'ci' | 'failWorse' | 'failUnlessLevel' | 'minCommon'>

export const hasGate = ({ failWorse, failUnlessLevel }: GateOptions): boolean =>
  failWorse !== undefined || failUnlessLevel !== undefined

/**
 * Why a pair misses the gates; undefined if it does not. A loss is that of b against a, the base.
 * @param pair its figures as printed, `difference` and `ci` of a − b
 * @param base how many items a has, failed ones too
 */
export function missedGate(pair: JsonObject, base: number, options: GateOptions): string | undefined {
  const { failWorse, failUnlessLevel, minCommon } = options
  const items = Number(pair.items)
  if (items < minCommon * base)
    return `${items} of the ${base} items of ${pair.a} have an outcome in both runs, fewer than --min-common ${minCommon} asks for`
  if (typeof pair.difference !== 'number') return String(pair.sentence)
  // Items that all differ by the same amount have no interval: the difference is what it is. A single item tells nothing of others.
  const [low, high] = (pair.ci ?? [pair.difference, items > 1 ? pair.difference : Infinity]) as [
    number,
    number,
  ]
  const isWorse = pair.ci ? isBeyondChance(pair, options) : low > 0
  if (failWorse !== undefined && isWorse && pair.difference > failWorse)
    return `${pair.sentence}: worse by more than --fail-worse ${failWorse}`
  if (failUnlessLevel !== undefined && high >= failUnlessLevel)
    return `${pair.sentence}: a loss of --fail-unless-level ${failUnlessLevel} is not excluded`
  return undefined
}

/** Ends with exit code 1 if a pair misses the gates, else tells what it comes to. @param pairs figures, with the base of each */
export function endByGate(
  pairs: readonly [figures: JsonObject, base: ComparedRun][],
  options: CompareOptions,
  context: Context,
): void {
  for (const [pair, base] of pairs) {
    const missed = missedGate(pair, base.items, options)
    if (missed === undefined) context.note(String(pair.sentence))
    else context.finish(EXIT.gate, missed)
  }
}

/** @throws Fatal (usage) for a limit that no difference of shares can have, as 2 for 2 points */
export function checkLimits(pairs: readonly JsonObject[], options: CompareOptions): void {
  for (const [name, limit] of [
    ['fail-worse', options.failWorse],
    ['fail-unless-level', options.failUnlessLevel],
    ['margin', options.margin],
  ] as const)
    if (limit !== undefined && limit > 1 && options.value === undefined && pairs.some(isShare))
      throw usageError(`--${name} ${limit}: a difference of shares is 0 to 1 (${limit / 100}?)`)
}
