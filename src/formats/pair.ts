/**
 * Two models' outputs → pairs, joined by id. Both answers and the models' names are added; every other field stays as it is
 * written, once where both files have the same value, else as NAME_a and NAME_b.
 */

import { basename } from 'node:path'
import { fileSource } from '../files/files.ts'
import { shortId } from '../rows/controls.ts'
import { exactJson, writtenJson } from '../rows/exact_json.ts'
import { fieldNames, ID_FIELDS, idField, itemId, thereAre } from '../rows/item_id.ts'
import { membersOf } from '../rows/json_text.ts'
import { QUESTION_FIELDS } from '../rows/pair_fields.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { lacking } from './_bad_rows.ts'
import { eitherRows } from './_either.ts'
import { type Format, type FormatOptions, formatOf } from './_format.ts'

/** Fields that usually hold a model's answer. */
const ANSWERS = ['response', 'answer', 'output', 'completion', 'generation', 'prediction', 'model_output']

/** Fields that usually name the model. */
const MODELS = ['model', 'model_id', 'generator']

/** Fields that a pair gets. */
const ADDED = ['response_A', 'response_B', 'model_a', 'model_b']

/** Ids that a message names. */
const TOLD = 3

export const format: Format = {
  about: 'two models’ outputs (--a FILE --b FILE) → pairs, joined by id',
  readOptions: [
    {
      name: 'a',
      type: 'string',
      value: 'FILE',
      about: 'the outputs of the first model: rows, JSON, CSV or Parquet',
    },
    { name: 'b', type: 'string', value: 'FILE', about: 'those of the second' },
    {
      name: 'id',
      type: 'string',
      value: 'FIELD',
      about:
        'the field that both files have the same of [pair_id, question_id, id, uid, idx, else one whose values are there once in each]',
    },
    {
      name: 'answer',
      type: 'string',
      value: 'FIELD',
      about: `the field with the answer [${ANSWERS.join(', ')}]`,
    },
    {
      name: 'name-a',
      type: 'string',
      value: 'NAME',
      about: 'the first model [its rows’ model or generator, else the file’s name]',
    },
    { name: 'name-b', type: 'string', value: 'NAME', about: 'the second model [as the first]' },
  ],
  noStdin: true,
  async *read(sources, options, context) {
    const { a, b } = options as Record<string, string | undefined>
    if (a === undefined || b === undefined || sources.length > 0)
      throw usageError('pair: two files are needed, as in --a one.jsonl --b other.jsonl')
    const rowsOfB = await allRows(await rowsOf(b, options, context))
    let rowsOfA = await rowsOf(a, options, context)
    let joined = options.id as string | undefined
    if (joined === undefined && rowsOfB[0] && idField(rowsOfB[0]) === undefined) {
      const all = await allRows(rowsOfA)
      rowsOfA = oneBatch(all)
      joined = sharedField(all, rowsOfB, options, context)
    }
    const others = new Map<string, Output>()
    const placesOfB = new Map<string, string>()
    for await (const output of outputs(oneBatch(rowsOfB), { ...options, id: joined })) {
      checkOnce(placesOfB, output)
      others.set(output.id, output)
    }
    const names = namesOf(options)
    const placesOfA = new Map<string, string>()
    const alone: string[] = []
    let pairs = 0
    for await (const output of outputs(rowsOfA, { ...options, id: joined })) {
      checkOnce(placesOfA, output)
      const other = others.get(output.id)
      if (!other) {
        alone.push(output.id)
        continue
      }
      others.delete(output.id)
      pairs++
      yield [pairedRow(output, other, names(output, other))]
    }
    noteAlone([a, b], [alone, [...others.keys()]], context)
    if (pairs === 0 && !context.cut())
      context.finish(
        EXIT.data,
        `no ${joined ?? 'id'} of ${a} is in ${b} (--id FIELD names the field that both have the same of)`,
      )
  },
}

async function allRows(rows: Rows): Promise<Row[]> {
  const all: Row[] = []
  for await (const batch of rows) for (const row of batch) all.push(row)
  return all
}

async function* oneBatch(rows: Row[]): Rows {
  yield rows
}

/**
 * For rows without an id: the field whose values are there once in each file, a question before any other.
 * @returns undefined if the first rows have an id after all, or no field is such @throws Fatal (data) if several are
 */
function sharedField(a: Row[], b: Row[], options: FormatOptions, context: Context): string | undefined {
  const [first] = a
  if (!first || idField(first) !== undefined) return undefined
  const found = fieldNames(first).filter((name) => {
    if (ANSWERS.includes(name) || name === options.answer) return false
    const [ours, theirs] = [a, b].map((rows) => valuesOnce(rows, name))
    return ours && theirs && [...ours].some((value) => theirs.has(value))
  })
  const question = QUESTION_FIELDS.find((name) => found.includes(name))
  if (question === undefined && found.length > 1)
    throw new Fatal(
      EXIT.data,
      `${first.place}: no id (${ID_FIELDS.join(', ')}), and ${found.join(', ')} are there once in each file: --id FIELD names the one to join by`,
    )
  const field = question ?? found[0]
  if (field !== undefined)
    context.note(`there is no id: joined by "${field}", whose values are there once in each file`)
  return field
}

/** The values of a field; undefined if a row lacks it or two have the same. */
function valuesOnce(rows: readonly Row[], name: string): Set<string> | undefined {
  const values = new Set<string>()
  for (const row of rows) {
    if ((row.field(name) ?? null) === null) return undefined
    const value = itemId(row, name)
    if (values.has(value)) return undefined
    values.add(value)
  }
  return values
}

type Names = Record<'model_a' | 'model_b', string>

/** The names of a pair's models: as given, else what both rows call their model, else the files'. @throws Fatal (usage) */
function namesOf(options: FormatOptions): (a: Output, b: Output) => Names {
  const { a, b, nameA, nameB } = options as Record<string, string | undefined>
  return (one, other) => {
    const said = one.model !== undefined && other.model !== undefined && one.model !== other.model
    const names = {
      model_a: nameA ?? (said ? one.model! : modelOf(a)!),
      model_b: nameB ?? (said ? other.model! : modelOf(b)!),
    }
    if (names.model_a === names.model_b)
      throw usageError(
        `both models are called ${names.model_a}: --name-a NAME and --name-b NAME tell them apart`,
      )
    return names
  }
}

/** What one model said to an item. */
export interface Output {
  id: string
  /** The field of the id. */
  idField: string
  row: Row
  /** JSON texts by field, without the answer. */
  fields: Map<string, string>
  /** Its JSON text; undefined if it is missing or null. */
  answer: string | undefined
  /** The field of the answer. */
  from: string
  /** What the row calls its model. */
  model: string | undefined
}

/** `gpt-4o` of `runs/gpt-4o.jsonl.gz`. */
const modelOf = (file: string | undefined) =>
  file && basename(file).replace(/(?:\.(?:csv|tsv|json|jsonl|ndjson|parquet))?(?:\.gz)?$/i, '')

async function rowsOf(file: string, options: FormatOptions, context: Context): Promise<Rows> {
  const sources = [fileSource(file)]
  const [, ending] = /\.(csv|tsv|parquet)(?:\.gz)?$/i.exec(file) ?? []
  if (ending === undefined) return eitherRows(sources, options, context)
  return (await formatOf(ending.toLowerCase(), 'read')).read(sources, options, context)
}

/** The outputs in a file: rows, JSON, CSV or Parquet. @throws Fatal (data) for rows without an id or an answer */
export async function* modelOutputs(
  file: string,
  options: FormatOptions,
  context: Context,
): AsyncGenerator<Output> {
  yield* outputs(await rowsOf(file, options, context), options)
}

async function* outputs(rows: Rows, options: FormatOptions): AsyncGenerator<Output> {
  let fields: { id: string; answer: string } | undefined
  for await (const batch of rows)
    for (const row of batch) {
      fields ??= { id: idOf(row, options), answer: answerOf(row, options) }
      yield outputOf(row, fields)
    }
}

function outputOf(row: Row, { id, answer }: { id: string; answer: string }): Output {
  const value = row.fieldText(answer)
  if ((row.field(id) ?? null) === null) throw new Fatal(EXIT.data, `${row.place}: no ${id} to join by`)
  const fields = new Map(membersOf(row.itemText()))
  fields.delete(answer)
  const named = MODELS.find((name) => typeof row.field(name) === 'string')
  if (named !== undefined) fields.delete(named)
  const own = ADDED.find((name) => fields.has(name))
  if (own !== undefined)
    throw new Fatal(EXIT.data, `${row.place}: there is a field ${own} already: is it a pair?`)
  return {
    id: itemId(row, id),
    idField: id,
    row: row.bare(),
    fields,
    from: answer,
    model: named === undefined ? undefined : String(row.field(named)),
    answer: value === 'null' ? undefined : value,
  }
}

/** @throws Fatal (data) for rows without an id */
function idOf(row: Row, { id }: FormatOptions): string {
  const field = (id as string | undefined) ?? idField(row)
  if (field !== undefined && row.field(field) !== undefined) return field
  const what = id === undefined ? `no id (${ID_FIELDS.join(', ')})` : `no field ${id}`
  throw new Fatal(
    EXIT.data,
    `${row.place}: ${what} to join by${thereAre(fieldNames(row))} (--id FIELD names it)`,
  )
}

/** @throws Fatal (data) if there is no field of an answer, or several */
function answerOf(row: Row, { answer }: FormatOptions): string {
  const found =
    answer === undefined ? ANSWERS.filter((name) => row.field(name) !== undefined) : [answer as string]
  if (found.length === 1 && row.field(found[0]!) !== undefined) return found[0]!
  const what =
    answer !== undefined ? `no field ${answer}` : found.length === 0 ? 'no answer' : 'several answers'
  const names = found.length > 1 ? `: ${found.join(', ')}` : thereAre(fieldNames(row))
  throw new Fatal(EXIT.data, `${row.place}: ${what}${names} (--answer FIELD names the model's)`)
}

/** @throws Fatal (data) for an id that a file has twice: which answer is meant is not known */
function checkOnce(places: Map<string, string>, { id, row }: Output): void {
  const before = places.get(id)
  if (before !== undefined)
    throw new Fatal(EXIT.data, `${row.place}: ${id} is at ${before} already: ids are to occur once in a file`)
  places.set(id, row.place)
}

/** Whether two JSON texts are the same value. Numbers are compared as written: long ids must not be rounded. */
const isSame = (a: string, b: string) =>
  a === b || (/^["[{]/.test(a) && /^["[{]/.test(b) && plain(a) === plain(b))

const plain = (text: string) => writtenJson(exactJson(text))

/** @throws Fatal (data) if two outputs of an item were asked other questions */
export function sameQuestion(a: Output, b: Output): void {
  const question = QUESTION_FIELDS.find((name) => a.fields.has(name))
  const [asked, other] = question === undefined ? [] : [a.fields.get(question), b.fields.get(question)]
  if (asked !== undefined && other !== undefined && !isSame(asked, other))
    throw new Fatal(
      EXIT.data,
      `${b.row.place}: ${question} of ${b.id} is another than at ${a.row.place} (--id FIELD names the field to join by)`,
    )
}

/** Two outputs of an item as a pair. @throws Fatal (data) if the questions differ, or a name for one side's value is taken by another field */
export function pairedRow(a: Output, b: Output, names: Names): Row {
  sameQuestion(a, b)
  const made = new Map<string, string>()
  const add = (name: string, value: string) => {
    if (made.has(name))
      throw new Fatal(
        EXIT.data,
        `${a.row.place}: "${name}" would be two fields of the pair: a field is called so, and what differs in both files becomes NAME_a and NAME_b (rename it)`,
      )
    made.set(name, value)
  }
  for (const [name, value] of a.fields) {
    const same = b.fields.get(name)
    // An id is the same as a number and as a text.
    const isId = name === a.idField && name === b.idField
    if (same === undefined || isId || isSame(same, value)) add(name, value)
    else {
      add(`${name}_a`, value)
      add(`${name}_b`, same)
    }
  }
  for (const [name, value] of b.fields) if (!a.fields.has(name)) add(name, value)
  for (const [name, value] of Object.entries(names)) add(name, JSON.stringify(value))
  for (const [name, { answer }] of [['response_A', a] as const, ['response_B', b] as const])
    if (answer !== undefined) add(name, answer)
  const members = [...made].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  const row = Row.read(`{${members.join()}}`, a.row.file, a.row.line)
  const without = [a, b].find(({ answer }) => answer === undefined)
  return without ? lacking(row, 'pair', `no answer in ${without.from} of ${without.row.place}`) : row
}

function noteAlone(files: readonly string[], alone: readonly string[][], { note }: Context): void {
  for (const [i, ids] of alone.entries()) {
    if (ids.length === 0) continue
    const named = ids.slice(0, TOLD).map(shortId).join(', ') + (ids.length > TOLD ? ', …' : '')
    const count = ids.length === 1 ? '1 id is' : `${ids.length} ids are`
    note(`${count} in ${files[i]} alone and left out: ${named}`)
  }
}
