/**
 * EvalAssist. Read: its instances and plain texts → rows. Written: results → its result objects, one per line.
 * Names are those of its library (IBM/eval-assist 5a1bd42); an item's id is in `metadata.id`.
 */
import { BUILTIN_JUDGES, loadJudge } from '../judges/_load.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { isObject, type Json } from '../rows/record.ts'
import { BadRow, Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import { resultObject } from './_evalassist.ts'
import { instanceOfRecord, pageItems } from './_evalassist_page.ts'
import type { Format, FormatOptions } from './_format.ts'
import { format as csv } from './csv.ts'
import { elementRows } from './json.ts'

export const format: Format = {
  about: {
    read: 'EvalAssist: instances, texts, test cases of its page (JSON, its CSV) → rows',
    write: 'EvalAssist: the result objects of its library, one a line',
  },

  async *read(sources, options, context) {
    for (const source of sources)
      if (/\.csv(\.gz)?$/i.test(source.name)) yield* recordRows(source, options, context)
      else yield* elementRows([source], options, context, instance)
  },

  fields: 'all',
  async *write(rows, options) {
    const compat = options.compat as string | undefined
    for await (const batch of rows)
      for (const row of batch)
        yield `${JSON.stringify(resultObject(row, { compat, compares: await compares(row) }))}\n`
  },
}

/** Whether a row's judge compares answers, as far as the row or a built-in judge tells. */
async function compares(row: Row): Promise<boolean> {
  const { answers, pair } = row.get('trial') ?? row.get('trials')?.[0]?.trial ?? {}
  if (answers !== undefined || pair !== undefined) return true
  const name = row.get('judge')
  return name !== undefined && BUILTIN_JUDGES.has(name) && (await loadJudge(name)).kind === 'listwise'
}

/** An object becomes a row unchanged; a text, or a list of texts to compare, becomes the field `response`. */
function instance(text: string, file: string, count: number): Row | Row[] {
  if (text.startsWith('{')) {
    const row = Row.read(text, file, count)
    const mayBePage = /"(contextVariables|instances|content)"/.test(text)
    return isInstance(row) && !mayBePage ? row : rowsMade(row, (one) => ofPage(one, row))
  }
  const value = JSON.parse(text) as Json
  if (isJudged(value)) return Row.make({ fields: { response: value } }, file, count)
  throw new BadRow(`an instance is an object, a text or a list of texts, this is ${text.slice(0, 40)}`)
}

/** A text, or a list of texts to compare. */
const isJudged = (value: Json | undefined): value is Json =>
  Array.isArray(value) ? value.length > 0 && value.every(isText) : isText(value)

const isText = (value: Json | undefined) => typeof value === 'string'

const isInstance = (row: Row) =>
  isObject(row.field('fields')) || isJudged(row.field('response')) || isJudged(row.field('responses'))

function ofPage({ item }: Row, row: Row): Row | Row[] {
  const items = pageItems(item)
  if (items) return items.map((item) => Row.make(item, row.file, row.line))
  if (isInstance(row)) return row
  return lacking(
    row,
    'evalassist',
    'no "fields", "response" or "responses": this is not an instance of EvalAssist (a flat row needs no jb-read)',
  )
}

/** Rows of the web page's CSV. A bad record that --bad-rows pass let through is not changed. */
async function* recordRows(source: Source, options: FormatOptions, context: Context): Rows {
  for await (const batch of csv.read!([source], options, context))
    yield batch.map((row) =>
      row.has('raw') ? row : Row.make(instanceOfRecord(row.item), row.file, row.line),
    )
}
