/** Gates on a difference: --fail-worse, --fail-unless-level, --fail-drift, and --min-common, without which all would pass on a few easy items. */
import { EXIT, type JsonObject, usageError } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { isBeyondChance, isShare } from './difference_verdict.ts'

/** Default of --min-common. */
export const MIN_COMMON = 0.9

interface GateOptions {
  ci: number
  failWorse?: number
  failUnlessLevel?: number
  /** A difference either way. */
  failDrift?: number
  margin?: number
  minCommon: number
  /** Values are a field's, as they are. */
  value?: string
}

export const hasGate = ({ failWorse, failUnlessLevel }: GateOptions): boolean =>
  failWorse !== undefined || failUnlessLevel !== undefined

/**
 * Why a pair misses the gates; undefined if it does not. A loss is that of b against a, the base.
 * @param pair its figures as printed, `difference` and `ci` of b − a
 * @param base how many items a has, failed ones too
 */
export function missedGate(pair: JsonObject, base: number, options: GateOptions): string | undefined {
  const { failWorse, failUnlessLevel, failDrift, minCommon } = options
  const items = Number(pair.items)
  if (items < minCommon * base)
    return `${items} of the ${base} items of ${pair.a} have an outcome in both runs, fewer than --min-common ${minCommon} asks for`
  if (typeof pair.difference !== 'number' || pair.unlike) return String(pair.sentence)
  // Items that all differ by the same amount have no interval: the difference is what it is. A single item tells nothing of others.
  const [low, high] = (pair.ci ?? [items > 1 ? pair.difference : -Infinity, pair.difference]) as [
    number,
    number,
  ]
  const isKnown = pair.ci ? isBeyondChance(pair, options) : low > 0 || high < 0
  if (failWorse !== undefined && isKnown && -pair.difference > failWorse)
    return `${pair.sentence}: worse by more than --fail-worse ${failWorse}`
  if (failDrift !== undefined && isKnown && Math.abs(pair.difference) > failDrift)
    return `${pair.sentence}: a drift of more than --fail-drift ${failDrift}`
  if (failUnlessLevel !== undefined && low <= -failUnlessLevel)
    return `${pair.sentence}: a loss of --fail-unless-level ${failUnlessLevel} is not excluded`
  return undefined
}

/** Ends with exit code 1 if a pair misses the gates, else tells what it comes to. @param pairs figures, with the base of each */
export function endByGate(
  pairs: readonly (readonly [figures: JsonObject, base: { items: number }])[],
  options: GateOptions,
  context: Context,
): void {
  for (const [pair, base] of pairs) {
    const missed = missedGate(pair, base.items, options)
    if (missed === undefined) context.note(String(pair.sentence))
    else context.finish(EXIT.gate, missed)
  }
}

/** @throws Fatal (usage) for a limit that no difference of shares can have, as 2 for 2 points */
export function checkLimits(pairs: readonly JsonObject[], options: GateOptions): void {
  for (const [name, limit] of [
    ['fail-worse', options.failWorse],
    ['fail-unless-level', options.failUnlessLevel],
    ['fail-drift', options.failDrift],
    ['margin', options.margin],
  ] as const)
    if (limit !== undefined && limit > 1 && options.value === undefined && pairs.some(isShare))
      throw usageError(`--${name} ${limit}: a difference of shares is 0 to 1 (${limit / 100}?)`)
}
