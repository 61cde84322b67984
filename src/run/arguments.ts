/** Parses command lines by a filter's option table, with yargs' parser. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { folderPath } from '../files/members.ts'
import { COMMON } from '../options/common.ts'
import { didYouMean, someNames } from '../options/nearest.ts'
import {
  camel,
  envName,
  type FilterSpec,
  type HelpTable,
  type Option,
  type OptionsOf,
  readOption,
  readOptionValue,
  type SetMember,
} from '../options/option.ts'
import { EXIT, Fatal, usageError } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'

export type CommonOptions = OptionsOf<FilterSpec<typeof COMMON>>

/** All options of a filter and a member, its own first; they replace common ones of the same name. */
export function allOptions(spec: FilterSpec, member?: SetMember): Option[] {
  const own = [...spec.options, ...(member?.options ?? [])]
  const names = new Set(own.map((option) => option.name))
  return [...own, ...COMMON.filter((option) => !names.has(option.name))]
}

export interface Parsed {
  options: Record<string, unknown>
  operands: string[]
  /** Variables of the environment that leave rows out. */
  leftOut: string[]
  /** What the first operand names, of a filter with members. */
  member?: SetMember
}

/**
 * Parses a command line by a filter's table. Environment variables set options that it does not have.
 * @throws Fatal (usage) that names the option and, for an unknown one, the nearest name
 */
export async function parseArguments(spec: FilterSpec, argv: string[], env: Context['env']): Promise<Parsed> {
  // The parser alone: all of yargs takes as long to load as the rest of a filter.
  const { Parser } = await import('yargs/helpers')
  const member = await memberIn(argv, spec)
  const table = allOptions(spec, member)
  const named = (boolean: boolean) =>
    table.filter(({ type }) => (type === 'boolean') === boolean).map(({ name }) => name)
  const given = Parser(plainForms(spec, argv, table), {
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
  const others = Object.keys(given).filter((name) => !known.has(name))
  for (const name of others)
    throw (await ofOtherMembers(spec, name, member)) ?? unknownOption(spec, name, table)
  // yargs reads a negative number as an operand.
  const number = given._.map(String).find((operand) => /^-./.test(operand))
  if (number) throw unknownOption(spec, number[1]!, table)
  checkVariables(table, env)
  const options: Record<string, unknown> = {}
  const leftOut: string[] = []
  for (const option of table) {
    const own = option.noEnv || spec.standalone?.includes(option.name)
    const fromEnv = own ? undefined : env[envName(option.name)]
    const values = [given[option.name] ?? valuesIn(option, fromEnv)]
      .flat()
      .filter((value) => value !== undefined)
    const where = given[option.name] === undefined ? envName(option.name) : `--${option.name}`
    options[camel(option.name)] = readOption(option, values, where)
    if (option.leavesOut && where === envName(option.name) && values.length > 0) leftOut.push(where)
  }
  const operands = [...given._, ...(given['--'] ?? [])].map(String)
  return { options, operands, leftOut, ...(member && { member }) }
}

/** @throws Fatal (usage) for a variable that is an option's but for an underscore, as JB_FAILUNDER: a gate would not be there */
function checkVariables(table: readonly Option[], env: Context['env']): void {
  const plain = (name: string) => name.replaceAll('_', '')
  const known = new Map(table.map(({ name }) => [plain(envName(name)), envName(name)]))
  for (const name of Object.keys(env)) {
    if (!name.startsWith('JB_') || !env[name]) continue
    const meant = known.get(plain(name))
    if (meant !== undefined && meant !== name)
      throw usageError(`${name} in the environment: did you mean ${meant}?`)
  }
}

/** The member that the first operand names. */
async function memberIn(argv: string[], spec: FilterSpec): Promise<SetMember | undefined> {
  const { members } = spec
  if (!members) return undefined
  const own = allOptions(spec)
  const operand =
    firstOperand(argv, own) ??
    firstOperand(argv, [...own, ...(await members.all()).flatMap(({ options }) => options)])
  return operand === undefined ? undefined : members.named(operand)
}

/** The first word that is neither an option of the table nor its value; undefined for none, or after an unknown option. */
function firstOperand(argv: readonly string[], table: readonly Option[]): string | undefined {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!
    if (word === '--') return argv[i + 1]
    if (!/^-./.test(word)) return word
    const [, name] = /^--([^=]+)$/.exec(word) ?? []
    const letter = /^-\w+$/.test(word) ? word.at(-1) : undefined
    if (name === undefined && letter === undefined) continue
    const option = table.find((one) => one.name === name || (letter !== undefined && one.short === letter))
    if (!option && name !== undefined) return undefined
    if (option && option.type !== 'boolean') i++
  }
  return undefined
}

/** The error for an option that other members have; undefined if none has it. */
async function ofOtherMembers(
  { members, operands }: FilterSpec,
  name: string,
  member: SetMember | undefined,
) {
  const has = ((await members?.all()) ?? []).filter(({ options }) => options.some((one) => one.name === name))
  if (has.length === 0) return undefined
  const what = member ? `, not ${member.name}` : `, and ${operands.split(' ')[0]} names none`
  return usageError(`--${name}: it is for ${has.map((one) => one.name).join(' and ')}${what}`)
}

/**
 * Splits operands into those that are not files and the files.
 * @param alone nothing is read, and no operand is needed
 * @throws Fatal (usage) if one is missing, or files stand first: `jb-render pairs.jsonl vanilla`
 */
export function operandsOf({ name, operands: usage, ...spec }: FilterSpec, parsed: Parsed, alone: boolean) {
  const { options, operands } = parsed
  const { input, positional = [] } = spec
  const named = typeof positional === 'function' ? positional(options, operands) : positional
  const count = input === 'none' ? operands.length : named.length
  if (!alone && operands.length < count)
    throw usageError(`${named[operands.length]} is missing (usage: ${name} ${usage}; ${name} --help)`)
  const files = operands.slice(count)
  // Only jb-agree's first operand is a file itself.
  if (count > 0 && named[0] !== 'TRUTH') checkFiles({ name, operands: usage }, operands[0]!, files, named[0]!)
  return { positional: operands.slice(0, count), files }
}

/** @throws Fatal (usage, no input) for words that are no files behind the first operand */
function checkFiles(
  { name, operands: usage }: Pick<FilterSpec, 'name' | 'operands'>,
  first: string,
  files: readonly string[],
  what: string,
): void {
  if (files.length > 0 && existsSync(first) && files.every(isNoFile))
    throw usageError(`${files[0]}: no such file, but ${first} is one: the order is ${name} ${usage}`)
  const word = files.find(isNoFile)
  if (word !== undefined)
    throw new Fatal(EXIT.noInput, `${word}: no such file (usage: ${name} ${usage}, one ${what} a run)`)
}

/** A name without an ending, of no file. */
const isNoFile = (name: string) => /^\w+$/.test(name) && !existsSync(name)

/** Values of an environment variable; an empty one counts as not set. */
function valuesIn({ separator }: Option, text: string | undefined): string | string[] | undefined {
  if (!text) return undefined
  return separator === undefined ? text : text.split(separator).filter(Boolean)
}

/** The arguments before `--` in forms that yargs reads as they are meant. @throws Fatal (usage) */
function plainForms(spec: FilterSpec, argv: string[], table: Option[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const words: string[] = []
  for (let i = 0; i < end; i++) {
    const arg = argv[i]!
    const option = table.find(({ name }) => arg === `--${name}`)
    // `--call '-j 4'` to `--call=-j 4` where a value may begin with a dash; elsewhere it may be `-`.
    const isTaken = i + 1 < end && option?.type !== 'boolean' && (option?.dash || argv[i + 1] === '-')
    if (option && isTaken) words.push(`${arg}=${argv[++i]}`)
    else if (option?.bare && !/^\d+$/.test(argv[i + 1] ?? '')) words.push(`${arg}=${option.bare}`)
    else words.push(...longForms(spec, arg, table))
  }
  return [...words.map((word) => booleanForm(word, table)), ...argv.slice(end)]
}

/** `-oFILE` to `--output=FILE`: yargs would read the value as more short options. @throws Fatal (usage) for `-output` */
function longForms(spec: FilterSpec, arg: string, table: Option[]): string[] {
  if (!/^-[^-]./.test(arg)) return [arg]
  const name = /^-([a-z][a-z-]+)(?:=|$)/.exec(arg)?.[1]
  if (name !== undefined && table.some((option) => option.name === name))
    throw usageError(`unknown option -${name}: did you mean --${name}? (try: ${spec.name} --help)`)
  for (let i = 1; i < arg.length - 1; i++) {
    const option = table.find(({ short }) => short === arg[i])
    if (!option) return [arg]
    if (option.type === 'boolean') continue
    const value = `--${option.name}=${arg.slice(i + 1).replace(/^=/, '')}`
    return i === 1 ? [value] : [arg.slice(0, i), value]
  }
  return [arg]
}

/** `--strict=yes` to `--strict=true`: yargs reads any value but `true` as false. @throws Fatal (usage) */
function booleanForm(arg: string, table: Option[]): string {
  const [, dashes, name, value] = /^(--|-\w*(?=\w=))([^=]+)=(.*)$/s.exec(arg) ?? []
  const option = table.find((one) => name === (dashes === '--' ? one.name : one.short))
  if (name === undefined || option?.type !== 'boolean') return arg
  return `${dashes}${name}=${readOptionValue(option, value, `--${option.name}`)}`
}

function unknownOption(spec: FilterSpec, name: string, table: Option[]) {
  const dashes = name.length === 1 ? '-' : '--'
  if (/key|token|secret/i.test(name) && table.some((option) => option.name === 'api-key-env'))
    return usageError(
      `unknown option ${dashes}${name}: keys are read from the environment only (--api-key-env names the variable)`,
    )
  const others = dashes === '--' ? filtersWith(name) : []
  const hint =
    others.length > 0
      ? `: ${someNames(others, 4)} ${others.length === 1 ? 'has' : 'have'} it`
      : didYouMean(
          name,
          table.map((option) => option.name),
          '',
          '--',
        )
  return usageError(`unknown option ${dashes}${name}${hint} (try: ${spec.name} --help)`)
}

/** The filters that have an option, by the tables that the build wrote; none where it was not built. */
function filtersWith(name: string): string[] {
  const folder = folderPath('help')
  if (!existsSync(folder)) return []
  const tables = readdirSync(folder).map(
    (file): HelpTable => JSON.parse(readFileSync(`${folder}${file}`, 'utf8')),
  )
  const has = ({ options, all }: HelpTable) =>
    [...options, ...all.flatMap((member) => member.options)].some((option) => option.name === name)
  return tables.filter(has).map((table) => table.name)
}
