/** What a card comes to: a line a section in words, each with the threshold that it goes by, and what the judge is good for. */
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { unlikeLabels } from '../../scoring/warnings.ts'
import type { LabelDifference } from '../../statistics/label_sample.ts'
import { faultsLine } from './faults.ts'
import { isBeyond, isBiased } from './tests.ts'
import { type Measured, USABLE, useOf } from './use.ts'

/** From this κ on, agreement is slight, moderate, good, very good. */
const BANDS = [
  [0.8, 'very good'],
  [0.6, 'good'],
  [0.4, 'moderate'],
  [0.2, 'slight'],
] as const

/** A share this far from a half is a strong bias. */
const STRONG = 0.15

/** Samples, and verdicts on changed items, should be the same in this share. */
const STABLE = 0.9

type Figures = Record<string, Json | undefined>
type Interval = [number, number]

/** A section's line; undefined where it says nothing. */
const LINES: Record<string, (figures: Figures, level: number) => string | undefined> = {
  agreement(figures) {
    const { name, value, interval } = chanceAgreement(figures)
    const seen = figures.positive === undefined ? '' : `${seenWords(figures)}; `
    const share = `as people on ${percent(figures.po)} of ${figures.items} items`
    if (value === null) return `${seen}${share}; whether that is beyond chance cannot be measured`
    const [band, limits] = bandOf(value, interval)
    const range = interval ? ` (${interval.map(amount).join(' to ')})` : ''
    const alone = value < USABLE ? ': do not use it alone' : ''
    return `${seen}${name} ${amount(value)}${range}, ${band} (${limits}); ${share}${alone}`
  },
  annotators({ people, alternative_annotator: test }) {
    const { alpha, ac1 } = people as Figures
    const theirs = number(alpha) ?? number(ac1)
    const among = theirs === null ? '' : `people agree with each other at α ${amount(theirs)}; `
    const { passed, winning_rate, reason } = test as Figures
    if (reason !== undefined) return `${among}whether it may take the place of one cannot be told: ${reason}`
    const rate = `holds against ${percent(winning_rate)} of them`
    return passed
      ? `${among}it may take the place of one (${rate}, a half is enough)`
      : `${among}it may not take the place of one (${rate}, a half is needed)`
  },
  calibration({ says, p, n, stated, right, ece, ece_by_chance, overconfidence, overconfidence_ci, reason }) {
    if (reason !== undefined) return `unknown: ${reason}`
    const seen = `${percent(stated)} stated, ${percent(right)} right of ${n}`
    if (says === 'fits')
      return `no sign that confidences are wrong: ${seen} (ECE ${amount(ece)}; ${amount(ece_by_chance)} by chance)`
    if (says === 'off') return `confidences do not fit (${pWords(p)}), though right on average: see the bins`
    if (says !== 'too sure' && says !== 'not sure enough') return undefined
    const sign = says === 'too sure' ? 1 : -1
    const range = (overconfidence_ci as Interval).map((one) => 100 * sign * one).sort((x, y) => x - y)
    const by = points(sign * number(overconfidence)!)
    const [low, high] = range.map((one) => one.toFixed(0))
    return `${says} by ${by} (${low} to ${high}): ${seen} items${number(p) === null ? '' : ` (${pWords(p)})`}`
  },
  corrected({ judge_all, judge_only, estimate, ci, reason, unlike }) {
    const warning = unlikeLabels(unlike as LabelDifference | undefined)
    if (warning) return `what people would say of all items is not known: ${warning.sentence}`
    if (number(estimate) === null) return reason === undefined ? undefined : String(reason)
    const range = Array.isArray(ci) ? ` (${ci.map(amount).join(' to ')})` : ''
    return `people’s mean would be ${amount(estimate)}${range}, the judge’s is ${amount(judge_all ?? judge_only)}`
  },
  drift({ sentence, reason, share_moved, items, ci }) {
    if (number(share_moved) === null) return String(reason)
    const moved = `${percent(share_moved)} of ${items} verdicts are other than before`
    if (sentence === undefined) return moved
    return `${sentence}; ${moved}${isBeyond(ci, 0) ? ': label anew before you compare figures of both' : ''}`
  },
  watch: ({ sentence }) => String(sentence),
  bridge: ({ sentence }) => String(sentence),
  self_preference(figures, level) {
    const { own, items, difference, ci, reason } = figures
    if (items === 0) return String(reason)
    const way = number(difference)! > 0 ? 'favours' : 'disfavours'
    return isBiased('self_preference', figures, level)
      ? `${way} ${own} by ${points(Math.abs(number(difference)!))} (0 is none): take another judge for it`
      : `no preference for ${own} beyond chance (${(ci as Interval | null)?.map((one) => points(one)).join(' to ') ?? 'no interval'}${severalTests(figures, 'self_preference', level)})`
  },
  position(figures, level) {
    const { first_share, inconsistent, checked, reason } = figures
    if (reason !== undefined) return `unknown: ${reason}: ask both orders`
    const share = number(first_share)
    if (share === null) return undefined
    const both = number(checked)
      ? `; ${percent(number(inconsistent)! / number(checked)!)} of items change with the order`
      : ''
    const seen = `${percent(share)} first slot, half is none${severalTests(figures, 'position', level)}`
    if (!isBiased('position', figures, level)) return `no bias beyond chance (${seen})${both}`
    const strength = Math.abs(share - 0.5) >= STRONG ? 'strong bias' : 'bias'
    return `${strength} (${seen})${both}: count both orders of an item together`
  },
  length(figures, level) {
    const { longer_share, judge_share, people_share } = figures
    const share = number(longer_share)
    if (share === null) return undefined
    if (number(people_share) !== null) {
      const seen = `the longer answer in ${percent(judge_share)} of labelled items, people in ${percent(people_share)}${severalTests(figures, 'length', level)}`
      if (!isBiased('length', figures, level))
        return `no other preference than people’s beyond chance (${seen})`
      const way = number(judge_share)! > number(people_share)! ? 'longer' : 'shorter'
      return `chooses the ${way} answer more often than people (${seen})`
    }
    const seen = `the longer answer in ${percent(share)} of decisive items, half is none${severalTests(figures, 'length', level)}`
    if (!isBiased('length', figures, level)) return `no preference beyond chance (${seen})`
    const way = share > 0.5 ? 'longer' : 'shorter'
    return `chooses the ${way} answer more often (${seen}): with people’s labels it can be told whether that is bias`
  },
  consistency({ share, questions }) {
    const words = `${percent(share)} of ${questions} questions have the same verdict in all samples`
    return number(share)! >= STABLE ? words : `${words} (below ${percent(STABLE)}): take several samples`
  },
  majority({ share, judges }) {
    return `as most of ${judges} other judges on ${percent(share)} of items`
  },
  jury({ alpha, alpha_interval, members, items, identical }) {
    const value = number(alpha) ?? number(alpha_interval)
    const how = value === null ? 'whether they agree cannot be measured' : `they agree at α ${amount(value)}`
    const same = ((identical ?? []) as string[][]).map((names) => names.join(' and '))
    const told =
      same.length === 0 ? '' : `; ${same.join('; ')} said the same of every item: they are one vote`
    return `${members} members, ${items} items with several verdicts: ${how}${told}`
  },
  transitivity({ cyclic, triads }) {
    return number(cyclic) === 0
      ? 'no three models beat each other in turn'
      : `${cyclic} of ${triads} times three models beat each other in turn: its ranking is not one line`
  },
  probes(figures) {
    const moved = Object.entries(figures).filter(
      ([, of]) => isObject(of) && (number(of.share) ?? 0) > 1 - STABLE,
    )
    if (moved.length === 0)
      return `changes that should not matter moved at most ${percent(1 - STABLE)} of verdicts`
    const words = moved.map(([kind, of]) => `${kind} moved ${percent((of as Figures).share)}`)
    return `${words.join(', ')} of verdicts (above ${percent(1 - STABLE)})`
  },
  faults: faultsLine,
}

/** @param sections of one card, as printed @param all how many items it has @param level that of its intervals */
export function conclusionOf(sections: readonly JsonObject[], all: number, level: number): JsonObject {
  const lines = sections.flatMap(({ section, judge: _, by: __, group: ___, ...figures }) => {
    const line = LINES[String(section)]?.(figures, level)
    return line === undefined ? [] : [[String(section), line] as const]
  })
  const measured = measuredIn(sections, all, level)
  const use = measured ? useOf(measured) : 'unknown without people’s labels of some items (--truth)'
  return { ...Object.fromEntries(lines), use }
}

/** What the sections say of the judge's use; undefined without people's labels. */
function measuredIn(sections: readonly JsonObject[], all: number, level: number): Measured | undefined {
  const find = (name: string): Figures | undefined => sections.find(({ section }) => section === name)
  const agreement = find('agreement')
  if (!agreement) return undefined
  const { value, interval } = chanceAgreement(agreement)
  const [test, position, corrected] = ['annotators', 'position', 'corrected'].map(find)
  return {
    items: Number(agreement.items),
    all,
    failed: Number(agreement.failed),
    people: agreement.people_commonest as unknown as Measured['people'],
    judge: agreement.judge_commonest as unknown as Measured['judge'],
    kappa: value,
    interval,
    unlike: corrected?.unlike !== undefined,
    corrected: corrected !== undefined,
    replaces: (test?.alternative_annotator as JsonObject | undefined)?.passed === true,
    slot:
      position !== undefined &&
      isBiased('position', position, level) &&
      Math.abs(number(position.first_share)! - 0.5) >= STRONG,
  }
}

/** κ, of grades that of quadratic weights. */
function chanceAgreement(figures: Figures) {
  const isGraded = number(figures.kappa_quadratic) !== null && figures.positive === undefined
  const key = isGraded ? 'kappa_quadratic' : 'kappa'
  return {
    name: isGraded ? 'weighted κ' : 'κ',
    value: number(figures[key]),
    interval: (figures[`${key}_ci`] ?? null) as Interval | null,
  }
}

/** Of both labels of a binary judge. */
function seenWords(figures: Figures): string {
  const words = (name: string, key: string, label: Json | undefined, items: Json | undefined) =>
    items === 0
      ? `${name} unknown: no item is labelled ${label}`
      : `${name} ${percent(figures[key])} (${percents(figures[`${key}_ci`])}, ${items} labelled ${label})`
  const { positive, positives, negative, negatives } = figures
  return [
    words('sensitivity (TPR)', 'sensitivity', positive, positives),
    words('specificity (TNR)', 'specificity', negative, negatives),
  ].join(', ')
}

/** An interval of a share. */
const percents = (interval: Json | undefined) =>
  Array.isArray(interval)
    ? `${interval.map((one) => (100 * Number(one)).toFixed(0)).join(' to ')} %`
    : 'no interval'

function bandOf(value: number, interval: Interval | null): [band: string, limits: string] {
  if (interval && interval[1] < 0) return ['worse than chance', 'below 0']
  if (interval && interval[0] <= 0) return ['not better than chance', 'the interval holds 0']
  const at = BANDS.findIndex(([from]) => value >= from)
  if (at < 0) return ['poor', 'below 0.2']
  const [from, band] = BANDS[at]!
  return [band, at === 0 ? `${from} and more` : `${from} to ${BANDS[at - 1]![0]}`]
}

const number = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null)
const pWords = (p: Json | undefined) =>
  Number(p) < 0.001 ? 'p below 0.001' : `p ${Number(p).toFixed(3).replace(/0$/, '')}`
/** p among all tests of biases, where alone it would be a finding. */
const severalTests = (figures: Figures, section: string, level: number) => {
  const { p_holm, ...alone } = figures
  return isBiased(section, alone, level) && !isBiased(section, figures, level)
    ? `; ${pWords(p_holm)} among all tests of biases`
    : ''
}
const percent = (share: Json | undefined) => `${(100 * Number(share)).toFixed(0)} %`
const points = (share: number) => `${(100 * share).toFixed(0)} points`
const amount = (value: Json | undefined) => Number(value).toFixed(2)
