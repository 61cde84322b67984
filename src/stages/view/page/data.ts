/** The rows of the page: chunks are unpacked when one of their rows is asked for. */
import { valueAt } from '../../../rows/value_at.ts'
import type { Index, Overview } from '../model.ts'
import { inflated } from './unpack.ts'

// biome-ignore lint/suspicious/noExplicitAny: a row holds whatever its user put there
export type Any = any

/** The value at a dotted path, with valueAt's meaning, of an item as the page has it. */
export const fieldAt = (item: Any, path: string | undefined): Any =>
  path === undefined ? undefined : valueAt(item, path)

export interface ItemRows {
  /** The user's part, by run where rows of one item differ in it; the first is the item's. */
  item: Record<string, Any>
  rows: { run: number; jb: Record<string, Any>; item?: Record<string, Any> }[]
}

/** Chunks that are kept unpacked. */
const KEPT = 6

export class Data {
  readonly index: Index
  readonly overview: Overview
  /** Place of an item by its id. */
  readonly places: ReadonlyMap<string, number>
  private readonly packed: (chunk: number) => string
  private readonly whole: Promise<void>
  private readonly cache = new Map<number, Promise<string[]>>()
  private readonly begins: Uint32Array
  private readonly rowsBy: Uint32Array

  /**
   * @param packed text of a chunk, by number
   * @param whole resolves when all chunks are there
   */
  constructor(
    overview: Overview,
    index: Index,
    packed: (chunk: number) => string,
    whole: Promise<void> = Promise.resolve(),
  ) {
    this.whole = whole
    this.overview = overview
    this.index = index
    this.packed = packed
    this.places = new Map(index.ids.map((id, place) => [id, place]))
    // Rows by item: where each item's begin, then the rows.
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
      const own = user === '' ? undefined : (parsedExactly(user) as Record<string, Any>)
      if (at === begins[item]) found.item = own ?? {}
      found.rows.push({
        run: index.rowRun[row]!,
        jb: parsedExactly(jb),
        ...(at > begins[item]! && own && { item: own }),
      })
    }
    return found
  }

  private async linesOf(row: number): Promise<[user: string, jb: string]> {
    await this.whole
    const chunk = this.index.chunks.findLastIndex((begin) => begin <= row)
    const lines = await this.lines(chunk)
    const at = 2 * (row - this.index.chunks[chunk]!)
    return [lines[at]!, lines[at + 1]!]
  }

  private lines(chunk: number): Promise<string[]> {
    let lines = this.cache.get(chunk)
    if (lines) this.cache.delete(chunk)
    else lines = inflated(this.packed(chunk)).then((text) => text.split('\n'))
    this.cache.set(chunk, lines)
    const [oldest] = this.cache.keys()
    if (this.cache.size > KEPT) this.cache.delete(oldest!)
    return lines
  }

  /**
   * Items with the words anywhere in their rows, chunk by chunk, until `stop` returns true. It searches JSON text, so
   * the words are escaped as JSON.stringify does it.
   */
  async *search(words: string, stop: () => boolean): AsyncGenerator<{ items: Set<number>; share: number }> {
    const { chunks, rowItem, ids, titles } = this.index
    const wanted = words.toLowerCase()
    const inText = JSON.stringify(wanted).slice(1, -1)
    const items = new Set<number>()
    for (let i = 0; i < ids.length; i++)
      if (ids[i]!.toLowerCase().includes(wanted) || titles[i]!.toLowerCase().includes(wanted)) items.add(i)
    yield { items, share: chunks.length === 0 ? 1 : 0 }
    await this.whole
    for (let chunk = 0; chunk < chunks.length; chunk++) {
      const text = unescaped(await inflated(this.packed(chunk))).toLowerCase()
      if (stop()) return
      for (const line of linesWith(text, inText)) items.add(rowItem[chunks[chunk]! + (line >> 1)]!)
      yield { items, share: (chunk + 1) / chunks.length }
    }
  }
}

/** Numbers of the lines that hold the word. */
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

/** JSON text with only the escapes that JSON.stringify writes: `\\u00e9` is é, `\\/` a slash. */
function unescaped(text: string): string {
  if (!text.includes('\\u') && !text.includes('\\/')) return text
  return text.replace(/(?:\\u[0-9a-f]{4})+|\\[^u]/gi, (found) =>
    /^\\[u/]/.test(found) ? JSON.stringify(JSON.parse(`"${found}"`)).slice(1, -1) : found,
  )
}

/** JSON with numbers as they stand where a double would change them. */
export function parsedExactly(text: string): Any {
  return JSON.parse(text, ((_key, value, ...context: unknown[]) => {
    const source = (context[0] as { source?: string } | undefined)?.source
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value
    return Number.isSafeInteger(value) || source.length < 16 ? value : source
  }) as (key: string, value: Any) => Any)
}
