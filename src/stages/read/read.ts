/** jb-read: other people's files → rows. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderPath } from '../../files/members.ts'
import { formatOf, formats } from '../../formats/_format.ts'
import { markedFormat } from '../../formats/_marks.ts'
import { usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { formatOfName, type ReadFormatOptions, ROWS } from './options.ts'

/** Yields the rows of the files, as the format's module reads them. */
export const read: Stage<ReadFormatOptions> = async function* (_rows, options, context) {
  if (options.completion)
    return yield readFileSync(join(folderPath('../dist/completion'), `jb.${options.completion}`), 'utf8')
  if (options.list) {
    for (const [name, { about, read }] of await formats()) if (read) yield `${name.padEnd(20)} ${about}\n`
    return
  }
  const name = context.positional[0] ?? (await formatOfFiles(context))
  const format = await formatOf(name, 'read', context.stage).catch((error) => {
    throw existsSync(name) ? formatFirst(name) : error
  })
  yield* format.read(context.sources, options, context)
}

const formatFirst = (file: string) =>
  usageError(
    `${file} is a file, and its name says no format: the format comes first, as in jb-read csv ${file} (jb-read --list shows all)`,
  )

/** The format that the files' names say, where none is named. @throws Fatal (usage) where they say none, or several */
async function formatOfFiles(context: Context): Promise<string> {
  const { sources } = context
  const found = new Set(sources.map(({ name }) => formatOfName(name)))
  const [format] = found
  if (format === ROWS) {
    const { name } = sources[0]!
    let marked: string | undefined
    for await (const [row] of context.rows(sources.slice(0, 1))) {
      marked = row && markedFormat(row)
      break
    }
    throw usageError(
      marked === undefined
        ? `${name} has rows already: give it to the filter that is to read them`
        : `${name} looks like a file of ${marked}: jb-read ${marked} ${name}`,
    )
  }
  if (format === undefined || found.size > 1) throw usageError('FORMAT is missing (jb-read --list shows all)')
  return format
}
