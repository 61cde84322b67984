/** `jb-view --text`: one card per item. */

import { gunzipSync } from 'node:zlib'
import { Spool } from '../../../files/spool.ts'
import { styled } from '../../../formats/_table.ts'
import type { Rows } from '../../../rows/reader.ts'
import type { Jb, JsonObject } from '../../../rows/record.ts'
import type { Context } from '../../../rows/stage.ts'
import { collectItems, noteFindings, type ViewData } from '../collect.ts'
import type { ViewOptions } from '../options.ts'
import { card, type ItemText } from './card.ts'

/** The width of a card if the terminal's is unknown, and the most. */
const WIDTH = 80
const WIDEST = 120

export async function* cards(rows: Rows, options: ViewOptions, context: Context): AsyncGenerator<string> {
  const columns = Number(context.env.COLUMNS) || context.terminal.columns || WIDTH
  const width = Math.max(20, Math.min(WIDEST, columns))
  const style = styled(context.terminal.color)
  const spool = new Spool()
  try {
    const collected = await collectItems(rows, spool, (bytes) => bytes, options, context)
    noteFindings(collected, context.note)
    const read = reader(collected, spool)
    for (let item = 0; item < collected.index.ids.length; item++) {
      if (context.stop.aborted) return
      yield card(read(item), collected, item, { width, style })
    }
  } finally {
    spool.close()
  }
}

/** The number of decompressed chunks in the cache: runs mostly have their items in the same order. */
const KEPT = 12

/** Returns a function that reads an item's rows from the spool. */
function reader({ index }: ViewData, spool: Spool): (item: number) => ItemText {
  const rowsOf: number[][] = index.ids.map(() => [])
  for (const [row, item] of index.rowItem.entries()) rowsOf[item]!.push(row)
  const kept = new Map<number, string[]>()
  const lines = (chunk: number) => {
    const found = kept.get(chunk) ?? gunzipSync(spool.read(chunk)).toString().split('\n')
    kept.delete(chunk)
    kept.set(chunk, found)
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
    return found
  }
  return (item) => {
    let user: JsonObject = {}
    const rows: ItemText['rows'] = []
    for (const [i, row] of rowsOf[item]!.entries()) {
      const chunk = index.chunks.findLastIndex((begin) => begin <= row)
      const at = 2 * (row - index.chunks[chunk]!)
      const [own, jb] = lines(chunk).slice(at, at + 2) as [string, string]
      if (i === 0) user = JSON.parse(own) as JsonObject
      rows.push({ run: index.rowRun[row]!, jb: JSON.parse(jb) as Jb })
    }
    return { item: user, rows }
  }
}
