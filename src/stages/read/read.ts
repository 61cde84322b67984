/** jb-read: other people's files → rows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderPath } from '../../files/members.ts'
import { formatOf, formats } from '../../formats/_format.ts'
import { usageError } from '../../rows/record.ts'
import type { Stage } from '../../rows/stage.ts'
import type { ReadOptions } from './options.ts'

/** Yields the rows of the files, as the format's module reads them. */
export const read: Stage<ReadOptions> = async function* (_rows, options, context) {
  if (options.completion)
    return yield readFileSync(join(folderPath('../docs/completion'), `jb.${options.completion}`), 'utf8')
  if (options.list) {
    for (const [name, { about, read }] of await formats()) if (read) yield `${name.padEnd(20)} ${about}\n`
    return
  }
  const [name] = context.positional
  if (name === undefined) throw usageError('FORMAT is missing (jb-read --list shows all)')
  const of = fileFormat(name)
  if (of !== undefined) throw usageError(`the format comes first: jb-read ${of} ${name}`)
  const format = await formatOf(name, 'read', context.stage)
  yield* format.read(context.sources, options, context)
}

/** The format by the ending of a file's name; undefined for any other word. */
function fileFormat(name: string): string | undefined {
  const [, ending] = /\.(csv|tsv|json|jsonl|ndjson|parquet)(?:\.gz)?$/i.exec(name) ?? []
  if (ending === undefined) return undefined
  const formats: Record<string, string> = { csv: 'csv', tsv: 'csv', json: 'json', parquet: 'parquet' }
  return formats[ending.toLowerCase()] ?? 'FORMAT'
}
