/** `jb-write mt-bench --save`: the JSON and the CSV of MT-bench's rating extraction, in one run. */
import { writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../files/folder.ts'
import { PartFile, replaceFile } from '../files/part_file.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import type { FormatOptions } from './_format.ts'
import { judgmentsOf } from './_judgments.ts'
import { ratingLines } from './_mt_bench_csv.ts'

/** A file of --save: `DIR/evaluation`, or the name of the .json that is given. */
const pathOf = (save: string, ending: '.csv' | '.json') =>
  (save.endsWith('.json') ? save.slice(0, -'.json'.length) : join(save, 'evaluation')) + ending

/** @throws Fatal (write error) */
function writing<T>(path: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw new Fatal(EXIT.io, `cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Yields the same rows; with --save it writes their CSV, which takes its place when it is complete. */
export async function* withCsv(rows: Rows, options: FormatOptions, context: Context): Rows {
  if (options.save === undefined) return yield* rows
  const path = pathOf(String(options.save), '.csv')
  const { head, linesOf } = await ratingLines(options)
  const file = writing(path, () => {
    makeFolder(dirname(path))
    return new PartFile(path)
  })
  const write = (text: string) => writing(path, () => writeSync(file.descriptor, text))
  try {
    write(head)
    for await (const batch of rows) {
      write(linesOf(batch.flatMap((row) => judgmentsOf(row, context.note))))
      yield batch
    }
    if (!context.cut()) writing(path, () => file.complete())
  } finally {
    file.close()
  }
}

/** Writes the JSON, if --save is given and the input is whole. @throws Fatal (write error) */
export function saveJson(text: string, { save }: FormatOptions, context: Context): void {
  if (save === undefined || context.cut()) return
  const path = pathOf(String(save), '.json')
  writing(path, () => replaceFile(path, text))
}
