/** Man pages from the filters' option tables, in man(7): the build writes them to dist/man/. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { COMMON } from '../src/options/common.ts'
import {
  type FilterSpec,
  type HelpTable,
  memberSections,
  type Option,
  sections,
  withNames,
} from '../src/options/option.ts'
import { ERROR_CODES, EXIT_MEANING } from '../src/rows/record.ts'
import { allOptions } from '../src/run/arguments.ts'
import { exitMeaning, optionForm, optionTail } from '../src/run/help.ts'

/** The pages by file name: one of each filter, and jb(7). Undated: the same tables give the same pages. */
export async function manPages(filters: readonly string[], version: string): Promise<Record<string, string>> {
  const specs: HelpTable[] = await Promise.all(
    filters.map(async (name) => withNames((await import(`../src/stages/${name}/options.ts`)).spec)),
  )
  const names = specs.map(({ name }) => name)
  const pages = specs.map((spec) => [`${spec.name}.1`, manPage(spec, version, names)])
  return Object.fromEntries([...pages, ['jb.7', overviewPage(specs, version, failures())]])
}

/** What docs/rows.md says of each error code, without links: the code, what it means, what to do. */
function failures(): [string, string, string][] {
  const text = readFileSync(fileURLToPath(new URL('../docs/rows.md', import.meta.url)), 'utf8')
  return ERROR_CODES.map((code) => {
    const row = new RegExp(`^\\| \`${code}\` \\| (.*) \\| (.*) \\|$`, 'm').exec(text)
    if (!row) throw new Error(`docs/rows.md: no row for the error code ${code}`)
    const plain = (cell: string) => cell.replaceAll(/ ?\(?\[[^\]]*\]\([^)]*\)\)?|`/g, '')
    return [code, plain(row[1]!), plain(row[2]!)]
  })
}

function manPage(spec: HelpTable, version: string, filters: readonly string[]): string {
  const own = new Set(spec.options.map(({ name }) => name))
  const all = allOptions(spec)
  return [
    `.TH ${spec.name.toUpperCase()} 1 "" "jb-filters ${version}" "User Commands"`,
    '.SH NAME',
    `${text(spec.name)} \\- ${text(spec.about)}`,
    '.SH SYNOPSIS',
    `.B ${text(spec.name)}`,
    `[options] ${text(spec.operands)}`,
    '.SH EXAMPLES',
    ...spec.examples.flatMap(({ about, command }) => [
      '.PP',
      `${text(sentence(about))}`,
      '.PP',
      '.RS 4',
      '.nf',
      ...command.split('\n').flatMap(fitted).map(text),
      '.fi',
      '.RE',
    ]),
    '.SH OPTIONS',
    ...sections(spec).flatMap(({ title, options }, index) => [
      ...(index > 0 ? [`.SS ${text(title)}`] : []),
      ...options.flatMap(option),
    ]),
    ...memberSections(spec.all).flatMap(({ names, options }) => [
      `.SS ${text(names.join(', '))}`,
      ...options.flatMap(option),
    ]),
    '.SS Common options',
    ...all.filter(({ name }) => !own.has(name)).flatMap(option),
    ...(spec.notes ?? []).flatMap((note) => ['.PP', text(note)]),
    '.SH ENVIRONMENT',
    'Each option can also be set in the environment: \\-\\-long\\-name is JB_LONG_NAME.',
    '.SH EXIT STATUS',
    ...spec.exitCodes.flatMap((code) => ['.TP', String(code), text(exitMeaning(code, spec))]),
    '.SH SEE ALSO',
    [
      '\\fBjb\\fR(7)',
      ...filters.filter((name) => name !== spec.name).map((name) => `\\fB${text(name)}\\fR(1)`),
    ].join(', '),
    '',
  ].join('\n')
}

/**
 * jb(7): what the filters have in common, and which does what.
 * @param errors the codes of failed rows, what each means and what to do
 */
function overviewPage(
  specs: readonly FilterSpec[],
  version: string,
  errors: readonly (readonly [code: string, meaning: string, advice: string])[],
): string {
  const codes = Object.keys(EXIT_MEANING)
    .map(Number)
    .sort((a, b) => a - b)
  return [
    `.TH JB 7 "" "jb-filters ${version}" "Miscellaneous"`,
    '.SH NAME',
    'jb \\- LLM judges as Unix filters',
    '.SH SYNOPSIS',
    '.nf',
    text('jb-render JUDGE items.jsonl | jb-call -m MODEL | jb-parse | jb-aggregate'),
    '.fi',
    '.SH DESCRIPTION',
    text(
      'Each filter reads rows (a JSON object a line) from files or stdin, adds what it found out to the member "jb" of each row, and writes the row to stdout. All other members of a row are passed on as they are. Filters are joined by pipes, and jq, head, parallel and make fit between any two of them.',
    ),
    '.SH FILTERS',
    ...specs.flatMap(({ name, about }) => ['.TP', `\\fB${text(name)}\\fR(1)`, text(sentence(about))]),
    '.SH ROWS',
    text(
      'An item is what is judged. jb-render makes one or more trials of it, each with a request; jb-call adds the reply; jb-parse adds the verdict that the reply means; jb-score puts the trials of an item together into one result; jb-aggregate reports on all items.',
    ),
    '.PP',
    text(
      'A row that fails in a stage is passed on with jb.error: {stage, code, message}. The stages after it pass it on as it is, and the report counts it; it is never scored. Each filter says on stderr how many rows failed. Run the same stage again over its saved output, and only its own failures are tried again.',
    ),
    '.SH ERROR CODES',
    ...errors.flatMap(([code, meaning, advice]) => [
      '.TP',
      text(code),
      text(`${sentence(meaning)}. ${sentence(advice)}.`),
    ]),
    '.SH OPTIONS OF EVERY FILTER',
    ...COMMON.flatMap(option),
    '.SH ENVIRONMENT',
    '.TP',
    'JB_LONG_NAME',
    text('Sets --long-name in every filter that has the option; the command line has the last word.'),
    '.TP',
    'OPENAI_API_KEY, ANTHROPIC_API_KEY, LLM_JUDGE_API_KEY',
    text('Keys: jb-call(1) lists them all. No option takes a key.'),
    '.TP',
    'NO_COLOR, TERM, COLUMNS',
    'Colours and width on a terminal.',
    '.SH FILES',
    '.TP',
    text('$XDG_CACHE_HOME/jb/replies/'),
    'Replies, a file a model (~/.cache/jb/replies where the variable is not set).',
    '.TP',
    text('$XDG_CACHE_HOME/jb/code/'),
    'Compiled code, which makes the filters start faster; it may be removed at any time.',
    '.SH EXIT STATUS',
    ...codes.flatMap((code) => ['.TP', String(code), text(EXIT_MEANING[code] ?? '')]),
    '.SH EXAMPLES',
    '.nf',
    ...[
      '# both orders of each pair, and a gate for CI',
      'set -o pipefail',
      'jb-render arena_hard --order both pairs.jsonl | jb-call -m gpt-4o |',
      '    jb-parse |',
      '    jb-aggregate --expect pairs.jsonl --fail-under 0.6 -o report.json',
    ].map(text),
    '.fi',
    '.SH SEE ALSO',
    [
      ...specs.map(({ name }) => `\\fB${text(name)}\\fR(1)`),
      '\\fBjq\\fR(1)',
      '\\fBmake\\fR(1)',
      '\\fBparallel\\fR(1)',
    ].join(', '),
    '',
  ].join('\n')
}

function option(entry: Option): string[] {
  return ['.TP', `\\fB${text(optionForm(entry).trim())}\\fR`, text(sentence(entry.about) + optionTail(entry))]
}

/** What begins with the names it is about (`csv, tsv: …`) stays as it is. */
const sentence = (words: string) =>
  /^[\w-]+(, [\w-]+)*:/.test(words) ? words : words[0]!.toUpperCase() + words.slice(1)

/** The columns of an example on a terminal of 80: the page indents it by 11. */
const COLUMNS = 69

/** A command's line in lines that fit: broken after a pipe or a semicolon, else before an option. */
function fitted(line: string): string[] {
  if (line.length <= COLUMNS) return [line]
  const start = line.slice(0, COLUMNS - 2)
  const end = /.*[|;](?= )/.exec(start)?.[0] ?? /.*(?= -)/.exec(start)?.[0]
  if (end === undefined) return [line]
  const rest = `    ${line.slice(end.length + 1)}`
  return [/[|;]$/.test(end) ? end : `${end} \\`, ...fitted(rest)]
}

/** Text as troff has it: backslashes and dashes stand for themselves, a leading dot or quote begins no request. */
function text(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1')
}
