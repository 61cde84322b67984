/**
 * Option tables: one for each filter (stages/NAME/options.ts). The parser, `--help`, the man page and the table in the
 * docs are made from it.
 */

import { usageError } from '../rows/record.ts'
import { didYouMean } from './nearest.ts'

export interface Option {
  /** Long name without dashes; `JB_LONG_NAME` sets it from the environment. */
  name: string
  short?: string
  type: 'string' | 'number' | 'boolean' | 'list'
  /** The placeholder of the value in help: FILE, N, USD; by default the choices. */
  value?: string
  choices?: readonly string[]
  default?: string | number | boolean | undefined
  /** number: inclusive bounds. */
  min?: number
  max?: number
  integer?: boolean
  /** number: its value where none is given, as in `--explain`. */
  bare?: string
  /** Its value may begin with a dash: the next argument is its value, whatever it looks like. */
  dash?: boolean
  /** list: the separator of several values in the environment. */
  separator?: string
  /** The environment does not set it: it would be that of each command of a pipe. */
  noEnv?: boolean
  /** It leaves rows out: set by the environment, it is said on stderr. */
  leavesOut?: boolean
  /** The help text: one or two short lines, lower case, without a full stop. */
  about: string
  /** Names that help lists after `about`: members of an open set, looked up when help is printed. */
  names?(): Promise<readonly string[]>
}

/** A member of the open set that the first operand names, such as a format, with its options beside the filter's own. */
export interface SetMember {
  name: string
  about: string
  options: readonly Option[]
  /** It names its input with options, or needs none: stdin is not read. */
  noStdin?: boolean
}

export interface FilterSpec<O extends readonly Option[] = readonly Option[]> {
  /** `jb-parse` */
  name: string
  /** One line: what the filter reads and what it adds. */
  about: string
  /** Operands as in `jb-render JUDGE [FILE…]`, without options. */
  operands: string
  /** Names of the operands before the files; a function if they depend on the options or the operands. */
  positional?:
    | readonly string[]
    | ((options: Record<string, unknown>, operands: readonly string[]) => readonly string[])
  /** The open set from which the first operand takes a member. */
  members?: {
    /** What an operand names; undefined if nothing. */
    named(operand: string): Promise<SetMember | undefined>
    all(): Promise<readonly SetMember[]>
  }
  /** Options that need no operands and no stdin, such as --list. The environment does not set them. */
  standalone?: readonly string[]
  /** Whether stdin is not read, because options name the input. */
  noStdin?(operands: readonly string[], options: Record<string, unknown>): boolean
  examples: readonly { about: string; command: string }[]
  /** Paragraphs of --help-all after the options. */
  notes?: readonly string[]
  options: O
  /**
   * For a long table: the main options, which `--help` shows alone, and the headings of the others in `--help-all` and the
   * man page. All other options are listed under `Further options`.
   */
  main?: readonly string[]
  headings?: Readonly<Record<string, readonly string[]>>
  exitCodes: readonly number[]
  /** The exit code is also 1 if there was nothing to measure. */
  measures?: boolean
  /** Operands may be NAME=FILE: NAME is the source's label. */
  namedFiles?: boolean
  /** `files`: the stage opens its file operands itself; `none`: operands are not files. */
  input?: 'rows' | 'files' | 'none'
  /** Whether `--output` is handled by the stage: what it yields goes to stdout. */
  ownOutput?(operands: readonly string[]): boolean
  /** Whether `--output` may be an input file: it is read before it is replaced. */
  inPlace?(options: Record<string, unknown>): boolean
  /** Rows are written as soon as they are ready, because each cost money. */
  eager?: boolean
}

type Camel<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S
type ValueOf<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O['type'] extends 'number'
    ? number
    : O['type'] extends 'list'
      ? string[]
      : O extends { choices: readonly (infer C extends string)[] }
        ? C
        : string
type OptionValue<O extends Option> = O['type'] extends 'boolean' | 'list'
  ? ValueOf<O>
  : O extends { default: string | number | boolean }
    ? ValueOf<O>
    : ValueOf<O> | undefined

/** The type of a filter's parsed options: `--max-tokens` is `maxTokens`. */
export type OptionsOf<S extends FilterSpec> = {
  [O in S['options'][number] as Camel<O['name']>]: OptionValue<O>
}

export const camel = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
export const envName = (name: string) => `JB_${name.toUpperCase().replaceAll('-', '_')}`

/** Checks and converts an option's values; its default if there are none. @throws Fatal (usage) */
export function readOption(option: Option, values: unknown[], where: string): unknown {
  if (option.type === 'list') {
    if (where.startsWith('--')) refuseTwice(option, values.map(String), where)
    return values.map((value) => readOptionValue(option, value, where))
  }
  if (values.length === 0) return option.default ?? (option.type === 'boolean' ? false : undefined)
  return readOptionValue(option, values[values.length - 1], where)
}

/** A value that is there twice would count twice; of two for one name the last counts. @throws Fatal (usage) */
function refuseTwice({ value: form = '' }: Option, values: readonly string[], where: string): void {
  const twice = form.includes('=') ? undefined : values.find((value, i) => values.indexOf(value) < i)
  if (twice !== undefined) throw usageError(`${where} ${twice} is given twice`)
}

export function readOptionValue(option: Option, value: unknown, where: string): unknown {
  const text = String(value)
  if (option.type === 'boolean') return readBoolean(text, where)
  if (text === '') throw usageError(`${where} needs a value${option.value ? ` (${option.value})` : ''}`)
  if (option.type === 'number') return readNumber(option, text, where)
  if (option.choices && !option.choices.includes(text))
    throw usageError(
      `${where}: one of ${option.choices.join(', ')}, not "${text}"${didYouMean(text, option.choices)}`,
    )
  return text
}

function readBoolean(text: string, where: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw usageError(`${where}: expected true or false, not "${text}"`)
}

function readNumber(option: Option, text: string, where: string): number {
  const { min = -Infinity, max = Infinity } = option
  const number = Number(text)
  if (!Number.isFinite(number) || text.trim() === '')
    throw usageError(`${where}: expected a number, not "${text}"${numberHint(option, text)}`)
  if (option.integer && !Number.isInteger(number))
    throw usageError(`${where}: expected a whole number, not ${text}`)
  if (number < min) throw usageError(`${where}: at least ${min}, not ${text}`)
  if (number > max) throw usageError(`${where}: at most ${max}, not ${text}${numberHint(option, text)}`)
  return number
}

/** The parts of a value such as NAME=FIELD. @throws Fatal (usage) */
export function assignment(text: string, option: string, form: string): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`${option}: expected ${form}, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Fields by template name, as `--map NAME=FIELD` gives them. @throws Fatal (usage) */
export const mappedFields = (map: readonly string[]) =>
  new Map(
    map.map((text) => {
      const [name, field] = assignment(text, '--map', 'NAME=FIELD')
      if (field === '') throw usageError(`--map: expected NAME=FIELD, not "${text}"`)
      return [name, field]
    }),
  )

/** A name and a JSON text: VALUE of KEY=VALUE is JSON, or else a string. @throws Fatal (usage) */
export function jsonAssignment(text: string, option: string): [key: string, json: string] {
  const [key, value] = assignment(text, option, 'KEY=VALUE')
  try {
    JSON.parse(value)
    return [key, value]
  } catch {
    return [key, JSON.stringify(value)]
  }
}

/** ` (0.1?)` for `10%`, or for `10` where a share of 1 is expected, and ` (0.5?)` for `0,5`. */
function numberHint({ max, integer }: Option, text: string): string {
  const [, whole, part] = /^(-?\d*),(\d+)$/.exec(text) ?? []
  if (part !== undefined) return integer ? '' : ` (${whole || 0}.${part}?)`
  const [, number, sign] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(text) ?? []
  const share = Number((Number(number) / 100).toPrecision(12))
  const isShare = sign ? !integer : max !== undefined && max <= 1 && /^\d\d/.test(text)
  return number !== undefined && isShare && share <= Math.min(max ?? 1, 1) ? ` (${share}?)` : ''
}

/** A filter's table as help prints it. */
export type HelpTable = FilterSpec & { all: readonly SetMember[] }

/** The table for help: with all members, and the names of {@link Option.names} added to the help texts. */
export async function withNames(spec: FilterSpec): Promise<HelpTable> {
  const options = spec.options.map(async (option) =>
    option.names ? { ...option, about: `${option.about}: ${(await option.names()).join(', ')}` } : option,
  )
  return { ...spec, options: await Promise.all(options), all: (await spec.members?.all()) ?? [] }
}

/** Members that share an option table, with its options; members without options are left out. */
export function memberSections(
  members: readonly SetMember[],
): { names: string[]; options: readonly Option[] }[] {
  const sections = new Map<string, { names: string[]; options: readonly Option[] }>()
  for (const { name, options } of members) {
    if (options.length === 0) continue
    const key = JSON.stringify(options)
    const known = sections.get(key)
    if (known) known.names.push(name)
    else sections.set(key, { names: [name], options })
  }
  return [...sections.values()]
}

/** The heading of options without a heading. */
export const FURTHER = 'Further options'

/** A filter's own options by heading, the main ones first; one section if the table has no headings. */
export function sections(spec: FilterSpec): { title: string; options: Option[] }[] {
  const rest = new Map(spec.options.map((option) => [option.name, option]))
  const take = (names: readonly string[]) =>
    names.flatMap((name) => {
      const option = rest.get(name)
      rest.delete(name)
      return option ?? []
    })
  const { main = [...rest.keys()], headings = {} } = spec
  const named = Object.entries({ Options: main, ...headings }).map(([title, names]) => ({
    title,
    options: take(names),
  }))
  return [...named, { title: FURTHER, options: [...rest.values()] }].filter(
    ({ options }) => options.length > 0,
  )
}
