/** --bridge: two judges on the same anchors, and other items on the old one's scale. */
import { EXIT, Fatal, type JsonObject } from '../../rows/record.ts'
import { infer } from '../../scoring/difference.ts'
import { meanWords, range, signedAmount } from '../../scoring/difference_verdict.ts'
import { aspectWords, differencesOf, type Identity } from '../../scoring/provenance.ts'
import { SameItems } from '../../scoring/same_items.ts'
import { unlikeRuns, type Warning } from '../../scoring/warnings.ts'
import { bridge, onOldScale } from '../../statistics/bridge.ts'
import { meanOf } from '../../statistics/clusters.ts'
import type { AuditedJudge, AuditedJudges, Look } from './collect.ts'
import { oneJudge, type Said, saidOf } from './opinions.ts'
import type { AuditOptions } from './options.ts'

/** With so many labels, these say more than another judge's scale. */
const MANY_LABELS = 100

/** An anchor by both judges. */
type Anchor = readonly [old: Said, now: Said]

/**
 * @param earlier of the rows of --bridge
 * @throws Fatal (usage) unless each has one judge, (data) for items that are not the same under one id
 */
export function bridgeBetween(earlier: AuditedJudges, now: AuditedJudges, options: AuditOptions): Look {
  const old = oneJudge(earlier, '--bridge', 'its rows')
  const judge = oneJudge(now, '--bridge', 'the rows of today')
  checkItems(old, judge)
  const [before, after] = [saidOf(old, '--bridge'), saidOf(judge, '--bridge')]
  const anchors = [...after].flatMap(([id, one]): Anchor[] => {
    const other = before.get(id)
    return other ? [[other, one]] : []
  })
  const others = [...after].flatMap(([id, one]) => (before.has(id) ? [] : one))
  const names = namesOf(old.judgedBy!, judge.judgedBy!)
  const figures: JsonObject = {
    judged_before: old.judgedBy,
    judged_now: judge.judgedBy,
    anchors: anchors.length,
    ...anchorFigures(anchors, options),
    ...itemFigures(anchors, others, options),
  } as unknown as JsonObject
  return {
    figures: { ...figures, sentence: wordsOf(figures, names, options) },
    warnings: unlike(old.judgedBy!, judge.judgedBy!),
    missed: anchors.length === 0 || (options.failDrift !== undefined && figures.interchangeable !== true),
  }
}

/** @throws Fatal (data) for an id with two questions, or with other answers */
function checkItems(old: AuditedJudge, now: AuditedJudge): void {
  const same = new SameItems(true)
  const ids = new Set(old.items.map(({ id }) => id))
  for (const { id, asks } of old.items) if (asks) same.asked(id, asks)
  for (const { id, asks } of now.items) if (asks && ids.has(id)) same.asked(id, asks)
  const message = same.message(ids.size)
  if (message !== undefined) throw new Fatal(EXIT.data, `--bridge: ${message}`)
}

function unlike(before: Identity, now: Identity): Warning[] {
  const found = differencesOf(before, now).filter(({ aspect }) => aspect === 'orders' || aspect === 'samples')
  if (found.length === 0) return []
  return [
    unlikeRuns(found.map(({ what, values }) => `${what} ${values[0]} then, ${values[1]} now`).join('; ')),
  ]
}

/** The judges by what tells them apart: their models, else their files. */
function namesOf(before: Identity, now: Identity): [old: string, now: string] {
  for (const aspect of ['model', 'name', 'judge', 'variant', 'digest'] as const) {
    const [x, y] = [before, now].map((one) => aspectWords(one, aspect))
    if (x !== undefined && y !== undefined && x !== y) return [x, y]
  }
  return ['the old judge', 'the new judge']
}

function amountsOf(of: readonly Said[]): number[] | undefined {
  const all = of.flatMap(({ amount }) => amount ?? [])
  return all.length === of.length ? all : undefined
}

/** Null where they are not known. */
const UNKNOWN = { old: null, new: null, difference: null, ci: null, equivalence_ci: null }

function anchorFigures(anchors: readonly Anchor[], { ci, failDrift }: AuditOptions): JsonObject {
  const moved = anchors.filter(([old, now]) => old.said !== now.said).length
  const [old, now] = [0, 1].map((side) => amountsOf(anchors.map((anchor) => anchor[side as 0 | 1])))
  const isKnown = anchors.length >= 2 && old && now
  const { equivalenceCi, interchangeable, ...means } = isKnown
    ? bridge(old, now, 1 - ci, failDrift)
    : { equivalenceCi: undefined, interchangeable: undefined }
  return {
    ...(isKnown
      ? { ...means, equivalence_ci: equivalenceCi! }
      : { ...UNKNOWN, reason: unknownWords(anchors) }),
    ...(failDrift !== undefined && { interchangeable: interchangeable ?? null }),
    moved: anchors.length === 0 ? null : moved / anchors.length,
    ...rightFigures(anchors, ci),
  } as JsonObject
}

function unknownWords(anchors: readonly Anchor[]): string {
  if (anchors.length === 0) return 'no anchor has a verdict in both files'
  return anchors.length === 1
    ? 'one anchor has a verdict in both files'
    : 'verdicts are words without an amount: only how many differ is known'
}

/** The share that is right, by the test of --since. */
function rightFigures(anchors: readonly Anchor[], ci: number): JsonObject {
  const labelled = anchors.flatMap(([old, now]) => {
    const [then, today] = [old.label ?? now.label, now.label ?? old.label]
    return then === undefined ? [] : [[Number(old.said === then), Number(now.said === today)] as const]
  })
  if (labelled.length === 0) return {}
  const sample = {
    a: Float64Array.from(labelled, ([one]) => one),
    b: Float64Array.from(labelled, ([, one]) => one),
    groups: undefined,
    ...{ clustered: false, scores: false, labels: true },
  }
  const found = infer(sample, { ci, bootstrap: 0 } as Parameters<typeof infer>[1])
  return {
    right: {
      labelled: labelled.length,
      ...{ old: found.mean_a, new: found.mean_b, difference: found.difference, ci: found.ci },
    },
  } as unknown as JsonObject
}

/** Of the items that only the new judge judged. */
function itemFigures(anchors: readonly Anchor[], others: readonly Said[], { ci }: AuditOptions): JsonObject {
  if (others.length === 0) return {}
  const items = { items: others.length }
  const [old, now, rest] = [anchors.map(([one]) => one), anchors.map(([, one]) => one), others].map(amountsOf)
  if (!rest) return { ...items, new_mean: null, old_scale: null, why: 'no_amounts' }
  const known = { ...items, new_mean: meanOf(rest) }
  if (!old || !now) return { ...known, old_scale: null, why: 'no_amounts' }
  const scale = rest.length < 2 ? 'few_items' : onOldScale(old, now, rest, 1 - ci)
  return typeof scale === 'string'
    ? { ...known, old_scale: null, why: scale }
    : { ...known, old_scale: scale as unknown as JsonObject }
}

const SHARE = { value: 'share' }
const level = (value: unknown) => meanWords(value as number, 'share')
const percent = (value: unknown) => `${(100 * Number(value)).toFixed(0)} %`

function wordsOf(figures: JsonObject, names: readonly [string, string], options: AuditOptions): string {
  return [
    anchorWords(figures, names),
    ...equivalenceWords(figures, options),
    ...itemWords(figures, names),
    ...labelWords(figures),
  ].join('; ')
}

function anchorWords(figures: JsonObject, [old, now]: readonly [string, string]): string {
  const { anchors, difference, ci, moved, reason } = figures
  if (difference === null) {
    const words = `${old} and ${now} cannot be compared: ${reason}`
    return moved === null ? words : `${words}; ${percent(moved)} of verdicts differ`
  }
  const interval = range(ci as [number, number], SHARE)
  const change = `${signedAmount(difference as number, SHARE)} (${interval})`
  return `${old} ${level(figures.old)}, ${now} ${level(figures.new)} on the same ${anchors} anchors: ${change}; ${percent(moved)} of verdicts differ`
}

function equivalenceWords(figures: JsonObject, { failDrift }: AuditOptions): string[] {
  const { interchangeable, equivalence_ci: ci } = figures
  if (failDrift === undefined || !ci) return []
  const answer = interchangeable === null ? 'not known' : interchangeable ? 'yes' : 'no'
  const interval = range(ci as [number, number], SHARE)
  return [
    `interchangeable within ${+(100 * failDrift).toPrecision(6)} points for a mean (${interval}): ${answer}`,
  ]
}

function itemWords(figures: JsonObject, [old, now]: readonly [string, string]): string[] {
  const { items, new_mean: mean, old_scale: scale, why, anchors } = figures
  if (items === undefined) return []
  const seen = `${items} items that only ${now} judged: ${mean === null ? 'no mean' : level(mean)}`
  if (scale) {
    const { estimate, ci } = scale as { estimate: number; ci: [number, number] }
    const interval = range(ci, SHARE)
    return [
      `${seen}; on ${old}’s scale ${level(estimate)} (${interval}), if the anchors are a random sample of these items`,
    ]
  }
  const reasons: Record<string, string> = {
    few_anchors: `${anchors} anchors are too few`,
    few_items: 'one item has no interval',
    no_amounts: 'verdicts are words without an amount',
    anchors_differ: `the new judge sees anchors and items otherwise (${percent(figures.new)} and ${percent(mean)}): have the old judge judge a random sample of these items while it exists`,
  }
  return [`${seen}; on ${old}’s scale not known: ${reasons[String(why)]}`]
}

function labelWords({ right }: JsonObject): string[] {
  const labelled = Number((right as JsonObject | undefined)?.labelled ?? 0)
  return labelled < MANY_LABELS ? [] : ['labels give people’s scale itself: --truth (PPI++)']
}
