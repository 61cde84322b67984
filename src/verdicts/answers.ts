/**
 * Rule `answers`: the answers to a judge's typed `questions`: a decision model's probabilities, or the JSON object that any
 * other model writes.
 *
 * ```yaml
 * verdict:
 *   rule: answers
 *   labels: { true: pass, false: fail }   # what each value means; without them a pairwise judge has A, B and tie, a
 *                                         # grade its values as numbers (true 1, false 0), a choice its values
 *   options: { pass: 1, fail: 0 }         # kind choice: the score of each option
 * ```
 * Probabilities of values with one meaning add up, and the likeliest meaning counts: of equal ones the first in the file, of A>B and
 * B>A a tie. A score is the mean over its levels. A model that writes says one value, letter for letter, and why (`reason`): such a verdict
 * has probabilities only if the request asked for log probabilities, and the value is one token. A declined question is `refused`.
 */
import type { ValueCheck } from '../judges/_check.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { asksOfEach, statedValues } from '../judges/_questions.ts'
import { type Answers, type Question, questionsIn, valuesOf } from '../rows/questions.ts'
import { configError, isObject, type Json, RowFailure, type Verdict } from '../rows/record.ts'
import { lastObject, valuesIn } from './_json.ts'
import { logprobsIn, sharesOf } from './_logprobs.ts'
import type { ReadContext, Rule } from './_rule.ts'

export const kinds = ['pairwise', 'grade', 'choice'] as const

/** The keys of its `verdict`. */
export const keys = ['labels', 'options']

/** It reads several questions by itself. */
export const windows = true

/** Its verdicts are JSON. */
export const structured = () => true

/** What a value means: a decision or an option, or a grade. */
type Meaning = string | number

/** What is known of an answer: probabilities of its values, or the one that was said. */
type Answer = Record<string, number> | string

const isScores = (value: unknown) =>
  isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(Number.isFinite)

/** Checks of its own. */
export const own: Record<string, ValueCheck> = {
  options: [
    isScores,
    'a mapping of each option to its score',
    { type: 'object', additionalProperties: { type: 'number' }, minProperties: 1 },
  ],
}

export const rule: Rule = (config, judge) => {
  const labels = labelsOf(config, judge)
  checkMeanings(config, judge, labels)
  const scores = isObject(config.options) ? (config.options as Record<string, number>) : {}
  const read = (question: Question, answer: Answer) => verdictOf(judge, question, answer, labels, scores)

  return (text, context) => {
    const asked = context.request?.questions
    const questions = asked === undefined ? ofFile(judge) : questionsIn(asked as Json)
    const given = context.reply?.answers as Answers | undefined
    const each = questions.map((question) => {
      const answer = given ? given[question.name] : saidIn(text, question, context)
      if (answer === null || answer === undefined)
        return new RowFailure('refused', `the model declined to answer "${question.name}"`)
      return answer instanceof RowFailure ? answer : read(question, answer)
    })
    if (each.every((one) => one instanceof RowFailure))
      throw each.find(({ code }) => code === 'refused') ?? each[0]!
    const reason = given ? {} : reasonIn(text)
    if (questions.length === 1 && context.trial?.window === undefined)
      return { ...(each[0] as Verdict), ...reason }
    return {
      label: each.map((one) => (one instanceof RowFailure ? '?' : one.label)).join(' '),
      each: each.map((one) =>
        one instanceof RowFailure ? (one.code === 'refused' ? { error: one.code } : null) : one,
      ),
      ...reason,
    }
  }
}

/** The questions of a judge file, of a row without a request: only what a reply may say is needed of them. */
function ofFile(judge: Judge): Question[] {
  const { questions = {}, where } = judge
  if (asksOfEach(judge))
    throw new RowFailure('missing_field', `no jb.request: it has the questions of ${where} (jb-render)`)
  return Object.entries(questions).map(([name, question]) => {
    const asked = { name, instructions: '' }
    const values = statedValues(question)!.map(([value]) => value)
    if ('predicate' in question) return { type: 'predicate', ...asked }
    if ('choice' in question) return { type: 'choice', ...asked, choices: values.map((value) => ({ value })) }
    return { type: 'score', ...asked, levels: values.map((label) => ({ label })) }
  })
}

/** What the reply's last object says that the answers rest on. */
function reasonIn(text: string): Pick<Verdict, 'reason'> {
  try {
    const found = lastObject(valuesIn(text), 'reason', ({ reason }) => reason, String, undefined)
    const reason = found instanceof RowFailure ? undefined : found.object.reason
    return typeof reason === 'string' ? { reason } : {}
  } catch (error) {
    // Two objects have different ones.
    if (error instanceof RowFailure) return {}
    throw error
  }
}

/**
 * What the reply's last object says of a question: the value, or with log probabilities those of all values; or why it says
 * nothing.
 */
function saidIn(text: string, question: Question, context: ReadContext): Answer | RowFailure {
  const { explain } = context
  const logprobs = logprobsIn(context)
  const values = valuesOf(question).map(([value]) => value)
  const listed = (value: Json) => {
    const said = typeof value === 'boolean' && question.type === 'predicate' ? String(value) : value
    if (typeof said === 'string' && values.includes(said)) return said
    throw new RowFailure(
      'no_verdict',
      `"${question.name}" is ${JSON.stringify(value)}, expected one of ${values.join(', ')}`,
    )
  }
  try {
    const own = (object: Record<string, Json>) =>
      Object.hasOwn(object, question.name) ? object[question.name] : undefined
    const found = lastObject(valuesIn(text), question.name, own, listed, explain)
    if (found instanceof RowFailure) return found
    const shares =
      logprobs === undefined
        ? undefined
        : sharesOf(placeOf(found.meaning, question, text), text, logprobs, (one) =>
            values.includes(one) ? one : undefined,
          )
    return shares ? Object.fromEntries(shares) : found.meaning
  } catch (error) {
    if (error instanceof RowFailure) return error
    throw error
  }
}

/** Where the value stands in the text: behind the last such name. */
function placeOf(value: string, { name }: Question, text: string): { text: string; index: number } {
  const written = JSON.stringify(value).slice(1, -1)
  const before = new RegExp(`"${name}"\\s*:\\s*"?(?=${written.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'g')
  const last = [...text.matchAll(before)].at(-1)
  return { text: written, index: last ? last.index + last[0].length : -1 }
}

const PAIR: Record<string, Meaning> = { A: 'A>B', B: 'B>A', tie: 'A=B' }
const TRUTH: Record<string, Meaning> = { true: 1, false: 0 }

/** What each value means. @throws Fatal (configuration) for a label that the kind does not have */
function labelsOf({ labels }: VerdictConfig, { kind, where }: Judge): Map<string, Meaning> {
  const found = new Map<string, Meaning>()
  for (const [value, means] of Object.entries((labels as Record<string, Json> | undefined) ?? {})) {
    const fits =
      kind === 'grade'
        ? typeof means === 'number'
        : kind === 'choice' || Object.values(PAIR).includes(String(means))
    if (!fits)
      throw configError(
        `${where}: verdict.labels["${value}"] is ${JSON.stringify(means)}, expected ${kind === 'grade' ? 'a number' : 'A>B, B>A or A=B'}`,
      )
    found.set(value, kind === 'grade' ? (means as number) : String(means))
  }
  return found
}

/** @throws RowFailure no_verdict for a value that means nothing */
export function meaningOf(
  value: string,
  judge: Judge,
  labels: ReadonlyMap<string, Meaning> = labelsOf(judge.verdict!, judge),
): Meaning {
  const { kind } = judge
  const own = labels.get(value)
  if (own !== undefined) return own
  if (kind === 'choice') return value
  const known =
    kind === 'pairwise' ? PAIR[value] : (TRUTH[value] ?? (value.trim() === '' ? Number.NaN : Number(value)))
  if (known !== undefined && !Number.isNaN(known)) return known
  throw new RowFailure('no_verdict', `the value "${value}" has no meaning: verdict.labels says what it means`)
}

/**
 * Of the values in the file each has to mean something, and each label and option has to be one.
 * @throws Fatal (configuration)
 */
function checkMeanings(config: VerdictConfig, judge: Judge, labels: ReadonlyMap<string, Meaning>): void {
  const { questions = {}, where, kind } = judge
  const values = new Set<string>()
  for (const [name, question] of Object.entries(questions)) {
    const stated = statedValues(question)
    // Those of a criterion are not known here.
    if (!stated) return
    for (const [value] of stated) {
      values.add(value)
      try {
        meaningOf(value, judge, labels)
      } catch (error) {
        throw configError(`${where}: questions.${name}: ${(error as Error).message}`)
      }
    }
  }
  for (const value of labels.keys())
    if (!values.has(value))
      throw configError(
        `${where}: verdict.labels["${value}"] is no value of a question, expected one of ${[...values].join(', ')}`,
      )
  if (config.options === undefined) return
  if (kind !== 'choice')
    throw configError(`${where}: verdict.options is for judges of kind choice, not ${kind}`)
  const options = [...values].map((value) => meaningOf(value, judge, labels))
  for (const option of Object.keys(config.options as object))
    if (!options.includes(option))
      throw configError(
        `${where}: verdict.options["${option}"] is no option, expected ${[...new Set(options)].join(', ')}`,
      )
}

/** What the values of a question mean, each meaning once. */
export function meaningsOf(question: Question, judge: Judge): Meaning[] {
  const labels = labelsOf(judge.verdict!, judge)
  return [...new Set(valuesOf(question).map(([value]) => meaningOf(value, judge, labels)))]
}

/** The verdict in shown terms. */
function verdictOf(
  judge: Judge,
  question: Question,
  answer: Answer,
  labels: ReadonlyMap<string, Meaning>,
  scores: Readonly<Record<string, number>>,
): Verdict {
  const values = valuesOf(question).map(([value]) => value)
  const sure = typeof answer === 'string'
  const total = sure ? 1 : values.reduce((sum, value) => sum + (answer[value] ?? 0), 0)
  if (!(total > 0))
    throw new RowFailure('bad_record', `no value of "${question.name}" has a probability in jb.reply.answers`)
  const shareOf = (value: string) => (sure ? Number(value === answer) : (answer[value] ?? 0) / total)
  /** By meaning: its probability, and its likeliest value. */
  const mass = new Map<Meaning, { p: number; value: string }>()
  for (const value of values) {
    const share = shareOf(value)
    const meaning = meaningOf(value, judge, labels)
    const before = mass.get(meaning)
    if (!before) mass.set(meaning, { p: share, value })
    else
      mass.set(meaning, { p: before.p + share, value: share > shareOf(before.value) ? value : before.value })
  }
  const p = (meaning: Meaning) => mass.get(meaning)?.p ?? 0
  const [likeliest, { value: label }] = [...mass].reduce((most, one) => (one[1].p > most[1].p ? one : most))
  const isEven = judge.kind === 'pairwise' && likeliest !== 'A=B' && p('A>B') === p('B>A')
  const chosen = isEven ? 'A=B' : likeliest
  return {
    label: mass.get(chosen)?.value ?? label,
    ...kindOf(),
    ...(!sure && {
      confidence: p(chosen),
      probabilities: Object.fromEntries([...mass].map(([meaning, { p }]) => [String(meaning), p])),
    }),
  }

  function kindOf(): Partial<Verdict> {
    if (judge.kind === 'pairwise')
      return {
        decision: chosen as Verdict['decision'],
        ...(!sure && { preference: p('B>A') + p('A=B') / 2 }),
      }
    if (judge.kind === 'choice') {
      const option = String(chosen)
      return { option, ...(Object.hasOwn(scores, option) && { score: scores[option] }) }
    }
    const numbers = [...mass.keys()] as number[]
    const range: [number, number] = [
      numbers.reduce((a, b) => Math.min(a, b)),
      numbers.reduce((a, b) => Math.max(a, b)),
    ]
    if (sure || question.type === 'predicate') return { score: chosen as number, range }
    const mean = numbers.reduce((sum, number) => sum + number * p(number), 0)
    return { score: mean, said: chosen, range }
  }
}
