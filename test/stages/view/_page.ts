/** A page made in process, and what stands in it. */
import { type Rows, view } from '../../../src/index.ts'
import { readRows } from '../../../src/rows/reader.ts'
import type { Index, Overview } from '../../../src/stages/view/model.ts'
import { Data } from '../../../src/stages/view/page/data.ts'
import { inflated } from '../../../src/stages/view/page/unpack.ts'

type Options = Parameters<typeof view>[1]

/** Rows of lines, as a file has them. */
export function linesAsRows(lines: string[], name = 'rows.ndjson'): Rows {
  async function* bytes() {
    yield Buffer.from(lines.map((line) => `${line}\n`).join(''))
  }
  const stream = Object.assign(bytes(), { destroy() {}, once() {} })
  return readRows([{ name, open: () => stream }], {
    badRows: 'stop',
    stage: 'view',
    signal: new AbortController().signal,
    onBadRow(message, file, line) {
      throw new Error(`${file}:${line}: ${message}`)
    },
  })
}

export async function made(lines: string[], options: Options = {}): Promise<string> {
  let text = ''
  for await (const piece of view(linesAsRows(lines), options)) text += piece
  return text
}

export const madeOf = (rows: object[], options: Options = {}) =>
  made(
    rows.map((row) => JSON.stringify(row)),
    options,
  )

/** Contents of the page's script elements, by id; the programs have numbers. */
export function scripts(page: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, attributes, content] of page.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g))
    found.set(/id="([^"]*)"/.exec(attributes!)?.[1] ?? String(found.size), content!)
  return found
}

/** What the page's own program reads. */
export async function dataOf(page: string): Promise<Data & { overview: Overview }> {
  const found = scripts(page)
  const overview = JSON.parse(found.get('overview')!) as Overview
  const index = JSON.parse(await inflated(found.get('index')!)) as Index
  const data = new Data(index, (chunk) => inflated(found.get(`chunk-${chunk}`)!))
  return Object.assign(data, { overview })
}
