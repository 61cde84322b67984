/** What a judge's own verdicts say about it, without people: place, length, consistency, other judges. */

import { append } from '../../rows/maps.ts'
import type { Label } from '../../statistics/agreement.ts'
import { binomialTest } from '../../statistics/distributions.ts'
import { wilson } from '../../statistics/interval.ts'
import { lengthBias } from '../../statistics/length_bias.ts'
import { sigmoid } from '../../statistics/matrix.ts'
import { transitivity } from '../../statistics/transitivity.ts'
import type { AuditedJudge, Judged, Section, TrialSaid } from './collect.ts'

const share = (count: number, of: number) => (of === 0 ? null : count / of)

/** A game's slot that won: 1 or 2; 0 for a tie. */
function slotOf({ verdict, trial }: TrialSaid): number | undefined {
  const decision = verdict?.decision
  if (decision === 'A=B') return 0
  if (decision !== 'A>B' && decision !== 'B>A') return undefined
  return (decision === 'A>B') === (trial.order !== 'BA') ? 1 : 2
}

/** Position: how often the slot shown first wins; only games in both orders, or a random one, can tell. */
export const byOrder: Section = ({ items }, { ci }) => {
  let [decisive, first, checked, inconsistent, same, sameFirst, tied] = [0, 0, 0, 0, 0, 0, 0]
  const orders = new Set<string>()
  for (const { trials } of items) {
    const games = trials.map(slotOf)
    for (const [i, slot] of games.entries()) {
      if (slot === undefined) continue
      orders.add(trials[i]!.trial.order ?? '')
      if (slot > 0) decisive++
      if (slot === 1) first++
    }
    const pair = inBothOrders(trials)
    if (!pair) continue
    const [x, y] = pair.map((one) => slotOf(one)!) as [number, number]
    checked++
    const [u, v] = pair.map(({ verdict }) => verdict!.decision)
    if (u !== v) inconsistent++
    if (x === y && x > 0) {
      same++
      if (x === 1) sameFirst++
    }
    if ((x === 0) !== (y === 0)) tied++
  }
  if (decisive === 0 && checked === 0) return undefined
  return {
    decisive,
    first,
    first_share: share(first, decisive),
    ci: wilson(first, decisive, ci),
    p: binomialTest(first, decisive),
    checked,
    inconsistent,
    consistency: share(checked - inconsistent, checked),
    same_slot: same,
    same_slot_first: sameFirst,
    same_slot_p: binomialTest(sameFirst, same),
    tie_in_one_order: tied,
    ...(orders.size < 2 && {
      reason: 'all games were shown in one order: place and merit cannot be told apart',
    }),
  }
}

/** The first game of each order, where both have a decision. */
function inBothOrders(trials: readonly TrialSaid[]): [TrialSaid, TrialSaid] | undefined {
  const of = (turned: boolean) =>
    trials.find((one) => (one.trial.order === 'BA') === turned && slotOf(one) !== undefined)
  const [ab, ba] = [of(false), of(true)]
  return ab && ba ? [ab, ba] : undefined
}

const OUTCOMES: Record<string, number> = { 'A>B': 1, 'B>A': 0, 'A=B': 0.5 }

/** Length: does the longer answer win? */
export const lengths: Section = ({ items }, { ci }) => {
  const used = items.filter(
    ({ longer, said }) => longer !== undefined && typeof said === 'string' && said in OUTCOMES,
  )
  if (used.length === 0) return undefined
  const bias = lengthBias(
    used.map(({ longer }) => longer!),
    used.map(({ said }) => OUTCOMES[said as string]!),
    ci,
  )
  const { n, decisiveUnequal, longerWon, sd, fit, reason } = bias
  return {
    n,
    decisive_unequal: decisiveUnequal,
    longer_won: longerWon,
    longer_share: share(longerWon, decisiveUnequal),
    ci: wilson(longerWon, decisiveUnequal, ci),
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
export const bySamples: Section = ({ items }, { ci }) => {
  let [several, same] = [0, 0]
  for (const { trials } of items) {
    const groups = new Map<string, unknown[]>()
    for (const { trial, verdict } of trials) {
      if (!verdict) continue
      const key = JSON.stringify([trial.order, trial.criterion, trial.pair, trial.nugget])
      const said = verdict.decision ?? verdict.option ?? verdict.score ?? verdict.winner
      append(groups, key, said)
    }
    for (const said of groups.values()) {
      if (said.length < 2) continue
      several++
      if (said.every((one) => one === said[0])) same++
    }
  }
  if (several === 0) return undefined
  return { questions: several, same, share: same / several, ci: wilson(same, several, ci) }
}

/** What an item is about: several pairs of models may have its id. */
export const aboutOf = ({ id, models }: Pick<Judged, 'id' | 'models'>) => JSON.stringify([id, models])

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
export const majority: Section = (judge, { ci }, all) => {
  if (all.length < 3) return undefined
  const most = mostOfOthers(judge, all)
  let [n, same] = [0, 0]
  for (const one of judge.items) {
    const { said } = one
    const theirs = most(aboutOf(one))
    if (said === undefined || theirs === undefined) continue
    n++
    if (said === theirs) same++
  }
  if (n === 0) return undefined
  return { judges: all.length - 1, items: n, same, share: same / n, ci: wilson(same, n, ci) }
}

/** What two or more said most often; undefined for a tie. */
function mostOf(said: readonly Label[]): Label | undefined {
  if (said.length < 2) return undefined
  const counts = new Map<Label, number>()
  for (const one of said) counts.set(one, (counts.get(one) ?? 0) + 1)
  const sorted = [...counts].sort(([, x], [, y]) => y - x)
  return sorted.length > 1 && sorted[0]![1] === sorted[1]![1] ? undefined : sorted[0]![0]
}

/** Transitivity: of three models, does each beat another? Over all battles between any two. */
export const triads: Section = ({ items }) => {
  const wins = new Map<string, number>()
  for (const { models, said } of items) {
    if (!models || models[0] === models[1] || (said !== 'A>B' && said !== 'B>A')) continue
    const key = JSON.stringify(said === 'A>B' ? models : [models[1], models[0]])
    wins.set(key, (wins.get(key) ?? 0) + 1)
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
export const probes: Section = ({ items }, { ci }) => {
  const plain = new Map(items.filter(({ probe }) => !probe).map((one) => [aboutOf(one), one.said]))
  const kinds = new Map<string, { n: number; moved: number; toward: number }>()
  for (const { probe, said, models } of items) {
    const before = probe && plain.get(aboutOf({ id: probe.of, models }))
    if (!probe || said === undefined || before === undefined) continue
    const of = kinds.get(probe.kind) ?? { n: 0, moved: 0, toward: 0 }
    of.n++
    if (said !== before) of.moved++
    if (said !== before && gains(before, said, probe.answer)) of.toward++
    kinds.set(probe.kind, of)
  }
  if (kinds.size === 0) return undefined
  return Object.fromEntries(
    [...kinds]
      .sort(([x], [y]) => (x < y ? -1 : 1))
      .map(([kind, { n, moved, toward }]) => [
        kind,
        { items: n, moved, share: moved / n, ci: wilson(moved, n, ci), toward_changed: toward },
      ]),
  )
}

/** Whether the changed answer fares better than before: of a pair the one that was changed, of one its grade. */
function gains(before: unknown, after: unknown, answer: number | undefined): boolean {
  if (typeof before === 'number' && typeof after === 'number') return after > before
  const [x, y] = [OUTCOMES[String(before)], OUTCOMES[String(after)]]
  if (x === undefined || y === undefined || answer === undefined) return false
  return answer === 0 ? y > x : y < x
}
