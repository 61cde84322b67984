/** A filter's man page from its option table, in man(7). */
import { optionForm, optionTail } from '../src/run/help.ts'
import type { FilterSpec, Option } from '../src/options/option.ts'
import { allOptions } from '../src/run/arguments.ts'
import { EXIT_MEANING } from '../src/rows/record.ts'

/** The page's source. Undated: the same table gives the same page. */
export function manPage(spec: FilterSpec, version: string): string {
  const own = new Set(spec.options.map(({ name }) => name))
  const all = allOptions(spec)
  return [
    `.TH ${spec.name.toUpperCase()} 1 "" "judge-bench ${version}" "User Commands"`,
    '.SH NAME',
    `${text(spec.name)} \\- ${text(spec.about)}`,
    '.SH SYNOPSIS',
    `.B ${text(spec.name)}`,
    `[options] ${text(spec.operands)}`,
    '.SH EXAMPLES',
    ...spec.examples.flatMap(({ about, command }) => ['.PP', `${text(sentence(about))}`, '.PP', '.RS 4', '.nf', ...command.split('\n').map(text), '.fi', '.RE']),
    '.SH OPTIONS',
    ...all.filter(({ name }) => own.has(name)).flatMap(option),
    '.SS Common options',
    ...all.filter(({ name }) => !own.has(name)).flatMap(option),
    ...(spec.notes ?? []).flatMap((note) => ['.PP', text(note)]),
    '.SH ENVIRONMENT',
    'Each option can also be set in the environment: \\-\\-long\\-name is JB_LONG_NAME.',
    '.SH EXIT STATUS',
    ...spec.exitCodes.flatMap((code) => ['.TP', String(code), text(EXIT_MEANING[code] ?? '')]),
    '.SH SEE ALSO',
    ['read', 'render', 'call', 'parse', 'score', 'aggregate', 'workflow']
      .filter((name) => `jb-${name}` !== spec.name)
      .map((name) => `\\fBjb\\-${name}\\fR(1)`)
      .join(', '),
    '',
  ].join('\n')
}

function option(entry: Option): string[] {
  return ['.TP', `\\fB${text(optionForm(entry).trim())}\\fR`, text(sentence(entry.about) + optionTail(entry))]
}

const sentence = (words: string) => words[0]!.toUpperCase() + words.slice(1)

/** Text as troff has it: backslashes and dashes stand for themselves, a leading dot or quote begins no request. */
function text(words: string): string {
  return words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^([.'])/, '\\&$1')
}
