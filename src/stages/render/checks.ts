/** Checks before rows are rendered: options that a judge does not take, unused names, invalid rules, answers that no template uses. */
import type { Judge } from '../../judges/_judge.ts'
import { didYouMean } from '../../options/nearest.ts'
import { assignment, envName } from '../../options/option.ts'
import { count } from '../../rows/maps.ts'
import { configError, isObject, type JsonObject, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { isGlobal } from '../../templates/index.ts'
import type { Bindings } from './context.ts'
import { SINGLE, shownFields } from './copies.ts'
import type { RenderOptions } from './options.ts'
import { mappableNames, type RequestMaker } from './prompt.ts'

/** The number of answers that a listwise judge without criteria lists; 0 for any other. */
export const listedAnswers = ({ kind, criteria, answers = [] }: Judge) =>
  kind === 'listwise' && criteria === undefined ? answers.length : 0

/** @throws Fatal (usage) for an option that the judge does not take */
export function checkOptions(judge: Judge, options: RenderOptions): void {
  const { where, kind, chain } = judge
  const { order = 'ab', criteria, contests, personas, samples = 1 } = options
  const ordered = kind === 'pairwise' || judge.criteria === 'each' || listedAnswers(judge) > 1
  const plain = judge.criteria === undefined
  const refuse = (option: string, reason: string) => {
    throw usageError(`--${option}: ${where} ${reason}`)
  }
  const refuseOrder = (what: string) =>
    refuse(`order ${order}`, `is a ${kind} judge, which does not show two ${what}`)
  if (order === 'alpaca_eval' && kind !== 'pairwise') refuseOrder('outputs')
  if (order !== 'ab' && !ordered) refuseOrder('answers')
  if (plain && criteria.length > 0)
    refuse('criteria', 'takes no criteria: direct, pairwise, unitxt and others do (jb-render --list)')
  if (plain && contests) refuse('contests', 'takes no criteria')
  if (plain && personas !== undefined) refuse('personas', 'takes no criteria')
  if (chain !== undefined && samples > 1)
    refuse('samples', 'continues existing trials: use --samples with the judge before it')
}

/** Reports names of --map and --set that no template uses: in the environment, which other filters share. @throws Fatal (usage) else */
export function checkNames(
  file: string,
  uses: { judge: Judge; ask: RequestMaker }[],
  { map, set }: { map: string[]; set: string[] },
  { env, note }: Pick<Context, 'env' | 'note'>,
): void {
  // A criterion may name any field.
  const mapped = uses.some(({ judge }) => judge.criteria !== undefined) ? [] : map
  const given = [...mapped.map((text) => ['map', text]), ...set.map((text) => ['set', text])]
  if (given.length === 0) return
  const known = uses.map(({ judge, ask }) => mappableNames(judge, ask))
  if (!known.every((names) => names !== undefined)) return
  const names = [...new Set(known.flat())]
  for (const [option, text] of given) {
    const [name] = assignment(text!, `--${option}`, 'NAME=VALUE')
    if (option === 'set' && uses.some(({ judge: { answers = SINGLE } }) => answers.includes(name)))
      note(
        `--set ${name}=…: this text is judged in every item, and not the item's own (--map ${name}=FIELD names its field)`,
      )
    // A value may replace a global, which is not listed among the template's names.
    if (names.includes(name) || isGlobal(name)) continue
    const words = `--${option} ${name}=…: no template of ${file} uses "${name}"${didYouMean(name, names, ` (${usedNames(names)})`)}`
    if (env[envName(option!)] === undefined) throw usageError(words)
    note(words)
  }
}

/** Notes two names that are one field, and answers that are each other's: the judge would compare a text with itself, or the decisions be about the wrong answers. */
export function noteFields(
  { answers = [], fields }: Judge,
  { variables = answers }: RequestMaker,
  bindings: Bindings,
  note: Context['note'],
): void {
  const fieldOf = (name: string) => {
    const binding = bindings.get(name) ?? { field: name }
    return 'field' in binding ? binding.field : undefined
  }
  const names = new Map<string | undefined, string>()
  for (const name of variables) {
    const field = fieldOf(name)
    const before = names.get(field)
    if (field === undefined || before === undefined) names.set(field, name)
    else
      note(
        `${before} and ${name} are the same field, ${field}: ${answers.includes(before) && answers.includes(name) ? 'the judge would compare an answer with itself' : 'is that meant?'}`,
      )
  }
  if (answers.length !== 2) return
  const [a, b] = answers as [string, string]
  const [first, second] = [fieldOf(a), fieldOf(b)]
  if (first === undefined || second === undefined || first === second) return
  const exchanged = first !== fields[a] && (first === fields[b] || second === fields[a])
  if (exchanged || areTurned(first, second))
    note(
      `${a} is ${first}, and ${b} is ${second}: is that meant? A>B means that ${first} is better, and so does a label`,
    )
}

/** A field or a value of the judge file that no template shows is one that the judge does not see. @throws Fatal (configuration) */
export function checkFields(judge: Judge, ask: RequestMaker): void {
  const { where, builtin, criteria, fields, set = {}, variants, inner } = judge
  if (builtin || criteria !== undefined || variants || inner !== undefined) return
  const lists = Object.values((judge.each ?? {}) as Record<string, string>).join(' ')
  if (mappableNames(judge, ask) === undefined) return
  const { variables = [] } = ask
  for (const [name, field] of Object.entries(fields))
    if (!variables.includes(name) && !lists.includes(name))
      throw configError(
        `${where}: fields.${name}: no template uses "${name}" (${usedNames(variables)}): the judge would not see ${field}`,
      )
  const measures = Object.values((judge.measures ?? {}) as JsonObject)
  const least = measures.map((one) => (isObject(one) ? one.at_least : undefined))
  // The elements that a question shows together.
  const others = [...least, ...(judge.each === undefined ? [] : ['window'])]
  for (const name of Object.keys(set))
    if (!variables.includes(name) && !others.includes(name) && !isGlobal(name))
      throw configError(
        `${where}: set.${name}: no template uses "${name}"${didYouMean(name, variables, ` (${usedNames(variables)})`)}`,
      )
}

/** Whether two names are those of two sides in reverse: response_B and response_A, output_2 and output_1. */
const areTurned = (first: string, second: string) =>
  first.slice(0, -1) === second.slice(0, -1) && /^(?:BA|ba|21)$/.test(first.slice(-1) + second.slice(-1))

/** The most characters of a text in a message. */
const SHOWN = 40

/** Of so many items, answers that are all the same are no accident. */
const MANY = 10

/** What the texts are that a judge shows: some may be empty, and an answer the same in every item. */
export class ShownTexts {
  /** By the names in the prompt; none of a judge whose criteria name what is shown. */
  private readonly shown: ReadonlyMap<string, string>
  private readonly answers: readonly string[]
  private items = 0
  /** How many items have it empty. */
  private readonly empty = new Map<string, number>()
  /** Of an answer the text that all items so far have; null where they differ. */
  private readonly same = new Map<string, string | null>()

  constructor(judge: Judge, { variables = [] }: RequestMaker, bindings: Bindings) {
    this.shown =
      judge.criteria === undefined ? shownFields(judge, variables, bindings) : new Map<string, string>()
    this.answers = (judge.answers ?? SINGLE).flatMap((name) => this.shown.get(name) ?? [])
  }

  /** The names of the fields, if there are several and all are empty in a row. */
  allEmptyIn(row: Row): readonly string[] | undefined {
    const fields = [...this.shown.values()]
    const values = fields.map((field) => row.field(field))
    // A row without any of them has other names for them, which is another error.
    const some = values.some((value) => value !== undefined)
    return fields.length > 1 && some && values.every((value) => (value ?? '') === '') ? fields : undefined
  }

  /** Counts an item. @param judged fields that its criteria name */
  see(row: Row, judged: readonly string[]): void {
    this.items++
    const answers = new Set([...this.answers, ...judged])
    for (const field of new Set([...this.shown.values(), ...answers])) {
      const text = row.field(field)
      if (typeof text !== 'string') continue
      if (text.trim() === '') count(this.empty, field)
      if (!answers.has(field)) continue
      const before = this.same.get(field)
      this.same.set(field, before === undefined || before === text ? text : null)
    }
  }

  tell(note: Context['note']): void {
    const { items, empty, same } = this
    const some = [...empty]
      .filter(([field, n]) => n === items || same.has(field))
      .map(([field, n]) => `${field} in ${n === items ? 'every item' : `${n} of ${items} items`}`)
    if (some.length > 0) note(`empty texts: ${some.join(', ')}`)
    for (const [field, text] of same)
      if (items >= MANY && text !== null && text.trim() !== '')
        note(`${field} is the same in every item: ${JSON.stringify(text.slice(0, SHOWN))}`)
  }
}

/** Finds an invalid rule before calls are paid for. @throws Fatal (configuration) */
export async function checkReading(judge: Judge): Promise<void> {
  if (judge.builtin || judge.parse || !judge.verdict) return
  const { readerOf } = await import('../../verdicts/_read.ts')
  await readerOf(judge)
  for (const compat of Object.keys(judge.compat ?? {})) await readerOf(judge, { compat })
}

/** Answers are known by their template names, and the other order exchanges them. @throws Fatal (configuration) if no template uses these */
export function checkAnswers(judge: Judge, { variables }: RequestMaker, order: string | undefined): void {
  const { where, kind, answers = [], swap = [] } = judge
  if (judge.variants || judge.inner !== undefined) return
  if (kind === 'pairwise' && answers.length !== 2 && order !== undefined && order !== 'ab')
    throw configError(
      `${where}: "answers" is missing: the two template names to exchange for --order ${order}`,
    )
  // A function may read any field.
  if (judge.render) return
  for (const [key, names] of Object.entries({ answers, swap: swap.flat() }))
    for (const name of names)
      if (!variables?.includes(name))
        throw configError(`${where}: ${key}: no template uses "${name}" (${usedNames(variables)})`)
}

/** The fields that later filters read as the right verdict. */
const LABELS: readonly string[] = ['label', 'labels', 'expected_result', 'winner']

/** Warns of a prompt that tells the judge the right verdict. A reference answer is no verdict. */
export function noteLabels(
  { where }: Judge,
  { variables = [] }: RequestMaker,
  bindings: Bindings,
  note: (message: string) => void,
): void {
  for (const name of variables) {
    const binding = bindings.get(name) ?? { field: name }
    if ('field' in binding && LABELS.includes(binding.field))
      note(
        `${where}: warning: the prompt tells the judge the field ${binding.field}, which is read as the right verdict (label_in_prompt): take {{ ${name} }} out, else agreement with it means nothing`,
      )
  }
}

const usedNames = (names: readonly string[] = []) =>
  names.length > 0 ? `they use ${names.join(', ')}` : 'they use no names: does it need another --syntax?'
