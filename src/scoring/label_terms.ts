/**
 * Reads labels in the terms of a judge's verdict, whoever gave them. A label that is not in these terms is left out: it is
 * no disagreement.
 */

import { scoreOf } from '../criteria/_criterion.ts'
import { optionRange, scaled } from '../criteria/_multi.ts'
import { pairOf, yesNo } from '../criteria/_yes_no.ts'
import { shortId } from '../rows/controls.ts'
import { byKey } from '../rows/maps.ts'
import type { Criterion, Decision, Json, Result } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import type { Label } from '../statistics/agreement.ts'
import type { Scored } from './kind.ts'
import { wordOf } from './label_map.ts'
import type { GradeScale, LabelScales } from './scale.ts'

/** The most characters of a label in a message. */
const SHOWN = 80

/** Labels of data sets, in small letters, and the decisions that they mean: those that can mean one thing alone. */
const DECISIONS: ReadonlyMap<string, Decision> = new Map([
  ...['a>b', 'a>>b', 'b<a', 'b<<a'].map((label) => [label, 'A>B'] as const),
  ...['b>a', 'b>>a', 'a<b', 'a<<b'].map((label) => [label, 'B>A'] as const),
  ...['a=b', 'b=a', 'tie', 'draw', 'tie (bothbad)'].map((label) => [label, 'A=B'] as const),
])
/** An answer that wins, by its letter. */
const WINNER = /^(?:(?:model|response|answer|assistant|output)[ _-]?)?([ab])(?:[ _]wins)?$/
export const EXPECTED_DECISION = 'A>B, B>A or A=B'

/** The decision that a label means, in capital or small letters; undefined for any other label. */
export function decisionOf(label: Json | undefined): Decision | undefined {
  if (typeof label !== 'string') return undefined
  const word = wordOf(label)
  const winner = WINNER.exec(word)?.[1]
  return winner === undefined ? DECISIONS.get(word) : winner === 'a' ? 'A>B' : 'B>A'
}

export const EXPECTED_SCORE = 'a number'

/** The number that a label is, also as a text (values of CSV files are texts); booleans are 1 and 0. */
export function labelNumber(label: Json | undefined): number | undefined {
  if (typeof label === 'boolean') return Number(label)
  const value = typeof label === 'string' && label.trim() !== '' ? Number(label) : label
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A grade that a label is: a number, or a word that means yes (1) or no (0). */
export const labelGrade = (label: Json | undefined): number | undefined =>
  labelNumber(label) ?? (typeof label === 'string' ? yesNo(label) : undefined)

/** Whether a label was read as an option that is the same word in another spelling. */
export const isRespelled = (label: Json | undefined, option: Json | undefined): label is string =>
  typeof label === 'string' &&
  typeof option === 'string' &&
  label !== option &&
  wordOf(label) === wordOf(option)

/**
 * The option that a label means: the one of this name, the only one of this {@link wordOf word}, or the only one with this
 * score, as which yes (PASS, true, …) is 1 and no is 0.
 * @param criterion whose options they are; where none are known, a label is a name
 * @param said the option that the judge chose, which tells how it writes yes and no
 */
export function optionOf(
  label: Json | undefined,
  criterion: Criterion | undefined,
  said?: string,
): string | undefined {
  if (label === undefined || label === null || typeof label === 'object') return undefined
  const word = String(label).trim()
  const isBoolean = typeof label === 'boolean'
  const names = criterion?.options.length
    ? criterion.options.map(({ name }) => name)
    : said === undefined
      ? []
      : (pairOf(said) ?? [])
  const named = names.find((name) => name.trim() === word)
  if (named !== undefined) return named
  const alike = (names.length > 0 || said === undefined ? names : [said]).filter(
    (name) => wordOf(name) === wordOf(word),
  )
  if (alike.length === 1) return alike[0]
  const number = labelGrade(label)
  const scored =
    number === undefined ? [] : names.filter((name) => scoreOf(criterion, name, names) === number)
  if (scored.length === 1) return scored[0]
  const isName = !criterion?.options.length && !isBoolean && word !== ''
  return isName && (names.length === 0 || number === undefined) ? word : undefined
}

/** The options of a grade with a threshold. */
export const PASS: Criterion = {
  name: '',
  description: '',
  to_evaluate_field: '',
  context_fields: null,
  options: [
    { name: 'pass', description: '', score: 1 },
    { name: 'fail', description: '', score: 0 },
  ],
}

/** The options that a result says its judge has, as those of a criterion; undefined if it says none. */
export const criterionOf = ({ options }: Pick<Result, 'options'>): Criterion | undefined =>
  options && {
    ...PASS,
    options: Object.entries(options).map(([name, score]) => ({ name, description: '', score })),
  }

export function expectedOption(options: Criterion['options']): string {
  if (options.length === 0) return 'the name of an option'
  const names = options.map(({ name }) => name).join(', ')
  const areScored = options.some(({ score }) => typeof score === 'number')
  return `one of ${names}${areScored ? ', or a score that one of them has' : ''}`
}

/**
 * The answer that a label says is best: its index, or "tie".
 * @param answers how many there are, if known; of two the label may also be a decision
 */
export function bestAnswer(label: Json | undefined, answers?: number): number | 'tie' | undefined {
  if (typeof label === 'string' && wordOf(label) === 'tie') return 'tie'
  if ((answers ?? 2) === 2) {
    const decision = decisionOf(label)
    if (decision) return decision === 'A=B' ? 'tie' : decision === 'A>B' ? 0 : 1
  }
  const index = typeof label === 'boolean' ? Number.NaN : (labelNumber(label) ?? Number.NaN)
  return Number.isInteger(index) && index >= 0 && index < (answers ?? Number.POSITIVE_INFINITY)
    ? index
    : undefined
}

export const expectedAnswer = (answers?: number) =>
  `the index of an answer from 0${answers === undefined ? '' : ` to ${answers - 1}`}, or "tie"`

/** What to do about labels in other words. */
export const HOW_TO_MAP = "--label-map 'LABEL=MEANING,…' says what they mean"

/** A label in a message. */
export function shownLabel(label: Json): string {
  if (typeof label === 'object' && label !== null) return Array.isArray(label) ? 'a list' : 'an object'
  return JSON.stringify(typeof label === 'string' ? label.slice(0, SHOWN) : label)
}

/** What labels are compared with. */
export interface Terms {
  /** What the judge said. */
  said: Label
  /** Reads a label in the same terms; undefined if it is not in these. */
  read(label: Json): Label | undefined
  /** A label as a number on the scale of the result's score, if there is one; that of an option is its score. */
  score?(label: Json): number | undefined
  expected: string
  /** The judge's options are not known: any word is read as one of them. */
  isOpen?: boolean
}

/** Decisions by the winner of two answers. */
const WINNER_DECISIONS: Record<string, Decision> = { 0: 'A>B', 1: 'B>A', tie: 'A=B' }

/**
 * The terms of a judge's result: decisions, options, numbers, or the indexes of answers; of two answers decisions.
 * @param result of an item, or of one of its criteria
 * @param scales take grades that people gave to the judge's scale
 * @returns undefined for a result without a verdict
 */
export function termsOf(
  result: Result,
  { criteria, trials }: { criteria: readonly Criterion[]; trials: readonly Pick<Scored, 'trial'>[] },
  criterion: string | undefined,
  scales: LabelScales,
): Terms | undefined {
  const { decision, option, score, range, winner, weighted_score: weighted } = result
  if (typeof decision === 'string') {
    const read = (label: Json) => decisionOf(label) ?? WINNER_DECISIONS[scales.place(label, 2) ?? '']
    return { said: decision, read, expected: EXPECTED_DECISION }
  }
  if (typeof option === 'string') {
    const named = criteria.length === 1 ? criteria[0] : criteria.find(({ name }) => name === criterion)
    const asked = named ?? criterionOf(result)
    const options = asked?.options ?? []
    const range = asked && weighted === undefined ? optionRange(asked) : undefined
    const read = (label: Json) => {
      const number = labelNumber(label)
      const onScale = scales.read(number, range)
      return optionOf(onScale === number ? label : onScale, asked, option)
    }
    const scoreOfLabel = (label: Json) => {
      const named = read(label)
      const number = named === undefined ? scales.read(labelNumber(label), range) : scoreOf(asked, named)
      // The scores of several criteria are scaled.
      return (asked && weighted !== undefined ? scaled(asked, number ?? null) : number) ?? undefined
    }
    const expected = expectedOption(options)
    return { said: option, read, score: scoreOfLabel, expected, isOpen: options.length === 0 }
  }
  if (typeof score === 'number') {
    const read = (label: Json) => scales.read(labelGrade(label), range as GradeScale | undefined)
    return { said: score, read, score: read, expected: EXPECTED_SCORE }
  }
  if (winner === undefined) return undefined
  const answers = trials[0]?.trial.answers
  // Indexes are names here: there is no distance between them.
  const read = (label: Json) => (scales.place(label, answers) ?? bestAnswer(label, answers))?.toString()
  const decided = answers === 2 ? WINNER_DECISIONS[winner] : undefined
  if (decided === undefined) return { said: String(winner), read, expected: expectedAnswer(answers) }
  return {
    said: decided,
    read: (label) => WINNER_DECISIONS[read(label) ?? ''],
    expected: `${EXPECTED_DECISION}, or ${expectedAnswer(answers)}`,
  }
}

/** Of labels of items that no judge has. */
export const itemsInNoRow = (others: readonly string[], of: number): string =>
  `${others.length} of ${of} items with labels are in no row, such as ${others[0]}`

/** People's labels that cannot be read, or are in another spelling than the judge's: each kind is told together. */
export class LabelNotes {
  /** By what was expected: which ones (several judges may meet the same), and the first of them. */
  private readonly labels = new Map<string, { ids: Set<string>; example: string }>()
  /** Labels, and the options as which they are read. */
  private readonly respelled = new Map<string, string>()

  read(label: Json, option: Json | undefined): void {
    if (isRespelled(label, option)) this.respelled.set(shownLabel(label), shownLabel(option!))
  }

  /** @param id identifies the label among those of the item, if it has several */
  unread(label: Json, expected: string, item: string, id = ''): void {
    let of = this.labels.get(expected)
    if (!of) {
      of = { ids: new Set(), example: `${shownLabel(label)} of item ${JSON.stringify(shortId(item))}` }
      this.labels.set(expected, of)
    }
    of.ids.add(JSON.stringify([item, id]))
  }

  /** @param option that names the labels */
  tell(option: string, note: Context['note']): void {
    for (const [expected, { ids, example }] of this.labels) {
      const all = ids.size === 1 ? `the label ${example} is` : `${ids.size} labels are`
      const such = ids.size === 1 ? '' : `, such as ${example}`
      note(`${option}${all} left out: expected ${expected}${such} (${HOW_TO_MAP})`, { kind: 'label' })
    }
    const words = byKey(this.respelled).map(([label, option]) => `${label} is read as ${option}`)
    if (words.length > 0)
      note(`${option}${words.join(', ')}: capital letters and blanks at the ends tell no labels apart`, {
        kind: 'spelling',
      })
  }
}
