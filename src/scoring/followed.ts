/** The original whose ways hold for a stream: that of `--compat`, else that of the rows' own mark (`jb.compat`). */
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, type ORIGINALS } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { checkLabelMap } from './label_map.ts'

type Original = (typeof ORIGINALS)[number]

interface CompatOptions {
  compat?: Original | 'none' | undefined
  labelMap?: string | undefined
}

/** The rows, and the options with the original that holds for them; a mark that is followed is said once. */
export interface Followed<O extends CompatOptions> {
  rows: Rows
  options: Omit<O, 'compat'> & { compat: Original | undefined }
}

/**
 * Follows the rows' mark unless `--compat` is given. Reads rows up to the first that tells.
 * @throws Fatal (data), when the rows are read, for rows that are marked differently
 */
export async function followed<O extends CompatOptions>(
  rows: Rows,
  options: O,
  { note }: Pick<Context, 'note'>,
): Promise<Followed<O>> {
  const { compat } = options
  if (compat !== undefined)
    return { rows, options: { ...options, compat: compat === 'none' ? undefined : compat } }
  // What is wrong with the options is said before the input comes.
  checkLabelMap(options)
  const all = rows[Symbol.asyncIterator]()
  const read: Row[][] = []
  let first: Marked | undefined
  while (first === undefined) {
    const next = await all.next()
    if (next.done) break
    read.push(next.value)
    for (const row of next.value) first ??= marked(row)
  }
  const mark = first?.mark
  if (mark !== undefined)
    note(`adds up as ${mark} does: the rows say so (jb.compat); --compat none turns that off`)
  return { rows: checked(read, all, first), options: { ...options, compat: mark } }
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
