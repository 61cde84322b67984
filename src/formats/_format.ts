/** Other programs' file formats, read and written: one module per format. */

import { members } from '../files/members.ts'
import { didYouMean } from '../options/nearest.ts'
import type { Option, SetMember } from '../options/option.ts'
import type { Rows, Source } from '../rows/reader.ts'
import { usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** Options of the filter that uses the format, and of the format, by camel-case name. */
export type FormatOptions = Record<string, unknown>

export interface Format {
  /** Its line in --list; of both where what is read and what is written differ. */
  about: string | { read: string; write: string }
  /** jb-read NAME: files → rows. */
  read?(sources: Source[], options: FormatOptions, context: Context): AsyncIterable<Row[]>
  /** Options of `read` beside those of jb-read. */
  readOptions?: readonly Option[]
  /** `read` finds its input by its options, or needs none: stdin is not read. */
  noStdin?: boolean
  /** jb-write NAME: scored rows → the output of the original program. rowOfTrial has the row of a trial, with its reply. */
  write?(rows: Rows, options: FormatOptions, context: Context): AsyncIterable<string | Uint8Array>
  /** Options of `write` beside those of jb-write. */
  writeOptions?: readonly Option[]
  /** `write` takes a row for each trial that counts, with its reply, in place of scored ones. */
  judgments?: boolean
  /**
   * Fields that `write` writes or groups by, beside the label and the usual groups: an item whose rows differ in one fails.
   * @see BY_DEFAULT
   */
  fields?: readonly string[] | 'all' | ((options: FormatOptions) => readonly string[])
  /** The `--compat` under which `write` counts every row, also one that occurs again, as that program does. */
  countsRepeats?: string
  /** `write` says itself where nothing was measured. Rows that no judge saw pass as they are, or are items that failed. */
  unjudged?: 'pass' | 'fail'
}

export type Writer = Format & Required<Pick<Format, 'write'>>

/** The formats that can be read, or written, by name. */
async function formatsThat(can: 'read' | 'write'): Promise<Map<string, Format>> {
  const all = await Promise.all(members('formats').map(async (name) => [name, await load(name)] as const))
  return new Map(all.filter(([, format]) => format[can]))
}

/** The format of that name, if it can be read or written. @throws Fatal (usage) that lists the names */
export async function formatOf<K extends 'read' | 'write'>(
  name: string,
  can: K,
): Promise<Format & Required<Pick<Format, K>>> {
  const format = members('formats').includes(name) ? await load(name) : undefined
  if (format?.[can]) return format as Format & Required<Pick<Format, K>>
  const names = [...(await formatsThat(can)).keys()]
  throw usageError(`no format "${name}" to ${can}${didYouMean(name, names)} (there are: ${names.join(', ')})`)
}

/** The formats as the members of jb-read or jb-write. */
export const formatMembers = (can: 'read' | 'write') => ({
  named: async (name: string): Promise<SetMember | undefined> =>
    members('formats').includes(name) ? memberOf(name, await load(name), can) : undefined,
  all: async (): Promise<SetMember[]> =>
    [...(await formatsThat(can))].map(([name, format]) => memberOf(name, format, can)),
})

function memberOf(name: string, format: Format, can: 'read' | 'write'): SetMember {
  const { about, noStdin = false } = format
  return {
    name,
    about: typeof about === 'string' ? about : about[can],
    options: format[`${can}Options`] ?? [],
    noStdin: can === 'read' && noStdin,
  }
}

async function load(name: string): Promise<Format> {
  return ((await import(`./${name}.ts`)) as { format: Format }).format
}
