/** Other people's files, in and out: one module a format. */

import { members } from '../files/members.ts'
import { nearest } from '../options/nearest.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { type StageName, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** Options of the filter that asks, by camel-case name. */
export type FormatOptions = Record<string, unknown>

export interface Format {
  /** A line for --list. */
  about: string
  /** jb-read NAME: other people's files → rows. */
  read?(sources: Source[], options: FormatOptions, context: Context): AsyncIterable<Row[]>
  /** jb-aggregate --as NAME: scored rows → the original's output. */
  write?(rows: Rows, options: FormatOptions, context: Context): AsyncIterable<string>
  /** jb-aggregate --as NAME: takes rows as they come (verdicts), not scored ones. */
  unscored?: boolean
  /** It is written with options for measures and their files, which jb-aggregate alone has. */
  measured?: boolean
}

/** Every format, by name. */
export async function formats(): Promise<Map<string, Format>> {
  return new Map(await Promise.all(members('formats').map(async (name) => [name, await load(name)] as const)))
}

/** The format of that name that can do that, for this filter. @throws Fatal (usage) with the names there are */
export async function formatOf<K extends 'read' | 'write'>(
  name: string,
  can: K,
  stage: StageName,
): Promise<Format & Required<Pick<Format, K>>> {
  const fits = (format: Format) => format[can] !== undefined && !(stage === 'score' && format.measured)
  const format = members('formats').includes(name) ? await load(name) : undefined
  if (format && fits(format)) return format as Format & Required<Pick<Format, K>>
  const names = [...(await formats())].filter(([, format]) => fits(format)).map(([known]) => known)
  const near = nearest(name, names)
  const why = format?.[can]
    ? `"${name}" is for jb-aggregate to ${can}`
    : `no format "${name}" to ${can}${near ? `: did you mean ${near}?` : ''}`
  throw usageError(`${why} (there are: ${names.join(', ')})`)
}

async function load(name: string): Promise<Format> {
  return ((await import(`./${name}.ts`)) as { format: Format }).format
}
