/** What a judge's verdicts show without people's labels: position, length, consistency, other judges, cycles, probes. */

import { append, byKey, count, grouped } from '../../rows/maps.ts'
import { juryAgreement, verdictValue } from '../../scoring/jury_agreement.ts'
import { ALL_THE_SAME, type LongerChoices } from '../../scoring/warnings.ts'
import type { Label } from '../../statistics/agreement.ts'
import { lengthBias } from '../../statistics/length_bias.ts'
import { sigmoid } from '../../statistics/matrix.ts'
import { mcnemarMidP } from '../../statistics/mcnemar.ts'
import { transitivity } from '../../statistics/transitivity.ts'
import { type AuditedJudge, subjectKey } from './collect.ts'
import type { JudgedItem, JudgedItems, TrialVerdict } from './items.ts'
import { truthOf } from './people.ts'
import { clusterCount, clustersOf, meanFigures, Share } from './shares.ts'
import type { Section } from './votes.ts'

const share = (count: number, of: number) => (of === 0 ? null : count / of)

/** The slot that won a game, 1 or 2; 0 for a tie. */
function slotOf({ verdict, trial }: TrialVerdict): number | undefined {
  // A member of a jury that was asked in both orders.
  if (trial.member !== undefined && trial.order === undefined) return undefined
  const decision = verdict?.decision
  if (decision === 'A=B') return 0
  if (decision !== 'A>B' && decision !== 'B>A') return undefined
  return (decision === 'A>B') === (trial.order !== 'BA') ? 1 : 2
}

/** The trials of an item; none of one that failed, which is in no share. */
const countedTrials = ({ judged, trials }: JudgedItem): readonly TrialVerdict[] =>
  judged === undefined ? NONE : trials

const NONE: readonly never[] = []

/** A function of an item's trials that is called once for all items that share them. */
function ofTrials<T>(of: (trials: readonly TrialVerdict[]) => T): (item: JudgedItem) => T {
  const known = new WeakMap<readonly TrialVerdict[], T>()
  return (item) => {
    const trials = countedTrials(item)
    let found = known.get(trials)
    if (found === undefined) known.set(trials, (found = of(trials)))
    return found
  }
}

/** The games of an item: their order, and the slot that won. */
const gamesIn = ofTrials((trials) =>
  trials.flatMap((one) => {
    const slot = slotOf(one)
    return slot === undefined ? [] : [[one.trial.order ?? '', slot] as const]
  }),
)

/** What was said of A in each order; undefined for one without a decision. */
const votesOf = ofTrials((trials) => [votes(trials, false), votes(trials, true)] as const)

/** How often the answer shown first wins. Only games in both orders, or in a random one, tell position from merit. */
export const positionBias: Section = ({ items }, options) => {
  const clusters = clustersOf(items, options, (item) => sampledQuestions(item).length > 0)
  // Was it the first slot: in decisive games, and on items where both games chose the same slot, each one observation.
  const [games, same] = [new Share(clusters), new Share(clustersOf(items, options))]
  const orders = new Set<string>()
  for (const [i, item] of items.entries())
    for (const [order, slot] of gamesIn(item)) {
      orders.add(order)
      if (slot) games.add(slot === 1, i)
    }
  let [checked, inconsistent, oneTie] = [0, 0, 0]
  for (const [i, item] of items.entries()) {
    const [ab, ba] = votesOf(item)
    if (ab === undefined || ba === undefined) continue
    checked++
    if (ab !== ba) inconsistent++
    if ((ab === 0) !== (ba === 0)) oneTie++
    if (ab === -ba && ab !== 0) same.add(ab > 0, i)
  }
  if (games.n === 0 && checked === 0) return undefined
  return {
    decisive: games.n,
    ...clusterCount(clusters),
    first: games.count,
    first_share: games.value,
    ci: games.interval(options.ci),
    p: games.test(),
    checked,
    inconsistent,
    consistency: share(checked - inconsistent, checked),
    same_slot: same.n,
    same_slot_first: same.count,
    same_slot_p: same.test(),
    tie_in_one_order: oneTie,
    ...(orders.size < 2 && {
      reason: 'all games were shown in one order: position and merit cannot be told apart',
    }),
  }
}

/** What the samples of one order say of A: 1, 0 (a tie) or −1; undefined if none has a decision. */
function votes(trials: readonly TrialVerdict[], turned: boolean): number | undefined {
  const slots = trials
    .filter(({ trial }) => (trial.order === 'BA') === turned)
    .map(slotOf)
    .filter((slot) => slot !== undefined)
  const forFirst = slots.reduce((sum: number, slot) => sum + [0, 1, -1][slot]!, 0)
  return slots.length === 0 ? undefined : Math.sign(turned ? -forFirst : forFirst)
}

/** A's share of the win, by decision. */
const OUTCOMES: ReadonlyMap<unknown, number> = new Map([
  ['A>B', 1],
  ['B>A', 0],
  ['A=B', 0.5],
])

/** The share of A where an answer won; undefined for a tie, and for labels that are no decision. */
const winOf = (label: unknown) => (label === 'A>B' ? true : label === 'B>A' ? false : undefined)

/** How often the judge, and people, chose the longer answer. */
export function longerChoices({ items }: Pick<AuditedJudge, 'items'>): LongerChoices {
  const labelled = { both: 0, judge: 0, people: 0, neither: 0 }
  let [longer, decisive] = [0, 0]
  for (const item of items) {
    const won = winOf(item.judged)
    if (!item.longer || won === undefined) continue
    const chosen = won === item.longer > 0
    decisive++
    if (chosen) longer++
    const right = winOf(truthOf(item))
    if (right === undefined) continue
    const wanted = right === item.longer > 0
    labelled[chosen ? (wanted ? 'both' : 'judge') : wanted ? 'people' : 'neither']++
  }
  return { longer, decisive, labelled }
}

/** Whether the longer answer wins. */
export const lengths: Section = ({ items }, options) => {
  const used = items.filter(({ longer, judged }) => longer !== undefined && OUTCOMES.has(judged))
  if (used.length === 0) return undefined
  const clusters = clustersOf(used, options)
  const bias = lengthBias(
    used.map(({ longer }) => longer!),
    used.map(({ judged }) => OUTCOMES.get(judged)!),
    options.ci,
    clusters,
  )
  const { n, decisiveUnequal, longerWon, sd, fit, reason } = bias
  const longer = new Share(clusters)
  for (const [i, { longer: by, judged }] of used.entries())
    if (by !== 0 && judged !== 'A=B') longer.add(by! > 0 === (judged === 'A>B'), i)
  return {
    n,
    ...clusterCount(clusters),
    decisive_unequal: decisiveUnequal,
    longer_won: longerWon,
    longer_share: longer.value,
    ci: longer.interval(options.ci),
    longer_p: longer.test(),
    ...besidePeople(used, clusters),
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

/** Of items that people decided, too: how often the judge, and people, chose the longer answer, and p of no difference. */
function besidePeople(items: JudgedItems, clusters: readonly string[] | undefined) {
  const { both, judge, people, neither } = longerChoices({ items }).labelled
  const known = both + judge + people + neither
  if (known === 0) return {}
  const differences: number[] = []
  const of: string[] = []
  for (const [i, item] of items.entries()) {
    const [said, right] = [winOf(item.judged), winOf(truthOf(item))]
    if (!item.longer || said === undefined || right === undefined) continue
    differences.push(Number(said === item.longer > 0) - Number(right === item.longer > 0))
    if (clusters) of.push(clusters[i]!)
  }
  return {
    judge_share: (both + judge) / known,
    people_share: (both + people) / known,
    people_p: clusters
      ? meanFigures(differences, of, 0.95).p
      : mcnemarMidP({ both, onlyA: judge, onlyB: people, neither }),
  }
}

/** Whether all samples of a question give the same verdict. */
export const consistency: Section = ({ items }, options) => {
  const same = new Share(clustersOf(items, options, (item) => sampledQuestions(item).length > 1))
  for (const [i, item] of items.entries())
    for (const labels of sampledQuestions(item))
      same.add(
        labels.every((one) => one === labels[0]),
        i,
      )
  return same.n === 0 ? undefined : same.figures('questions', 'same', options.ci)
}

/** What the samples of each question of an item said, of those that were asked several times. */
const sampledQuestions = ofTrials((trials): unknown[][] => {
  const questions = new Map<string, unknown[]>()
  for (const { trial, verdict } of trials) {
    if (!verdict) continue
    const key = JSON.stringify([trial.order, trial.criterion, trial.pair, trial.nugget])
    const best = verdict.winner ?? verdict.ranking?.[0]
    append(questions, key, verdict.decision ?? verdict.option ?? verdict.score ?? best)
  }
  return [...questions.values()].filter((labels) => labels.length > 1)
})

/** Agreement with the majority of the other judges in the stream. */
export const majority: Section = (judge, options, votes) => {
  if (votes.judges < 3) return undefined
  const most = votes.ofOthers(judge)
  const same = new Share(clustersOf(judge.items, options))
  for (const [i, one] of judge.items.entries()) {
    const theirs = most(one)
    if (one.judged !== undefined && theirs !== undefined) same.add(one.judged === theirs, i)
  }
  return same.n === 0 ? undefined : { judges: votes.judges - 1, ...same.figures('items', 'same', options.ci) }
}

/** How the members of a jury agree: of each its first vote of an item, also where the jury has no verdict. */
export const jury: Section = ({ items }) => {
  const titles = new Set<string>()
  for (const { trials } of items)
    for (const { trial } of trials) if (trial.member !== undefined) titles.add(trial.member)
  if (titles.size === 0) return undefined
  const members = [...titles].sort()
  const units = items.map(({ trials }) =>
    members.map((title) => verdictValue(trials.find(({ trial }) => trial.member === title)?.verdict)),
  )
  const areGrades = units.every((unit) => unit.every((one) => typeof one !== 'string'))
  const { items: both, alpha, members: each } = juryAgreement(members, units, areGrades)
  const identical = identicalMembers(members, units)
  return {
    members: members.length,
    items: both,
    [areGrades ? 'alpha_interval' : 'alpha']: alpha,
    ...(identical.length > 0 && { identical }),
    each,
  }
}

/** Sets of members that said the same of every item, of several labels: they are one judge under several names. */
function identicalMembers(members: readonly string[], units: readonly (readonly (Label | null)[])[]) {
  const said = grouped(members.keys(), (place) => JSON.stringify(units.map((unit) => unit[place])))
  const several = [...said.values()].filter(
    (places) =>
      places.length > 1 &&
      units.length >= ALL_THE_SAME &&
      new Set(units.map((unit) => unit[places[0]!])).size > 1,
  )
  return several.map((places) => places.map((place) => members[place]!))
}

/** Cyclic triads of models. A model beats another if it wins more of their battles. */
export const triads: Section = ({ items }) => {
  const wins = new Map<string, number>()
  const met = new Set<string>()
  for (const { models, judged } of items) {
    if (!models || models[0] === models[1] || !OUTCOMES.has(judged)) continue
    for (const name of models) met.add(name)
    if (judged !== 'A=B') count(wins, JSON.stringify(judged === 'A>B' ? models : [models[1], models[0]]))
  }
  const names = [...met].sort()
  if (names.length < 3) return undefined
  const over = (x: number, y: number) => wins.get(JSON.stringify([names[x], names[y]])) ?? 0
  const beats: [number, number][] = []
  for (let x = 0; x < names.length; x++)
    for (let y = 0; y < names.length; y++) if (over(x, y) > over(y, x)) beats.push([x, y])
  const { cyclic, triads: all, zeta } = transitivity(names.length, beats)
  return { models: names.length, triads: all, cyclic, zeta }
}

/** By kind of probe: how often a change that should not matter moved the verdict, and how often toward the changed answer. */
export const probes: Section = ({ items }, options) => {
  const changed = items.filter(({ probe }) => probe && probe.expect === undefined)
  if (changed.length === 0) return undefined
  const plain = new Map(items.filter(({ probe }) => !probe).map((one) => [subjectKey(one), one]))
  const kinds = new Map<string, { before: JudgedItem; after: JudgedItem }[]>()
  for (const after of changed) {
    const { id: _, models, criterion, probe } = after
    const before = plain.get(subjectKey({ id: probe!.of, models, criterion }))
    if (after.judged !== undefined && before?.judged !== undefined)
      append(kinds, probe!.kind, { before, after })
  }
  if (kinds.size === 0) return undefined
  return Object.fromEntries(
    byKey(kinds).map(([kind, of]) => {
      const clusters = clustersOf(
        of.map(({ after }) => after),
        options,
      )
      const moved = new Share(clusters)
      for (const [i, { before, after }] of of.entries()) moved.add(after.judged !== before.judged, i)
      const toward = of.filter(({ before, after }) => {
        const [x, y] = [before, after].map((one) => favour(one, after.probe!.answer))
        return x !== undefined && y !== undefined && y > x
      }).length
      return [kind, { ...moved.figures('items', 'moved', options.ci), toward_changed: toward }]
    }),
  )
}

/** How good a verdict is for the changed answer: the grade, the option's score, or the answer's share of the win. */
function favour({ judged, score }: JudgedItem, answer: number | undefined): number | undefined {
  if (typeof judged === 'number') return judged
  if (score !== undefined || answer === undefined) return score
  const share = OUTCOMES.get(judged)
  if (share !== undefined) return answer === 0 ? share : 1 - share
  // Of more than two answers the verdict is the index of the best.
  return judged === String(answer) ? 1 : judged === 'tie' ? 0.5 : 0
}
