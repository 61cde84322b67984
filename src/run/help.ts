/** `--help` of a filter, made from its option table. */
import { wrap } from '../formats/_wrap.ts'
import {
  type FilterSpec,
  FURTHER,
  type HelpTable,
  memberSections,
  type Option,
  type SetMember,
  sections,
} from '../options/option.ts'
import { EXIT, EXIT_MEANING } from '../rows/record.ts'
import { allOptions } from './arguments.ts'

/** Examples and the main options (`--help`), or with `everything` all options and notes (`--help-all`). */
export function helpText(spec: HelpTable, width = 80, everything = false): string {
  const lines = [...wrap(`${spec.name}: ${spec.about}`, width), '', 'Examples:']
  for (const { about, command } of spec.examples)
    lines.push(...wrap(`# ${about}`, width, '  ', '  # '), ...command.split('\n').map((line) => `  ${line}`))
  lines.push('', `Usage: ${spec.name} [options]${spec.operands && ` ${spec.operands}`}`)
  const own = new Set(spec.options.map((option) => option.name))
  const common = allOptions(spec).filter((option) => !own.has(option.name))
  const [main, ...further] = sections(spec)
  const section = (title: string, options: Option[]) =>
    lines.push('', `${title}:`, ...optionLines(options, width))
  if (main) section(main.title, main.options)
  const brief = further.length > 0 && !everything
  if (brief) {
    const count = further.reduce((sum, { options }) => sum + options.length, 0)
    const titles = further.map(({ title }) => (title === FURTHER ? 'others' : withinSentence(title)))
    const where = `${count} further options are in --help-all and the man page: ${titles.join(', ')}.`
    lines.push('', ...wrap(where, width))
  } else for (const { title, options } of further) section(title, options)
  if (spec.all.length > 0) lines.push('', ...membersLines(spec, width, everything))
  section('Common options', common)
  if (!brief) for (const note of spec.notes ?? []) lines.push('', ...wrap(note, width))
  lines.push(
    '',
    ...wrap('Each option can also be set in the environment: --long-name is JB_LONG_NAME.', width),
  )
  lines.push('', 'Exit codes:')
  for (const code of spec.exitCodes)
    lines.push(...wrap(exitMeaning(code, spec), width, `  ${String(code).padEnd(4)}`, '      '))
  return `${lines.join('\n')}\n`
}

/** The members that the first operand may name; with `everything` their options. */
function membersLines(spec: HelpTable, width: number, everything: boolean): string[] {
  const what = memberWord(spec)
  const title = `${what[0]}${what.slice(1).toLowerCase()}s`
  const names = spec.all.map(({ name }) => name).join(', ')
  const lines = [
    ...wrap(`${title}: ${names}.`, width),
    ...wrap(`${spec.name} ${what} --help shows what one is and its options.`, width),
  ]
  for (const { names, options } of everything ? memberSections(spec.all) : [])
    lines.push('', ...wrap(`${names.join(', ')}:`, width), ...optionLines(options, width))
  return lines
}

/** What help calls a member: `FORMAT`. */
const memberWord = ({ operands }: FilterSpec) => /\w+/.exec(operands)![0]

/** `jb-read json --help`: what the member is, and its options. */
export function memberHelp(spec: HelpTable, { name, about, options }: SetMember, width = 80): string {
  const usage = spec.operands.replace(/\[?[A-Z]+\]?/, name)
  const lines = [
    ...wrap(`${spec.name} ${name}: ${about}`, width),
    '',
    `Usage: ${spec.name} [options] ${usage}`,
    '',
    ...(options.length > 0
      ? ['Options:', ...optionLines(options, width)]
      : [`${name} has no options of its own.`]),
    '',
    ...wrap(`${spec.name} --help shows the options that it shares with others.`, width),
  ]
  return `${lines.join('\n')}\n`
}

/** A title with its first letter in lower case, unless it begins with an acronym or a hyphenated name. */
const withinSentence = (title: string) =>
  /^(?:[A-Z]{2}|\S+-[A-Z])/.test(title) ? title : title[0]!.toLowerCase() + title.slice(1)

/** The meaning of an exit code of this filter. */
export function exitMeaning(code: number, spec: FilterSpec): string {
  const meaning = EXIT_MEANING[code] ?? ''
  if (code !== EXIT.gate) return meaning
  const gates = allOptions(spec).flatMap(({ name, about }) => (/\bexit 1\b/i.test(about) ? `--${name}` : []))
  return `${meaning} (${gates.join(', ')})${spec.measures ? ', or nothing was measured' : ''}`
}

/** An option's syntax: `-m, --model NAME`. */
export function optionForm(option: Option): string {
  const value =
    option.type === 'boolean'
      ? ''
      : ` ${option.value ?? option.choices?.join('|') ?? option.type.toUpperCase()}`
  return `${option.short ? `-${option.short}, ` : '    '}--${option.name}${value}`
}

/** What follows an option's description: that it is repeatable, or its default. */
export function optionTail(option: Option): string {
  if (option.type === 'list') return option.about.includes('(repeatable') ? '' : ' (repeatable)'
  return option.default === undefined || option.default === false ? '' : ` [${option.default}]`
}

/** Printed when stdin is a terminal, instead of waiting for rows from the keyboard. */
export function shortHelp(spec: FilterSpec): string {
  const example = spec.examples[0]
  return `${spec.name}: ${spec.about}\nusage: ${spec.name} [options] ${spec.operands}\n${example ? `example: ${example.command}\n` : ''}${spec.name} --help says more\n`
}

function optionLines(options: readonly Option[], width: number): string[] {
  const indent = 28
  return options.flatMap((option) => {
    const form = `  ${optionForm(option)}`
    const text = option.about + optionTail(option)
    const pad = ' '.repeat(indent)
    if (form.length + 2 > indent) return [...wrapChoices(form, width), ...wrap(text, width, pad)]
    return wrap(text, width, form.padEnd(indent), pad)
  })
}

/** Breaks an option's syntax after a `|` if its choices take more than a line. */
function wrapChoices(form: string, width: number): string[] {
  if (form.length <= width) return [form]
  const end = form.lastIndexOf('|', width - 1) + 1
  if (end === 0) return [form]
  return [form.slice(0, end), ...wrapChoices(`${' '.repeat(8)}${form.slice(end)}`, width)]
}
