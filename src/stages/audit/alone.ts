/** What a judge's own verdicts say about it, without people: place, length, consistency, other judges. */

import { append, byKey, count, countEach } from '../../rows/maps.ts'
import type { Label } from '../../statistics/agreement.ts'
import { lengthBias } from '../../statistics/length_bias.ts'
import { sigmoid } from '../../statistics/matrix.ts'
import { transitivity } from '../../statistics/transitivity.ts'
import { type AuditedJudge, aboutOf, type JudgedItem, type Section, type TrialVerdict } from './collect.ts'
import { clusterCount, clustersOf, Shares } from './shares.ts'

const share = (count: number, of: number) => (of === 0 ? null : count / of)

/** A game's slot that won: 1 or 2; 0 for a tie. */
function slotOf({ verdict, trial }: TrialVerdict): number | undefined {
  const decision = verdict?.decision
  if (decision === 'A=B') return 0
  if (decision !== 'A>B' && decision !== 'B>A') return undefined
  return (decision === 'A>B') === (trial.order !== 'BA') ? 1 : 2
}

/** Position: how often the slot shown first wins; only games in both orders, or a random one, can tell. */
export const byOrder: Section = ({ items }, options) => {
  let [checked, inconsistent, tied] = [0, 0, 0]
  const clusters = clustersOf(items, options)
  // Of decisive games, and of items on which both games chose the same slot: whether it was the first.
  const [games, same] = [new Shares(clusters !== undefined), new Shares(clusters !== undefined)]
  const orders = new Set<string>()
  for (const [i, { trials }] of items.entries()) {
    const cluster = clusters?.[i]
    for (const one of trials) {
      const slot = slotOf(one)
      if (slot === undefined) continue
      orders.add(one.trial.order ?? '')
      if (slot > 0) games.add(slot === 1, cluster)
    }
    const pair = inBothOrders(trials)
    if (!pair) continue
    const [x, y] = pair.map((one) => slotOf(one)!) as [number, number]
    checked++
    const [u, v] = pair.map(({ verdict }) => verdict!.decision)
    if (u !== v) inconsistent++
    if (x === y && x > 0) same.add(x === 1, cluster)
    if ((x === 0) !== (y === 0)) tied++
  }
  if (games.n === 0 && checked === 0) return undefined
  return {
    decisive: games.n,
    ...clusterCount(clusters),
    first: games.count,
    first_share: games.share,
    ci: games.interval(options.ci),
    p: games.test(),
    checked,
    inconsistent,
    consistency: share(checked - inconsistent, checked),
    same_slot: same.n,
    same_slot_first: same.count,
    same_slot_p: same.test(),
    tie_in_one_order: tied,
    ...(orders.size < 2 && {
      reason: 'all games were shown in one order: place and merit cannot be told apart',
    }),
  }
}

/** The first game of each order, where both have a decision. */
function inBothOrders(trials: readonly TrialVerdict[]): [TrialVerdict, TrialVerdict] | undefined {
  const of = (turned: boolean) =>
    trials.find((one) => (one.trial.order === 'BA') === turned && slotOf(one) !== undefined)
  const [ab, ba] = [of(false), of(true)]
  return ab && ba ? [ab, ba] : undefined
}

const OUTCOMES: Record<string, number> = { 'A>B': 1, 'B>A': 0, 'A=B': 0.5 }

/** Length: does the longer answer win? */
export const lengths: Section = ({ items }, options) => {
  const used = items.filter(
    ({ longer, said }) => longer !== undefined && typeof said === 'string' && said in OUTCOMES,
  )
  if (used.length === 0) return undefined
  const clusters = clustersOf(used, options)
  const bias = lengthBias(
    used.map(({ longer }) => longer!),
    used.map(({ said }) => OUTCOMES[said as string]!),
    options.ci,
    clusters,
  )
  const { n, decisiveUnequal, longerWon, sd, fit, reason } = bias
  const longer = new Shares(clusters !== undefined)
  for (const [i, { longer: by, said }] of used.entries())
    if (by !== 0 && said !== 'A=B') longer.add(by! > 0 === (said === 'A>B'), clusters?.[i])
  return {
    n,
    ...clusterCount(clusters),
    decisive_unequal: decisiveUnequal,
    longer_won: longerWon,
    longer_share: longer.share,
    ci: longer.interval(options.ci),
    sd,
    slope: fit?.slope ?? null,
    ...(reason !== undefined && { reason }),
    ...(fit && {
      intercept: fit.intercept,
      se: fit.se,
      p: fit.p,
      slope_ci: fit.ci,
      odds_ratio: Math.exp(fit.slope),
      win_rate_at_equal_length: sigmoid(fit.intercept),
    }),
  }
}

/** Consistency: whether samples of the same question say the same. */
export const bySamples: Section = ({ items }, options) => {
  const clusters = clustersOf(items, options)
  const same = new Shares(clusters !== undefined)
  for (const [i, { trials }] of items.entries()) {
    const groups = new Map<string, unknown[]>()
    for (const { trial, verdict } of trials) {
      if (!verdict) continue
      const key = JSON.stringify([trial.order, trial.criterion, trial.pair, trial.nugget])
      const said = verdict.decision ?? verdict.option ?? verdict.score ?? verdict.winner
      append(groups, key, said)
    }
    for (const said of groups.values()) {
      if (said.length < 2) continue
      same.add(
        said.every((one) => one === said[0]),
        clusters?.[i],
      )
    }
  }
  if (same.n === 0) return undefined
  const { n, count, share } = same
  return { questions: n, ...clusterCount(clusters), same: count, share, ci: same.interval(options.ci) }
}

/** What most of the other judges in the stream said of a subject ({@link aboutOf}). */
export function mostOfOthers(
  judge: AuditedJudge,
  all: readonly AuditedJudge[],
): (about: string) => Label | undefined {
  const votes = new Map<string, Label[]>()
  for (const { items } of all.filter((one) => one !== judge))
    for (const one of items) if (one.said !== undefined) append(votes, aboutOf(one), one.said)
  return (about) => mostOf(votes.get(about) ?? [])
}

/** Agreement with what most of the other judges in the stream said. */
export const majority: Section = (judge, options, all) => {
  if (all.length < 3) return undefined
  const most = mostOfOthers(judge, all)
  const clusters = clustersOf(judge.items, options)
  const same = new Shares(clusters !== undefined)
  for (const [i, one] of judge.items.entries()) {
    const theirs = most(aboutOf(one))
    if (one.said !== undefined && theirs !== undefined) same.add(one.said === theirs, clusters?.[i])
  }
  if (same.n === 0) return undefined
  const { n, count, share } = same
  return {
    judges: all.length - 1,
    items: n,
    ...clusterCount(clusters),
    same: count,
    share,
    ci: same.interval(options.ci),
  }
}

/** What two or more said most often; undefined for a tie. */
function mostOf(said: readonly Label[]): Label | undefined {
  if (said.length < 2) return undefined
  const sorted = [...countEach(said)].sort(([, x], [, y]) => y - x)
  return sorted.length > 1 && sorted[0]![1] === sorted[1]![1] ? undefined : sorted[0]![0]
}

/** Transitivity: of three models, does each beat another? Over all battles between any two. */
export const triads: Section = ({ items }) => {
  const wins = new Map<string, number>()
  for (const { models, said } of items) {
    if (!models || models[0] === models[1] || (said !== 'A>B' && said !== 'B>A')) continue
    count(wins, JSON.stringify(said === 'A>B' ? models : [models[1], models[0]]))
  }
  const names = [...new Set([...wins.keys()].flatMap((key) => JSON.parse(key) as string[]))].sort()
  if (names.length < 3) return undefined
  const over = (x: number, y: number) => wins.get(JSON.stringify([names[x], names[y]])) ?? 0
  const beats: [number, number][] = []
  for (let x = 0; x < names.length; x++)
    for (let y = 0; y < names.length; y++) if (over(x, y) > over(y, x)) beats.push([x, y])
  const { cyclic, triads: all, zeta } = transitivity(names.length, beats)
  return { models: names.length, triads: all, cyclic, zeta }
}

/** Probes: how often a change that should not matter moved the verdict, and how often to the changed answer, by kind. */
export const probes: Section = ({ items }, options) => {
  const plain = new Map(items.filter(({ probe }) => !probe).map((one) => [aboutOf(one), one.said]))
  const kinds = new Map<string, (JudgedItem & { before: Label })[]>()
  for (const one of items) {
    const before = one.probe && plain.get(aboutOf({ ...one, id: one.probe.of }))
    if (one.said !== undefined && before !== undefined) append(kinds, one.probe!.kind, { ...one, before })
  }
  if (kinds.size === 0) return undefined
  return Object.fromEntries(
    byKey(kinds).map(([kind, of]) => {
      const clusters = clustersOf(of, options)
      const moved = new Shares(clusters !== undefined)
      for (const [i, { said, before }] of of.entries()) moved.add(said !== before, clusters?.[i])
      const toward = of.filter(
        ({ said, before, probe }) => said !== before && gains(before, said, probe!.answer),
      ).length
      const { n, count, share } = moved
      return [
        kind,
        {
          items: n,
          ...clusterCount(clusters),
          moved: count,
          share,
          ci: moved.interval(options.ci),
          toward_changed: toward,
        },
      ]
    }),
  )
}

/** Whether the changed answer fares better than before: of a pair the one that was changed, of one its grade. */
function gains(before: unknown, after: unknown, answer: number | undefined): boolean {
  if (typeof before === 'number' && typeof after === 'number') return after > before
  const [x, y] = [OUTCOMES[String(before)], OUTCOMES[String(after)]]
  if (x === undefined || y === undefined || answer === undefined) return false
  return answer === 0 ? y > x : y < x
}
