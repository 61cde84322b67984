/**
 * Rule `label`: reads a word that means a decision, an option or a winner.
 *
 * ```yaml
 * verdict:
 *   rule: label
 *   pattern: '\[\[([AB<>=]+)\]\]'   # or patterns: [...], tried in order; the first group is the label, or the whole
 *   flags: i                        # i: any case, m: ^ and $ at line ends
 *   after: 'final decision is '     # read only what follows the last of these words
 *   line: first                     # read only the first (last) line that is not blank
 *   strip: true                     # take white space off both ends of the reply and of what is read, as Python does
 *   pick: last                      # last, first, or only (two different labels are a conflict)
 *   fold: true                      # labels in any case
 *   labels: { 'A>>B': A>B, 'A>B': A>B }   # "*" stands for any other label
 *   distinct: label                 # with pick only: two labels of one meaning are a conflict, too
 *   replace: { '>>': '>' }          # replacements in words that only the label "*" matches
 *   strong: ['A>>B', 'B>>A']        # labels of strength 2
 *   plain: true                     # two answers: a reply without a label is read if it plainly says which is
 *                                   # better (`**B>>A**`, `Assistant B is better.`, `Winner: B`, `It is a tie.`)
 *   weighted: true                  # two answers: `preference`, the probability that the second is named (logprobs);
 *                                   # the decision is that of the likelier label
 * ```
 * Patterns in a user's file are matched in linear time (RE2 syntax), so no reply can stall a run.
 */
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { strip } from '../python/unicode.ts'
import { configError, RowFailure, type Verdict } from '../rows/record.ts'
import { endingLabel, endOf, type Form, formOf } from './_from_end.ts'
import { checkKeys, MATCHING, UNDECIDED } from './_keys.ts'
import { checkOnce, type Found, lastMeant } from './_last_meant.ts'
import { logprobPreference } from './_logprobs.ts'
import { numberAt } from './_numbers.ts'
import { type Groups, groupsOf } from './_pattern.ts'
import { picked } from './_pick.ts'
import { plainChoice } from './_plain_choice.ts'
import { orElse, type Read, type Rule } from './_rule.ts'

const KEYS = [
  ...MATCHING,
  'after',
  'line',
  'strip',
  'replace',
  'fold',
  'labels',
  'strong',
  'distinct',
  'plain',
  'weighted',
]

/** The most verdicts that are cached: a rule that accepts any words may see many labels. */
const LABELS = 64

/** Bytes before a label that may change its meaning, with room for another label. */
const MARGIN = 160

export const picks = true

export const rule: Rule = (config, judge) => {
  checkKeys(config, KEYS, judge, judge.kind === 'pairwise' ? { otherwise: UNDECIDED } : {})
  const labels = labelsOf(config, judge)
  const strong = strongOf(config, labels, judge)
  const find = finderOf(config, judge, labels)
  const verdictOf = verdictMaker(config, judge, strong)

  const read: Read = (whole, { reply }) => {
    const text = part(whole, config)
    const found = find(text)
    if (found) {
      const preference =
        config.weighted === true ? logprobPreference(found.label, text, reply, labels) : undefined
      return preference === undefined ? verdictOf(found) : { ...verdictOf(found), ...preferring(preference) }
    }
    const plain = config.plain === true ? plainChoice(text, labels) : undefined
    if (!plain) throw new RowFailure('no_verdict', `looked for ${describe(config)}, and found none`)
    const strength = strong.size > 0 && { strength: plain.strong ? 2 : 1 }
    return { label: plain.label.trim(), decision: plain.decision, ...strength }
  }

  const form = judge.kind === 'pairwise' ? formOf(config) : undefined
  if (form) read.raw = rawReader(form, config, labels, find, verdictOf)
  if (!('otherwise' in config)) return read
  // The original's value for an unreadable reply is recorded, but counts as a failure.
  const otherwise = config.otherwise as string
  return orElse(read, ({ code }) => ({ label: null, ...meaning(judge, otherwise), failure: code }) as Verdict)
}

type Find = (text: string) => Found | undefined

/** Reads the label from the end of a reply's JSON text. */
function rawReader(
  form: Form,
  { fold }: VerdictConfig,
  labels: ReadonlyMap<string, string>,
  find: Find,
  verdictOf: (found: Found) => Verdict,
): (json: string) => Verdict | undefined {
  const ending = endingLabel(form)
  return (json) => {
    const label = fold ? '' : ending(json)
    const value = label && labels.get(label)
    if (value) return verdictOf({ label, value, whole: label })
    const end = endOf(json)
    try {
      // Text before a label may change its meaning: for a label near the cut, the whole reply is read.
      if (end === undefined || (end.length < json.length && !find(end.slice(MARGIN)))) return undefined
      const found = find(end)
      return found && verdictOf(found)
    } catch {
      // The whole reply decides.
      return undefined
    }
  }
}

/** The second answer's share, and the decision that follows from it. */
const preferring = (preference: number): Partial<Verdict> => ({
  decision: preference > 0.5 ? 'B>A' : preference < 0.5 ? 'A>B' : 'A=B',
  preference,
})

/** Finds the label that counts; the first pattern that finds one decides. */
function finderOf(config: VerdictConfig, judge: Judge, labels: ReadonlyMap<string, string>): Find {
  const patterns = ((config.patterns as string[] | undefined) ?? [config.pattern as string]).map((source) =>
    groupsOf(source, String(config.flags ?? ''), judge),
  )
  /** The meaning of words that are not labels; "*": the words themselves. */
  const other = labels.get('*') === '' ? '*' : labels.get('*')
  const pick = config.pick ?? 'last'
  const keyOf = ({ label, value }: Found) => (config.distinct === 'label' ? label : value)
  const meant = config.plain === true || (judge.builtin && judge.kind === 'listwise')
  const replacements = Object.entries((config.replace as Record<string, string> | undefined) ?? {})
  const replaced = (label: string) =>
    replacements.reduce((text, [from, to]) => text.replaceAll(from, () => to), label)

  /** All labels that one pattern finds, in order. */
  const findAll = (match: (text: string) => Groups[], text: string): Found[] => {
    const found: Found[] = []
    for (const groups of match(text)) {
      // The first group that matched, else the whole match.
      const raw = groups.find((group, i) => i > 0 && group !== undefined) ?? groups[0]!
      const label = folded(raw, config)
      const value = labels.get(label) ?? (other === '*' ? replaced(raw) : other)
      if (value !== undefined) found.push({ label: raw, value, whole: groups[0]! })
    }
    return found
  }

  return (text) => {
    for (const match of patterns) {
      const found = findAll(match, text)
      if (found.length === 0) continue
      if (!meant || pick !== 'last') return picked(found, pick, 'verdicts', keyOf)
      const last = lastMeant(found, text)
      checkOnce(last, text, labels)
      return last
    }
    return undefined
  }
}

/** Makes verdicts from labels, each once: there are few labels. */
function verdictMaker(
  config: VerdictConfig,
  judge: Judge,
  strong: ReadonlySet<string>,
): (found: Found) => Verdict {
  const made = new Map<string, Verdict>()
  return ({ label, value }) => {
    const known = made.get(label)
    if (known) return known
    const strength = strong.size > 0 && { strength: strong.has(folded(label, config)) ? 2 : 1 }
    const verdict = Object.freeze({ label, ...meaning(judge, value), ...strength })
    if (made.size < LABELS) made.set(label, verdict)
    return verdict
  }
}

function labelsOf(config: VerdictConfig, judge: Judge): Map<string, string> {
  const { labels, fold } = config
  if (labels === undefined && judge.kind !== 'pairwise') return new Map([['*', '']])
  if (labels === undefined)
    throw configError(`${judge.where}: verdict.labels must map each label to what it means`)
  const map = new Map(
    Object.entries(labels as object).map(([label, value]) => [
      fold ? label.toLowerCase() : label,
      String(value),
    ]),
  )
  // With --compat an original may take any word as its verdict.
  const any = (label: string, value: string) => judge.compat && label === '*' && value === '*'
  if (judge.kind === 'pairwise')
    for (const [label, value] of map)
      if (!any(label, value) && !['A>B', 'B>A', 'A=B'].includes(value))
        throw configError(
          `${judge.where}: verdict.labels["${label}"] is "${value}", expected A>B, B>A or A=B`,
        )
  return map
}

/** The labels of strength 2. @throws Fatal (configuration) for one that is not a label */
function strongOf(config: VerdictConfig, labels: Map<string, string>, judge: Judge): Set<string> {
  const given = (config.strong as unknown[] | undefined) ?? []
  const strong = given.map((label) => folded(String(label), config))
  const at = labels.has('*') ? -1 : strong.findIndex((label) => !labels.has(label))
  if (at >= 0)
    throw configError(
      `${judge.where}: verdict.strong: "${given[at]}" is not one of the labels (${[...labels.keys()].join(', ')})`,
    )
  return new Set(strong)
}

const folded = (label: string, { fold }: VerdictConfig) => (fold ? label.trim().toLowerCase() : label)

/** The part of the reply that `after`, `strip` and `line` choose. */
function part(text: string, config: VerdictConfig): string {
  let read = config.strip ? strip(text) : text
  if (typeof config.after === 'string') {
    const at = read.lastIndexOf(config.after)
    if (at < 0) return ''
    read = read.slice(at + config.after.length)
  }
  if (config.strip) read = strip(read)
  if (config.line === undefined) return read
  const lines = (config.strip ? read : read.trim()).split('\n')
  return lines.at(config.line === 'first' ? 0 : -1)!
}

function meaning(judge: Judge, value: string): Partial<Verdict> {
  switch (judge.kind) {
    case 'pairwise':
      return { decision: value as Verdict['decision'] }
    case 'listwise':
      return { winner: value === 'tie' ? 'tie' : numberAt('label', value) }
    case 'grade':
      return { score: numberAt('label', value) }
    case 'list':
      return { items: [value] }
    default:
      return { option: value }
  }
}

const describe = (config: VerdictConfig) =>
  config.after
    ? `words after "${config.after}"`
    : config.labels
      ? `one of ${Object.keys(config.labels as object).join(', ')}`
      : String(config.pattern)
