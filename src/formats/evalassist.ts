/**
 * EvalAssist, in and out: its instances (and plain texts) → rows; results → its result objects, one a line.
 * Names are those of its library (IBM/eval-assist 5a1bd42); the id of an item stands in `metadata.id`.
 */
import type { Rows } from '../rows/reader.ts'
import type { Json } from '../rows/record.ts'
import { BadRow, encode, Row } from '../rows/row.ts'
import { scoredRows } from '../scoring/_scored.ts'
import type { ScoreSettings } from '../scoring/_scoring.ts'
import { type Exchange, resultObject } from './_evalassist.ts'
import type { Format } from './_format.ts'
import { elementRows } from './json.ts'

export const format: Format = {
  about: 'EvalAssist: instances and plain texts (JSON, NDJSON) → rows; result objects of verdicts',

  read: (sources, options, context) => elementRows(sources, options, context, instance),

  unscored: true,
  async *write(rows, options, context) {
    const settings = options as unknown as ScoreSettings
    const texts = new Texts()
    for await (const batch of scoredRows(texts.of(rows), settings, context))
      for (const row of batch)
        yield `${JSON.stringify(resultObject(row, texts.taken(row), settings.compat))}\n`
  },
}

/** An object is a row as it stands; a text, or a list of texts to compare, is the field `response`. */
function instance(text: string, file: string, count: number): Row {
  if (text.startsWith('{')) return Row.read(encode(text), file, count)
  const value = JSON.parse(text) as Json
  const isText = (one: Json) => typeof one === 'string'
  if (isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)))
    return Row.make({ fields: { response: value } }, file, count)
  throw new BadRow(`an instance is an object, a text or a list of texts, this is ${text.slice(0, 40)}`)
}

/** Texts of trials whose item is not complete yet. */
class Texts {
  private readonly open = new Map<string, Exchange[]>()

  /** The same rows, a row at a time: an item is scored before the texts of its next trials are kept. */
  async *of(rows: Rows): Rows {
    for await (const batch of rows)
      for (const row of batch) {
        this.add(row)
        yield [row]
      }
  }

  private add(row: Row): void {
    if (row.has('result')) return
    const reply = row.get('reply')
    const key = keyOf(row, reply?.model)
    const of = this.open.get(key) ?? []
    of[row.get('trial')?.n ?? 0] = { request: row.get('request'), reply }
    this.open.set(key, of)
  }

  /** The item's, by trial number; they are forgotten. */
  taken(row: Row): Exchange[] {
    const models = new Set<string | undefined>([
      undefined,
      ...(row.get('trials') ?? []).map(({ model }) => model),
    ])
    const found: Exchange[] = []
    for (const model of models) {
      const key = keyOf(row, model)
      Object.assign(found, this.open.get(key) ?? [])
      this.open.delete(key)
    }
    return found
  }
}

const keyOf = (row: Row, model: string | undefined) =>
  JSON.stringify([row.get('item'), row.get('judge'), row.get('name'), model])
