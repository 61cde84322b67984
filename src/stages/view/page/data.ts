/** The rows by item, for the page and for cards. Chunks are decompressed on demand. */
import { exactJson, writtenJson } from '../../../rows/exact_json.ts'
import { valueAt } from '../../../rows/value_at.ts'
import type { Index } from '../model.ts'

// biome-ignore lint/suspicious/noExplicitAny: a row holds whatever its user put there
export type Any = any

/** The value at a dotted path, as `valueAt` finds it. */
export const fieldAt = (item: Any, path: string | undefined): Any =>
  path === undefined ? undefined : valueAt(item, path)

export interface ItemRows {
  item: Record<string, Any>
  /** `item`: the user's keys of a row, if they differ from the first row's. */
  rows: { run: number; jb: Record<string, Any>; item?: Record<string, Any> }[]
}

/** The number of decompressed chunks in the cache: runs mostly have their items in the same order. */
const CACHED = 12

export class Data {
  readonly index: Index
  /** Places of items by id. */
  readonly places: ReadonlyMap<string, number>
  private readonly text: (chunk: number) => Promise<string>
  private readonly cache = new Map<number, Promise<string[]>>()
  private readonly begins: Uint32Array
  private readonly rowsBy: Uint32Array

  /** @param text decompresses a chunk */
  constructor(index: Index, text: (chunk: number) => Promise<string>) {
    this.index = index
    this.text = text
    this.places = new Map(index.ids.map((id, place) => [id, place]))
    // The rows of item i are rowsBy[begins[i]] to rowsBy[begins[i + 1] - 1].
    const begins = new Uint32Array(index.ids.length + 1)
    for (const item of index.rowItem) begins[item + 1]!++
    for (let i = 0; i < index.ids.length; i++) begins[i + 1]! += begins[i]!
    const next = begins.slice()
    this.rowsBy = new Uint32Array(index.rowItem.length)
    for (const [row, item] of index.rowItem.entries()) this.rowsBy[next[item]!++] = row
    this.begins = begins
  }

  /** All rows of an item, in the order of the input. */
  async rowsOf(item: number): Promise<ItemRows> {
    const found: ItemRows = { item: {}, rows: [] }
    const { begins, rowsBy, index } = this
    for (let at = begins[item]!; at < begins[item + 1]!; at++) {
      const row = rowsBy[at]!
      const [user, jb] = await this.linesOf(row)
      const own = user === '' ? undefined : (readExactly(user) as Record<string, Any>)
      if (at === begins[item]) found.item = own ?? {}
      found.rows.push({
        run: index.rowRun[row]!,
        jb: readExactly(jb),
        ...(at > begins[item]! && own && { item: own }),
      })
    }
    return found
  }

  /** The original of a copy with a change, as the user's keys have it; undefined if it is not in the rows. */
  async originalOf({ rows }: ItemRows): Promise<ItemRows['item'] | undefined> {
    const place = this.places.get(rows[0]?.jb.probe?.of)
    return place === undefined ? undefined : (await this.rowsOf(place)).item
  }

  private async linesOf(row: number): Promise<[user: string, jb: string]> {
    const chunk = this.index.chunks.findLastIndex((begin) => begin <= row)
    const lines = await this.lines(chunk)
    const at = 2 * (row - this.index.chunks[chunk]!)
    return [lines[at]!, lines[at + 1]!]
  }

  private lines(chunk: number): Promise<string[]> {
    let lines = this.cache.get(chunk)
    if (lines) this.cache.delete(chunk)
    else lines = this.text(chunk).then((text) => text.split('\n'))
    this.cache.set(chunk, lines)
    const [oldest] = this.cache.keys()
    if (this.cache.size > CACHED) this.cache.delete(oldest!)
    return lines
  }

  /** Searches all rows, chunk by chunk, until `stop` returns true. Yields the items found and the share of data searched. */
  async *search(words: string, stop: () => boolean): AsyncGenerator<{ items: Set<number>; share: number }> {
    const { chunks, rowItem, ids, titles } = this.index
    const wanted = words.toLowerCase()
    // Rows are JSON text.
    const inText = JSON.stringify(wanted).slice(1, -1)
    const items = new Set<number>()
    for (let i = 0; i < ids.length; i++)
      if (ids[i]!.toLowerCase().includes(wanted) || titles[i]!.toLowerCase().includes(wanted)) items.add(i)
    yield { items, share: chunks.length === 0 ? 1 : 0 }
    for (let chunk = 0; chunk < chunks.length; chunk++) {
      const text = unescaped(await this.text(chunk)).toLowerCase()
      if (stop()) return
      for (const line of linesWith(text, inText)) items.add(rowItem[chunks[chunk]! + (line >> 1)]!)
      yield { items, share: (chunk + 1) / chunks.length }
    }
  }
}

/** The numbers of the lines that contain the word. */
export function* linesWith(text: string, word: string): Generator<number> {
  let line = 0
  let begin = 0
  for (let at = text.indexOf(word); at >= 0; ) {
    for (let end = text.indexOf('\n', begin); end >= 0 && end < at; end = text.indexOf('\n', begin)) {
      line++
      begin = end + 1
    }
    yield line
    const end = text.indexOf('\n', at)
    at = end < 0 ? -1 : text.indexOf(word, end)
  }
}

/** JSON text with only the escapes of JSON.stringify: not `\\u00e9` for é, or `\\/`. */
function unescaped(text: string): string {
  if (!text.includes('\\u') && !text.includes('\\/')) return text
  return text.replace(/(?:\\u[0-9a-f]{4})+|\\[^u]/gi, (found) =>
    /^\\[u/]/.test(found) ? JSON.stringify(JSON.parse(`"${found}"`)).slice(1, -1) : found,
  )
}

/** Levels of a value that are shown, if it is nested more deeply than can be walked. */
const SHOWN = 100

/** A value that knows how its numbers are written, and can be walked. */
function readExactly(text: string): Any {
  const value = exactJson(text)
  try {
    writtenJson(value)
    return value
  } catch {
    return cutBelow(value, SHOWN)
  }
}

function cutBelow(value: Any, levels: number): Any {
  if (value === null || typeof value !== 'object') return value
  if (levels === 0) return '…'
  if (Array.isArray(value)) return value.map((one) => cutBelow(one, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutBelow(one, levels - 1)]))
}
