/** --format csv for rows: one flat line per row, for a spreadsheet. */
import { Spool } from '../files/spool.ts'
import { count } from '../rows/maps.ts'
import type { Context } from '../rows/stage.ts'
import type { Cells } from './_cells.ts'

/** Characters of lines written to the temporary file at once. */
const PIECE = 1 << 20

/** Options of a table (options/common.ts). */
interface TableOptions {
  format: string
  bom: boolean
  safe: boolean
}

/** A line: the user's fields, and jb's. */
interface SheetRow {
  user: Cells
  jb: Cells
}

/**
 * Yields the text of one table. The columns are known only after the last line, so lines wait in a temporary file.
 * @param lines in batches
 * @param first jb's columns that come first, in this order
 * @param what what a line is, for the summary
 */
export async function* spreadsheet(
  lines: AsyncIterable<Iterable<SheetRow>>,
  { format, bom, safe }: TableOptions,
  { first, what }: { first: readonly string[]; what: string },
  context: Context,
): AsyncGenerator<string> {
  const { stringify } = await import('csv-stringify/sync')
  const form = { delimiter: format === 'tsv' ? '\t' : ',', escape_formulas: safe }
  const columns = new Columns()
  const spool = new Spool()
  try {
    let texts: string[] = []
    let length = 0
    const setAside = () => {
      spool.add(Buffer.from(texts.join('\n')))
      texts = []
      length = 0
    }
    for await (const batch of lines)
      for (const line of batch) {
        columns.add(line)
        const text = JSON.stringify([line.user, line.jb])
        texts.push(text)
        length += text.length
        if (length >= PIECE) setAside()
      }
    if (texts.length > 0) setAside()
    const names = columns.names(first)
    yield stringify([names.map(({ shown }) => shown)], { ...form, bom })
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
      yield stringify(table, form)
    }
    context.summary(() => columns.summary(what))
  } finally {
    spool.close()
  }
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

  summary(what: string): string {
    const failed = [...this.failures].map(([code, n]) => `${code} ${n}`).join(', ')
    return failed === '' ? '' : `${this.lines} ${what}, failed: ${failed}`
  }
}
