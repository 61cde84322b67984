/** `--expect`: items that should be there, by number or by name. */
import { existsSync } from 'node:fs'
import { fileSource } from '../files/files.ts'
import { itemId } from '../rows/item_id.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

export interface ExpectOptions {
  /** `--id`: the field that jb-render took the ids from. */
  id?: string
}

/** The number, or undefined for a file. @throws Fatal (usage) where it is neither */
export function expectedNumber(expect: string): number | undefined {
  if (existsSync(expect)) return undefined
  if (/^[1-9]\d*$/.test(expect)) return Number(expect)
  throw usageError(`--expect ${expect}: neither a number of items nor a file of them`)
}

/** The items of the file, with their ids, each once. @throws Fatal (data) where there is none */
export async function* expectedItems(
  path: string,
  { id }: ExpectOptions,
  context: Context,
): AsyncGenerator<{ id: string; row: Row }[]> {
  const seen = new Set<string>()
  let repeated = 0
  for await (const batch of context.rows([fileSource(path)]))
    yield batch
      .map((row) => ({ id: row.get('item') ?? itemId(row, id), row }))
      .filter((one) => {
        const isNew = !seen.has(one.id)
        if (isNew) seen.add(one.id)
        // An item has several rows where they are trials.
        if (!isNew && !one.row.has('item')) repeated++
        return isNew
      })
  if (repeated > 0)
    context.note(
      `--expect ${path}: ${seen.size + repeated} rows have ${seen.size} ids: rows with one id count as one item (jb-render --id and --id name another field)`,
    )
  if (seen.size === 0 && !context.cut())
    throw new Fatal(EXIT.data, `--expect ${path}: there is no item in it`)
}
