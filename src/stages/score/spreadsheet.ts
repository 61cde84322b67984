/** jb-score --format csv: one flat line an item, for a spreadsheet. */
import { Spool } from '../../files/spool.ts'
import { firstRows } from '../../rows/first.ts'
import { itemId } from '../../rows/item_id.ts'
import type { Rows } from '../../rows/reader.ts'
import { usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import type { Context } from '../../rows/stage.ts'
import { scoredRows } from '../../scoring/_scored.ts'
import { count } from '../../statistics/count.ts'
import { type Cells, jbCells, type ReplyText, userCells } from './cells.ts'
import type { ScoreOptions } from './options.ts'

/** Bytes of lines that are set aside together. */
const PIECE = 1 << 20

/**
 * Yields the text of one table. Which columns there are is known when the last row has been read: until then lines
 * wait in a temporary file.
 */
export async function* spreadsheet(
  rows: Rows,
  options: ScoreOptions,
  context: Context,
): AsyncGenerator<string> {
  if (options.as !== undefined) throw usageError('--format is for results, not for --as')
  const { stringify } = await import('csv-stringify/sync')
  const form = {
    delimiter: options.format === 'tsv' ? '\t' : ',',
    escape_formulas: options.safe,
  }
  const replies = new Replies()
  const columns = new Columns()
  const spool = new Spool()
  try {
    let lines: string[] = []
    let length = 0
    const setAside = () => {
      spool.add(Buffer.from(lines.join('\n')))
      lines = []
      length = 0
    }
    const scored = scoredRows(replies.watched(rows), options, context)
    for await (const batch of firstRows(scored, options.limit))
      for (const row of batch) {
        const line = JSON.stringify(columns.add(userCells(row), jbCells(row, replies.take(row))))
        lines.push(line)
        length += line.length
        if (length >= PIECE) setAside()
      }
    if (lines.length > 0) setAside()
    const names = columns.names()
    yield stringify([names.map(({ shown }) => shown)], { ...form, bom: options.bom })
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
    context.summary(() => columns.summary())
  } finally {
    spool.close()
  }
}

/** The columns so far: the user's in the order in which they appear, then jb's. */
class Columns {
  private readonly user = new Set<string>()
  private readonly jb = new Set<string>()
  private readonly failures = new Map<string, number>()
  private items = 0

  add(user: Cells, jb: Cells): [Cells, Cells] {
    for (const [name] of user) this.user.add(name)
    for (const [name, value] of jb) {
      this.jb.add(name)
      if (name === 'error') count(this.failures, value.slice(0, value.indexOf(':')), 1)
    }
    this.items++
    return [user, jb]
  }

  /** A name that the user has too is jb's with `jb_` before it. */
  names(): { of: 'user' | 'jb'; name: string; shown: string }[] {
    const free = (name: string): string => (this.user.has(name) ? free(`jb_${name}`) : name)
    // Columns of a game or a criterion stand behind those of the item, which a later row may add.
    const first = ORDER.filter((name) => this.jb.has(name))
    const rest = [...this.jb].filter((name) => !ORDER.includes(name))
    return [
      ...[...this.user].map((name) => ({ of: 'user' as const, name, shown: name })),
      ...[...first, ...rest].map((name) => ({ of: 'jb' as const, name, shown: free(name) })),
    ]
  }

  summary(): string {
    const failed = [...this.failures].map(([code, n]) => `${code} ${n}`).join(', ')
    return failed === '' ? '' : `${this.items} items, failed: ${failed}`
  }
}

/** Columns of an item, in the order in which they stand. */
const ORDER = [
  'item',
  'judge',
  'name',
  'model',
  'verdict',
  'score',
  'option',
  'correct',
  'consistent',
  'reason',
  'error',
  'reply',
]

/** Texts of replies, kept until their item is complete: a result has none. */
class Replies {
  private readonly texts = new Map<string, Map<number, ReplyText>>()

  async *watched(rows: Rows): Rows {
    for await (const batch of rows) {
      for (const row of batch) if (row.has('reply')) this.keep(row)
      yield batch
    }
  }

  private keep(row: Row): void {
    const text = row.part('reply', 'text')
    if (typeof text !== 'string') return
    const model = row.part('reply', 'model')
    const key = keyOf(row, typeof model === 'string' ? model : undefined)
    const reason = row.part('reply', 'reasoning')
    const n = Number(row.part('trial', 'n') ?? 0)
    const kept = this.texts.get(key) ?? new Map<number, ReplyText>()
    this.texts.set(key, kept.set(n, { text, ...(typeof reason === 'string' && { reason }) }))
  }

  /** The texts of a result's trials, which are kept no longer. */
  take(row: Row): Map<number, ReplyText> {
    const found = new Map<number, ReplyText>()
    const trials = row.has('trials') ? row.get('trials') : undefined
    const models = new Set((trials ?? []).map(({ model }) => model))
    for (const model of models) {
      const key = keyOf(row, model)
      for (const [n, text] of this.texts.get(key) ?? []) found.set(n, text)
      this.texts.delete(key)
    }
    return found
  }
}

const keyOf = (row: Row, model: string | undefined): string =>
  JSON.stringify([row.get('item') ?? itemId(row), row.get('judge'), row.get('name'), model])
