/** `jb-view --text`: one card per item. */

import { gunzipSync } from 'node:zlib'
import { Spool } from '../../../files/spool.ts'
import { styled } from '../../../formats/_table.ts'
import type { Rows } from '../../../rows/reader.ts'
import type { Context } from '../../../rows/stage.ts'
import { collectItems, noteFindings } from '../collect.ts'
import type { ViewOptions } from '../options.ts'
import { Data } from '../page/data.ts'
import { card } from './card.ts'

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
    const data = new Data(collected.index, async (chunk) => gunzipSync(spool.read(chunk)).toString())
    for (let item = 0; item < collected.index.ids.length; item++) {
      if (context.stop.aborted) return
      yield card(await data.rowsOf(item), collected, item, { width, style })
    }
  } finally {
    spool.close()
  }
}
