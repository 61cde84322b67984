/** The original whose ways hold for a stream: that of `--compat`, else that of the rows' own mark (`jb.compat`). */
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, type ORIGINALS } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { checkSettings } from './kind.ts'

type Original = (typeof ORIGINALS)[number]

interface CompatOptions {
  compat?: Original | 'none' | undefined
  labelMap?: string | undefined
  criteria?: string[]
}

/** The rows, and the options with the original that holds for them. */
interface Followed<O extends CompatOptions> {
  rows: Rows
  options: Omit<O, 'compat'> & { compat: Original | undefined }
}

/** Rows without a verdict or a mark that are held until one tells; with none among them, no original holds. */
const LOOKED_AT = 10_000

/** Of a filter that reads one stream: see {@link Marks}. */
export async function followed<O extends CompatOptions>(
  rows: Rows,
  options: O,
  context: Pick<Context, 'note'>,
): Promise<Followed<O>> {
  const { compat, rows: checked } = await new Marks(options, context).of(rows)
  return { rows: checked, options: { ...options, compat } }
}

/** One original for all streams that a filter reads: that of `--compat`, else that of the rows, which is said once. */
export class Marks {
  private first: Marked | undefined
  private readonly options: CompatOptions
  private readonly context: Pick<Context, 'note'>

  constructor(options: CompatOptions, context: Pick<Context, 'note'>) {
    this.options = options
    this.context = context
  }

  /**
   * The same rows, and the original. Reads rows up to the first that tells.
   * @throws Fatal (data), when the rows are read, for rows that are marked differently
   */
  async of(rows: Rows): Promise<{ rows: Rows; compat: Original | undefined }> {
    const { compat } = this.options
    if (compat !== undefined) return { rows, compat: compat === 'none' ? undefined : compat }
    await checkSettings({ ...this.options })
    const all = rows[Symbol.asyncIterator]()
    const read: Row[][] = []
    let seen = 0
    while (this.first === undefined) {
      const next = await all.next()
      if (next.done) break
      read.push(next.value)
      for (const row of next.value) {
        const found = ++seen > LOOKED_AT ? { mark: undefined, place: row.place } : marked(row)
        if (found === undefined) continue
        this.follow(found)
        break
      }
    }
    return { rows: checked(read, all, this.first), compat: this.first?.mark }
  }

  private follow(first: Marked): void {
    this.first = first
    if (first.mark !== undefined)
      this.context.note(
        `adds up as ${first.mark} does: the rows say so (jb.compat); --compat none turns that off`,
      )
  }
}

/** A row that tells whether an original's ways hold. */
interface Marked {
  mark: Original | undefined
  place: string
}

/** Undefined for a row that tells nothing: a failure from before it had a mark, and what is neither verdict nor result. */
function marked(row: Row): Marked | undefined {
  const mark = markOf(row)
  return mark !== undefined || row.has('verdict') || row.has('result')
    ? { mark, place: row.place }
    : undefined
}

/** Undefined for a bad one, too: the row fails where it is scored. */
function markOf(row: Row): Original | undefined {
  try {
    return row.get('compat')
  } catch {
    return undefined
  }
}

async function* checked(read: Row[][], all: AsyncIterator<Row[]>, first: Marked | undefined): Rows {
  try {
    for (const batch of read) yield checkedBatch(batch, first)
    for (;;) {
      const next = await all.next()
      if (next.done) return
      yield checkedBatch(next.value, first)
    }
  } finally {
    await all.return?.()
  }
}

function checkedBatch(batch: Row[], first: Marked | undefined): Row[] {
  for (const row of batch) {
    const one = marked(row)
    if (one && first && one.mark !== first.mark)
      throw new Fatal(
        EXIT.data,
        `${one.place}: jb.compat is ${one.mark ?? 'not there'}, and ${first.mark ?? 'not there'} in ${first.place}: say which holds for all, --compat ${one.mark ?? first.mark} or --compat none`,
      )
  }
  return batch
}
