/**
 * Options, declared once: one table a filter (in options/), from which the parser, `--help`, the man
 * page and the table in the docs all come.
 */
import { nearest } from './nearest.ts'
import { usageError } from './record.ts'

export interface Option {
  /** Long name without dashes; `JB_LONG_NAME` sets it from the environment. */
  name: string
  short?: string
  type: 'string' | 'number' | 'boolean' | 'list'
  /** What stands for the value in help: FILE, N, USD; the choices where there is none. */
  value?: string
  choices?: readonly string[]
  default?: string | number | boolean
  /** number: bounds, both allowed. */
  min?: number
  max?: number
  integer?: boolean
  /** Its value may begin with a dash: what stands behind it is its value, whatever it looks like. */
  dash?: boolean
  /** In one or two short lines, lower case, without a full stop. */
  about: string
}

export interface FilterSpec<O extends readonly Option[] = readonly Option[]> {
  /** `jb-parse` */
  name: string
  /** One line: what it reads and what it adds. */
  about: string
  /** Operands as in `jb-render JUDGE [FILE…]`, without options. */
  operands: string
  /** Operands before the files, by name; a function where they depend on the options. */
  positional?: readonly string[] | ((options: Record<string, unknown>) => readonly string[])
  /** Options that are complete without operands and stdin, such as --list: on the command line alone. */
  standalone?: readonly string[]
  /** With these operands no stdin is read: options name what is. */
  noStdin?(operands: readonly string[]): boolean
  examples: readonly { about: string; command: string }[]
  /** Paragraphs behind the options, for what an option's line can't hold. */
  notes?: readonly string[]
  options: O
  exitCodes: readonly number[]
  /** `files`: the stage opens its operands itself instead of being given rows; `none`: operands are the stage's own words. */
  input?: 'rows' | 'files' | 'none'
  /** With these operands `--output` is no place for what the stage yields, but the stage's own option. */
  ownOutput?(operands: readonly string[]): boolean
  /** Rows are written as soon as they are done: each cost money. */
  eager?: boolean
  /** How many rows are under way at once. */
  underWay?(options: Record<string, unknown>): number
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

/** The options of a filter as its stage gets them: `--max-tokens` is `maxTokens`. */
export type OptionsOf<S extends FilterSpec> = {
  [O in S['options'][number] as Camel<O['name']>]: OptionValue<O>
}

/** Options every filter has. */
export const COMMON = [
  {
    name: 'bad-rows',
    type: 'string',
    choices: ['stop', 'skip', 'pass'],
    default: 'stop',
    about: 'a line that is no JSON object: stop (exit 65), skip it, or pass it on as a row with jb.error',
  },
  { name: 'strict', type: 'boolean', about: 'stop at the first row that fails (exit 1)' },
  {
    name: 'quiet',
    short: 'q',
    type: 'boolean',
    about: 'no summary, no progress, only errors that end the run',
  },
  { name: 'verbose', short: 'v', type: 'boolean', about: 'a summary also when nothing failed' },
  {
    name: 'progress',
    type: 'string',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    about: 'a bar on stderr: auto is on a terminal only',
  },
  {
    name: 'color',
    type: 'string',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    about: 'colours: auto is on a terminal without NO_COLOR',
  },
  { name: 'debug', type: 'boolean', about: 'stack traces in errors' },
  { name: 'help', short: 'h', type: 'boolean', about: 'this text' },
  { name: 'version', type: 'boolean', about: 'the version' },
] as const satisfies readonly Option[]

export type CommonOptions = OptionsOf<FilterSpec<typeof COMMON>>

export const camel = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
export const envName = (name: string) => `JB_${name.toUpperCase().replaceAll('-', '_')}`

/** All options of a filter, its own first; its own entry replaces a common one of the same name. */
export function allOptions(spec: FilterSpec): Option[] {
  const own = new Set(spec.options.map((option) => option.name))
  return [...spec.options, ...COMMON.filter((option) => !own.has(option.name))]
}

export interface Parsed {
  options: Record<string, unknown>
  operands: string[]
}

/**
 * Reads a command line by a filter's table. Environment variables fill in what is not given.
 * @throws Fatal (usage) that names the option and, for an unknown one, the nearest name
 */
export async function parseArguments(
  spec: FilterSpec,
  argv: string[],
  env: Record<string, string | undefined>,
): Promise<Parsed> {
  // The parser alone: help texts are our own, and yargs' take as long to load as all the rest.
  const { Parser } = await import('yargs/helpers')
  const table = allOptions(spec)
  const named = (boolean: boolean) =>
    table.filter(({ type }) => (type === 'boolean') === boolean).map(({ name }) => name)
  const given = Parser(booleanValues(longValues(dashValues(argv, table), table), table), {
    boolean: named(true),
    string: named(false),
    alias: Object.fromEntries(table.flatMap(({ name, short }) => (short ? [[name, [short]]] : []))),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'duplicate-arguments-array': true,
      'greedy-arrays': false,
      'populate--': true,
    },
  }) as Record<string, unknown> & { _: string[]; '--'?: string[] }
  const known = new Set([
    '_',
    '--',
    '$0',
    ...table.flatMap((option) => [option.name, option.short ?? option.name]),
  ])
  for (const name of Object.keys(given)) if (!known.has(name)) throw unknownOption(spec, name, table)
  // yargs takes what looks like a negative number for an operand.
  const number = given._.map(String).find((operand) => /^-./.test(operand))
  if (number) throw unknownOption(spec, number[1]!, table)
  const options: Record<string, unknown> = {}
  for (const option of table) {
    const fromEnv = spec.standalone?.includes(option.name) ? undefined : env[envName(option.name)]
    const values = [given[option.name] ?? (fromEnv === '' ? undefined : fromEnv)]
      .flat()
      .filter((value) => value !== undefined)
    const where = given[option.name] === undefined ? envName(option.name) : `--${option.name}`
    options[camel(option.name)] = readOption(option, values, where)
  }
  return { options, operands: [...given._, ...(given['--'] ?? [])].map(String) }
}

/** `--call '-j 4'` as `--call=-j 4`, for options whose value may begin with a dash; for others `-` alone may. */
function dashValues(argv: string[], table: Option[]): string[] {
  const valued = new Map(
    table.filter(({ type }) => type !== 'boolean').map(({ name, dash }) => [`--${name}`, dash]),
  )
  const words: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i]!
    if (arg === '--') return [...words, ...argv.slice(i)]
    const value = argv[i + 1]
    const taken = valued.get(arg) ? value !== undefined && value !== '--' : value === '-' && valued.has(arg)
    words.push(taken ? `${arg}=${value}` : arg)
    if (taken) i++
  }
  return words
}

/** `-oFILE` as `--output=FILE`: yargs takes what stands right behind a letter for more letters. */
function longValues(argv: string[], table: Option[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const shorts = new Map(table.flatMap((option) => (option.short ? [[option.short, option] as const] : [])))
  return argv.flatMap((arg, index) => {
    if (index >= end || !/^-[^-]./.test(arg)) return arg
    for (let i = 1; i < arg.length - 1; i++) {
      const option = shorts.get(arg[i]!)
      if (!option) return arg
      if (option.type === 'boolean') continue
      const value = `--${option.name}=${arg.slice(i + 1).replace(/^=/, '')}`
      return i === 1 ? value : [arg.slice(0, i), value]
    }
    return arg
  })
}

/** `--strict=yes` as `--strict=true`: yargs takes whatever is not `true` for false. @throws Fatal (usage) */
function booleanValues(argv: string[], table: Option[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  return argv.map((arg, index) => {
    const form = index < end && /^(--|-\w*(?=\w=))([^=]+)=(.*)$/s.exec(arg)
    if (!form) return arg
    const [, dashes, name, value] = form
    const option = table.find((one) => name === (dashes === '--' ? one.name : one.short))
    if (option?.type !== 'boolean') return arg
    return `${dashes}${name}=${readValue(option, value, `--${option.name}`)}`
  })
}

/** An option's value, checked by its entry in the table; its default where there is none. @throws Fatal (usage) */
export function readOption(option: Option, values: unknown[], where: string): unknown {
  if (option.type === 'list') return values.map((value) => readValue(option, value, where))
  if (values.length === 0) return option.default ?? (option.type === 'boolean' ? false : undefined)
  return readValue(option, values[values.length - 1], where)
}

function readValue(option: Option, value: unknown, where: string): unknown {
  if (option.type === 'boolean') {
    if (typeof value === 'boolean') return value
    if (/^(1|true|yes|on)$/i.test(String(value))) return true
    if (/^(0|false|no|off)$/i.test(String(value))) return false
    throw usageError(`${where}: expected true or false, not "${value}"`)
  }
  const text = String(value)
  if (text === '') throw usageError(`${where} needs a value${option.value ? ` (${option.value})` : ''}`)
  if (option.type === 'number') {
    const number = Number(text)
    if (!Number.isFinite(number) || text.trim() === '')
      throw usageError(`${where}: expected a number, not "${text}"`)
    if (option.integer && !Number.isInteger(number))
      throw usageError(`${where}: expected a whole number, not ${text}`)
    if (option.min !== undefined && number < option.min)
      throw usageError(`${where}: at least ${option.min}, not ${text}`)
    if (option.max !== undefined && number > option.max)
      throw usageError(`${where}: at most ${option.max}, not ${text}`)
    return number
  }
  if (option.choices && !option.choices.includes(text))
    throw usageError(
      `${where}: one of ${option.choices.join(', ')}, not "${text}"${hint(text, option.choices)}`,
    )
  return text
}

function unknownOption(spec: FilterSpec, name: string, table: Option[]) {
  const dashes = name.length === 1 ? '-' : '--'
  return usageError(
    `unknown option ${dashes}${name}${hint(
      name,
      table.map((option) => option.name),
      '--',
    )} (try: ${spec.name} --help)`,
  )
}

/** `: did you mean NAME?`, where one is near. */
export const hint = (word: string, names: readonly string[], prefix = '') => {
  const near = nearest(word, names)
  return near ? `: did you mean ${prefix}${near}?` : ''
}
