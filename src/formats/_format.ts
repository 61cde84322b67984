/** Other programs' file formats, read and written: one module per format. */

import { members } from '../files/members.ts'
import { didYouMean } from '../options/nearest.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { type Json, type JsonObject, type StageName, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** Options of the filter that uses the format, by camel-case name. */
export type FormatOptions = Record<string, unknown>

export interface Format {
  /** Its line in --list. */
  about: string
  /** jb-read NAME: files → rows. */
  read?(sources: Source[], options: FormatOptions, context: Context): AsyncIterable<Row[]>
  /** jb-aggregate --as NAME: scored rows → the output of the original program. */
  write?(rows: Rows, options: FormatOptions, context: Context): AsyncIterable<string>
  /** `write` takes the input rows (verdicts), not scored ones. */
  unscored?: boolean
  /** `write` may write any field of a row. */
  whole?: boolean
  /** The `--compat` under which `write` counts every row, also one that occurs again, as that program does. */
  countsRepeats?: string
  /** `write` also takes rows without a verdict. */
  converts?: boolean
  /** `write` needs the options for measures and their files, which only jb-aggregate has. */
  measured?: boolean
  /** `write` counts missing values and checks --max-error-rate itself. */
  countsMissing?: boolean
  /** The overall figure that --fail-under compares, taken from jb's own report of the same rows. */
  overall?: Overall
}

export type Writer = Format & Required<Pick<Format, 'write'>>

/** A figure of a report, and its name in messages; undefined where no item is valid. */
export type Overall = (report: JsonObject) => [name: string, value: Json | undefined]

/** `count` as a share of `of`; undefined where `of` is 0. */
export const share = (count: Json | undefined, of: Json | undefined) =>
  of ? Number(count ?? 0) / Number(of) : undefined

/** Every format, by name. */
export async function formats(): Promise<Map<string, Format>> {
  return new Map(await Promise.all(members('formats').map(async (name) => [name, await load(name)] as const)))
}

/** The format of that name, if it can read or write for this filter. @throws Fatal (usage) that lists the names */
export async function formatOf<K extends 'read' | 'write'>(
  name: string,
  can: K,
  stage: StageName,
): Promise<Format & Required<Pick<Format, K>>> {
  const format = members('formats').includes(name) ? await load(name) : undefined
  if (format && fits(format, can, stage)) return format as Format & Required<Pick<Format, K>>
  const names = await namesOf((one) => fits(one, can, stage))
  const why = format?.[can]
    ? `"${name}" is for jb-aggregate to ${can}`
    : `no format "${name}" to ${can}${didYouMean(name, names)}`
  throw usageError(`${why} (there are: ${names.join(', ')})`)
}

const fits = (format: Format, can: 'read' | 'write', stage: StageName) =>
  format[can] !== undefined && !(stage === 'score' && format.measured)

async function namesOf(wanted: (format: Format) => boolean): Promise<string[]> {
  return [...(await formats())].filter(([, format]) => wanted(format)).map(([name]) => name)
}

/** Names of the formats that a filter can write. */
export const writerNames = (stage: StageName) => namesOf((format) => fits(format, 'write', stage))

/** Names of the formats with a figure for --fail-under. */
export const overallNames = () => namesOf(({ overall }) => overall !== undefined)

async function load(name: string): Promise<Format> {
  return ((await import(`./${name}.ts`)) as { format: Format }).format
}
