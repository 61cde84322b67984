/**
 * Rule `label`: reads a word that means a decision, an option or a winner.
 *
 * ```yaml
 * verdict:
 *   rule: label
 *   pattern: '\[\[([AB<>=]+)\]\]'   # the first group is the label, or the whole match; or
 *   patterns: [...]                 # several, the closing statement first: the first that matches decides
 *   flags: i                        # i: any case, m: ^ and $ at line ends
 *   pick: last                      # which match counts: last (a conflict if its line has another), first, or only (none if they differ)
 *   first: true                     # the verdict comes first: the first match counts, also in a reply cut short after it
 *   labels: { 'A>>B': A>B, 'A>B': A>B }   # the meaning of each label; without them the label is the option
 *   labels: { good: 1, bad: 0 }     # kind choice: the labels are the options, and these their scores
 *   fold: true                      # labels in any case
 *   strong: ['A>>B', 'B>>A']        # labels of strength 2
 *   weighted: true                  # two answers: `preference`, the probability that the second is named (logprobs);
 *                                   # the decision is that of the likelier label
 * ```
 * With log probabilities of other tokens (logprobs) the verdict has its `confidence`, and `probabilities` of each meaning; rules `number` and
 * `option` likewise.
 */
import { yesNo } from '../criteria/_yes_no.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { configError, type Verdict } from '../rows/record.ts'
import { formOf } from './_form.ts'
import { FORM } from './_keys.ts'
import { confidenceIn, logprobPreference, logprobsIn, sharesOf } from './_logprobs.ts'
import { numberAt } from './_numbers.ts'
import type { Rule } from './_rule.ts'

export const picks = true

export const kinds = ['pairwise', 'listwise', 'grade', 'choice'] as const

/** The keys of its `verdict`. */
export const keys = [...FORM, 'fold', 'labels', 'strong', 'weighted']

export const rule: Rule = (config, judge) => {
  const labels = labelsOf(config, judge)
  const scores = judge.kind === 'choice' ? scoresOf(config) : undefined
  const strong = strongOf(config, labels, judge)
  const weighted = config.weighted === true
  const find = formOf(config, judge, {
    what: config.labels
      ? `one of ${Object.keys(config.labels as object).join(', ')}`
      : String(config.pattern ?? (config.patterns as string[] | undefined)?.join(', ')),
    meaningOf: ({ text }) => (labels ? labels.get(folded(text, config)) : text.trim()),
    token: weighted,
  })
  return (reply, context) => {
    const { text: label, value, within, index } = find(reply, context)
    const { trial } = context
    const logprobs = logprobsIn(context)
    const preference = weighted ? logprobPreference(label, within, logprobs, labels!) : undefined
    const verdict: Verdict = {
      label,
      ...verdictOf(judge, value, scores),
      ...(strong.size > 0 && { strength: strong.has(folded(label, config)) ? 2 : 1 }),
      ...(preference !== undefined ? preferring(preference) : weighted && { unweighted: true }),
    }
    if (logprobs === undefined) return verdict
    const place = { text: label, index: weighted ? within.lastIndexOf(label) : index }
    const shares = sharesOf(place, within, logprobs, (candidate) => {
      const said = candidate.trim()
      return labels ? labels.get(folded(said, config)) : trial?.options?.includes(said) ? said : undefined
    })
    const chosen = preference === undefined ? value : String(verdict.decision)
    return { ...verdict, ...confidenceIn(shares, chosen) }
  }
}

/** The second answer's share, and the decision that follows from it. */
const preferring = (preference: number): Partial<Verdict> => ({
  decision: preference > 0.5 ? 'B>A' : preference < 0.5 ? 'A>B' : 'A=B',
  preference,
})

const folded = (label: string, { fold }: VerdictConfig) => (fold ? label.trim().toLowerCase() : label)

/** The meaning of each label; undefined if a label is the option itself. @throws Fatal (configuration) */
function labelsOf(config: VerdictConfig, { kind, where }: Judge): Map<string, string> | undefined {
  const { labels } = config
  if (labels === undefined && kind !== 'pairwise') return undefined
  if (labels === undefined) throw configError(`${where}: verdict.labels must map each label to what it means`)
  const isOption = (value: unknown) => kind === 'choice' && typeof value === 'number'
  const pairs = Object.entries(labels as object).map(
    ([label, value]) => [folded(label, config), isOption(value) ? label : String(value)] as const,
  )
  for (const [label, value] of kind === 'pairwise' ? pairs : [])
    if (!['A>B', 'B>A', 'A=B'].includes(value))
      throw configError(`${where}: verdict.labels["${label}"] is "${value}", expected A>B, B>A or A=B`)
  const meanings = new Set(pairs.map(([, value]) => value))
  if (pairs.length > 1 && meanings.size === 1)
    throw configError(`${where}: verdict.labels: all of them mean ${[...meanings][0]}`)
  return new Map(pairs)
}

/** The labels of strength 2. @throws Fatal (configuration) for one that is not a label */
function strongOf(
  config: VerdictConfig,
  labels: Map<string, string> | undefined,
  { where }: Judge,
): Set<string> {
  const strong = ((config.strong as unknown[] | undefined) ?? []).map((label) =>
    folded(String(label), config),
  )
  const other = strong.find((label) => labels && !labels.has(label))
  if (labels && other !== undefined)
    throw configError(
      `${where}: verdict.strong: "${other}" is not one of the labels (${[...labels.keys()].join(', ')})`,
    )
  return new Set(strong)
}

/** The scores of labels that are options, by label. */
const scoresOf = ({ labels = {} }: VerdictConfig) =>
  new Map(
    Object.entries(labels as object).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  )

/** What a label's meaning is in a verdict of this kind. */
function verdictOf(
  { kind }: Judge,
  value: string,
  scores: ReadonlyMap<string, number> | undefined,
): Partial<Verdict> {
  switch (kind) {
    case 'pairwise':
      return { decision: value as Verdict['decision'] }
    case 'listwise':
      return { winner: value === 'tie' ? 'tie' : numberAt('label', value) }
    case 'grade':
      return { score: yesNo(value) ?? numberAt('label', value) }
    default: {
      const score = scores?.get(value)
      return { option: value, ...(score !== undefined && { score }) }
    }
  }
}
