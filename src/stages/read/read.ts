/** jb-read: files of other programs → rows. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFolder } from '../../files/folder.ts'
import { folderPath } from '../../files/members.ts'
import { listEntry, roomOf } from '../../formats/_fit.ts'
import { formatMembers, formatOf } from '../../formats/_format.ts'
import { markedFormat } from '../../formats/_marks.ts'
import { EXIT, usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { formatOfName, type ReadFormatOptions, ROWS } from './options.ts'

/** Yields the rows of the files, as the format's module reads them. */
export const read: Stage<ReadFormatOptions> = async function* (_rows, options, context) {
  if (options.completion)
    return yield readFileSync(join(folderPath('../dist/completion'), `jb.${options.completion}`), 'utf8')
  if (options.list) {
    for (const { name, about } of await formatMembers('read').all())
      yield listEntry(`${name.padEnd(20)} `, about, roomOf(context))
    return
  }
  const name = context.positional[0] ?? (await formatOfFiles(context))
  const format = await formatOf(name, 'read').catch((error) => {
    throw existsSync(name) ? formatFirst(name) : error
  })
  let rows = 0
  let lacking = 0
  for await (const batch of format.read(context.sources, options, context)) {
    rows += batch.length
    for (const { failure } of batch) if (failure?.code === 'missing_field') lacking++
    yield batch
  }
  if (rows > 0 && lacking === rows && !context.cut())
    context.finish(EXIT.data, `no row has the fields of ${name} (jb-read --list shows all formats)`)
}

const formatFirst = (file: string) =>
  usageError(
    `${file} is a ${isFolder(file) ? 'folder' : 'file, and its name says no format'}: the format comes first, as in jb-read csv ${file} (jb-read --list shows all)`,
  )

/** The format by the endings of the files' names. @throws Fatal (usage) for rows, for several formats, and for none */
async function formatOfFiles(context: Context): Promise<string> {
  const { sources } = context
  const byKind = new Map(sources.map(({ name }) => [kindOf(name), name]))
  if (byKind.size > 1) {
    const kinds = [...byKind].map(([kind, name]) => `${name} ${kind}`)
    throw usageError(`read the files of each format in a run of its own: ${kinds.join(', ')}`)
  }
  const format = formatOfName(sources[0]?.name ?? '')
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
  if (format === undefined) throw usageError('FORMAT is missing (jb-read --list shows all)')
  return format
}

function kindOf(file: string): string {
  const format = formatOfName(file)
  if (format === undefined) return 'has no known ending'
  return format === ROWS ? 'has rows already' : `is ${format}`
}
