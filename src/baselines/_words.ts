/**
 * Writes a verdict as a reply in the judge's format: its file's `verdict.example`, filled in, or a form that the judge's
 * rule reads back as this verdict.
 */

import type { Judge } from '../judges/_judge.ts'
import { getOrInsert } from '../rows/maps.ts'
import { configError, isObject, type Json, type JsonObject, type Verdict } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { optionNames } from '../verdicts/_options.ts'
import { readerOf } from '../verdicts/_read.ts'
import { replySchema } from '../verdicts/_reply_format.ts'
import type { Read } from '../verdicts/_rule.ts'

/** The verdict to be expressed, in shown terms. */
export type WantedVerdict = Partial<
  Pick<Verdict, 'decision' | 'winner' | 'ranking' | 'score' | 'option' | 'items'>
>

/** The range of a judge's grades: from its file or its rule, else 1 to 10. */
export function rangeOf(judge: Judge): [number, number] {
  const range = judge.range ?? judge.verdict?.range
  return Array.isArray(range) && range.length === 2 ? [Number(range[0]), Number(range[1])] : [1, 10]
}

/** The options of a judge: from the criterion (lowest score first), the judge file, its rule, or the row's schema. */
export function optionsOf(judge: Judge, row: Row): string[] {
  const criterion = row.get('criterion')
  if (criterion) {
    const scored = criterion.options.every(({ score }) => score !== null)
    const options = scored ? criterion.options.toSorted((a, b) => a.score! - b.score!) : criterion.options
    return options.map(({ name }) => name)
  }
  return optionNames(judge) ?? enumOf(replySchema(judge, row.get('trial'), row.get('request'))) ?? []
}

/** Making a judge's reader compiles its patterns. */
const readers = new WeakMap<Judge, Map<string | undefined, Promise<Read>>>()

/** The judge's reader, or that of the original whose ways hold for the row. */
function readerFor(judge: Judge, row: Row): Promise<Read> {
  const named = row.get('compat')
  const compat = named !== undefined && judge.compat?.[named] ? named : undefined
  const own = getOrInsert(readers, judge, () => new Map())
  return getOrInsert(own, compat, () => readerOf(judge, compat ? { compat, raise: true } : {}))
}

/** The text of the reply. @throws Fatal (configuration) if no form of it is read back as the wanted verdict */
export async function wordsFor(judge: Judge, wanted: WantedVerdict, row: Row): Promise<string> {
  const read = await readerFor(judge, row)
  let first: string | undefined
  for (const text of forms(judge, wanted, row)) {
    first ??= text
    const verdict = readBack(read, text, row)
    if (verdict && matches(verdict, wanted)) return text
  }
  if (first !== undefined && judge.verdict?.example) return first
  throw configError(
    `${judge.where}: a baseline cannot write a reply that this judge reads as ${JSON.stringify(wanted)}: set verdict.example to the end of a reply, with {label}, {score} or {option} in it`,
  )
}

function readBack(read: Read, text: string, row: Row): Verdict | undefined {
  try {
    return read(text, {
      trial: row.get('trial'),
      get request() {
        return row.get('request')
      },
      item: () => row.item,
    })
  } catch {
    return undefined
  }
}

function matches(verdict: Verdict, wanted: WantedVerdict): boolean {
  if (wanted.decision !== undefined) return verdict.decision === wanted.decision
  if (wanted.winner !== undefined)
    return verdict.winner === wanted.winner || String(verdict.ranking) === String(wanted.ranking)
  if (wanted.score !== undefined) return verdict.score === wanted.score
  if (wanted.option !== undefined) return verdict.option === wanted.option
  return verdict.items !== undefined
}

/** Possible replies, in the judge's own form first. */
function* forms(judge: Judge, wanted: WantedVerdict, row: Row): Generator<string> {
  const example = judge.verdict?.example
  const says = [...wordings(judge, wanted), ...shownLabel(wanted, row)]
  if (typeof example === 'string') for (const values of says) yield fill(example, values)
  const schema = replySchema(judge, row.get('trial'), row.get('request'))
  if (schema) for (const values of says) yield JSON.stringify(fit(schema, values))
  for (const { label } of says)
    for (const form of ['{}', '[[{}]]', '[{}]', 'Output ({})', 'Score: {}', 'Rating: [[{}]]', 'Answer: {}'])
      yield form.replace('{}', () => label!)
  if (wanted.items) {
    yield JSON.stringify(wanted.items)
    yield wanted.items.map((item) => `- ${item}`).join('\n')
  }
}

type Wording = Record<string, string>

/** Values to fill in: the labels that mean the verdict, its number, its option. */
function wordings(judge: Judge, wanted: WantedVerdict): Wording[] {
  const value = String(
    wanted.decision ?? wanted.winner ?? wanted.score ?? wanted.option ?? JSON.stringify(wanted.items),
  )
  const [low, high] = rangeOf(judge)
  const common: Wording = {
    value,
    score: String(wanted.score ?? value),
    option: String(wanted.option ?? value),
    winner: String(wanted.winner ?? value),
    ranking: (wanted.ranking ?? []).join(' > '),
    items: JSON.stringify(wanted.items ?? []),
    // For judges that score both answers.
    a: String(wanted.decision === 'B>A' ? low : high),
    b: String(wanted.decision === 'A>B' ? low : high),
  }
  const labels = judge.verdict?.labels
  const meaning = isObject(labels)
    ? Object.keys(labels).filter((label) => String(labels[label]) === value)
    : []
  const letters: Record<string, string[]> = {
    'A>B': ['A', '1'],
    'B>A': ['B', '2'],
    'A=B': ['C', 'tie', 'Tie'],
  }
  const words = [...meaning, value, ...(wanted.decision ? letters[wanted.decision]! : [])]
  if (wanted.winner !== undefined && wanted.winner !== 'tie')
    words.push(String(wanted.winner + 1), String.fromCharCode(65 + wanted.winner))
  return words.map((label) => ({ ...common, label }))
}

/** If the trial has options: the winner's label, or the option's position. */
function shownLabel(wanted: WantedVerdict, row: Row): Wording[] {
  const shown = row.get('trial')?.options
  if (!shown) return []
  const label =
    typeof wanted.winner === 'number'
      ? shown[wanted.winner]
      : wanted.option === undefined
        ? wanted.winner
        : String(shown.indexOf(wanted.option) + 1)
  return label === undefined ? [] : [{ label, value: label, option: label }]
}

const fill = (example: string, values: Wording) =>
  example.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

const numberOf = ({ label }: Wording) => (Number.isNaN(Number(label)) ? undefined : Number(label))

/** A value that meets the schema, with the wanted value at each choice. */
function fit(schema: JsonObject, values: Wording): Json {
  const options = schema.enum as Json[] | undefined
  if (Array.isArray(options))
    return options.find((option) => Object.values(values).includes(String(option))) ?? options[0]!
  if (schema.const !== undefined) return schema.const
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || schema.properties) {
    const inner = Object.entries((schema.properties as JsonObject | undefined) ?? {})
    return Object.fromEntries(inner.map(([key, one]) => [key, isObject(one) ? fit(one, values) : null]))
  }
  if (type === 'array') {
    const items = JSON.parse(values.items!) as Json[]
    if (items.length > 0) return items
    return values.ranking ? values.ranking.split(' > ').map(Number) : []
  }
  if (type === 'number' || type === 'integer') return numberOf(values) ?? 0
  if (type === 'boolean') return /^(true|yes|1)$/i.test(values.label!)
  return values.label!
}

/** The first list of options anywhere in a schema. */
function enumOf(schema: JsonObject | undefined): string[] | undefined {
  if (!schema) return undefined
  if (Array.isArray(schema.enum)) return schema.enum.map(String)
  for (const inner of Object.values((schema.properties as JsonObject | undefined) ?? {})) {
    const found = isObject(inner) ? enumOf(inner) : undefined
    if (found) return found
  }
  return undefined
}
