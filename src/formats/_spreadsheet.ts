/** CSV and TSV of results: one flat line an item, for a spreadsheet. */
import { Spool } from '../files/spool.ts'
import { count } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import type { Context } from '../rows/stage.ts'
import { type Cells, jbCells, userCells } from './_cells.ts'
import type { FormatOptions } from './_format.ts'
import { sheetWriter } from './_sheet.ts'

/** Characters of lines written to the temporary file at once. */
const PIECE = 1 << 16

/** jb's columns of an item that come first, in this order. */
const FIRST = 'item judge name model verdict score option correct consistent reason error reply'.split(' ')

/** A line: the user's fields, and jb's. */
interface SheetRow {
  user: Cells
  jb: Cells
}

/**
 * Yields the text of one table.
 * @param rows scored @param bom begin with a byte order mark
 */
export async function* spreadsheet(
  rows: Rows,
  { format, bom }: FormatOptions & { format: 'csv' | 'tsv' },
  context: Context,
): AsyncGenerator<string> {
  const written = await sheetWriter({ format })
  const columns = new Columns()
  const spool = new Spool()
  try {
    await setAside(rows, columns, spool)
    const names = columns.names(FIRST)
    yield written([names.map(({ shown }) => shown)], bom === true)
    for (let piece = 0; piece < spool.pieces; piece++) {
      const table = spool
        .read(piece)
        .toString()
        .split('\n')
        .map((line) => {
          const [user, jb] = JSON.parse(line) as [Cells, Cells]
          const values = { user: new Map(user), jb: new Map(jb) }
          return names.map(({ of, name }) => values[of].get(name) ?? '')
        })
      yield written(table)
    }
    context.summary(() => columns.summary())
  } finally {
    spool.close()
  }
}

/** Keeps lines in a temporary file: the columns are known only after the last. */
async function setAside(rows: Rows, columns: Columns, spool: Spool): Promise<void> {
  let texts: string[] = []
  let length = 0
  const write = () => {
    spool.add(Buffer.from(texts.join('\n')))
    texts = []
    length = 0
  }
  for await (const batch of rows)
    for (const row of batch) {
      const line = { user: userCells(row), jb: jbCells(row) }
      columns.add(line)
      const text = JSON.stringify([line.user, line.jb])
      texts.push(text)
      length += text.length
      if (length >= PIECE) write()
    }
  if (texts.length > 0) write()
}

/** The columns so far: the user's in order of appearance, then jb's. */
class Columns {
  private readonly user = new Set<string>()
  private readonly jb = new Set<string>()
  private readonly failures = new Map<string, number>()
  private lines = 0

  add({ user, jb }: SheetRow): void {
    for (const [name] of user) this.user.add(name)
    for (const [name, value] of jb) {
      this.jb.add(name)
      if (name === 'error') count(this.failures, value.slice(0, value.indexOf(':')), 1)
    }
    this.lines++
  }

  /** Column names; jb's get the prefix `jb_` where the user has a column of that name. */
  names(order: readonly string[]): { of: 'user' | 'jb'; name: string; shown: string }[] {
    const free = (name: string): string => (this.user.has(name) ? free(`jb_${name}`) : name)
    // A later row may add columns of the item: they still come before those of games and criteria.
    const first = order.filter((name) => this.jb.has(name))
    const rest = [...this.jb].filter((name) => !order.includes(name))
    return [
      ...[...this.user].map((name) => ({ of: 'user' as const, name, shown: name })),
      ...[...first, ...rest].map((name) => ({ of: 'jb' as const, name, shown: free(name) })),
    ]
  }

  summary(): string {
    const failed = [...this.failures].map(([code, n]) => `${code} ${n}`).join(', ')
    return failed === '' ? '' : `${this.lines} items, failed: ${failed}`
  }
}
