/** `--help`, `--help-all` and `--version`: they override everything else on a command line, and need no parser. */
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTerminal } from '../files/descriptor.ts'
import { wrap } from '../formats/_wrap.ts'
import { didYouMean } from '../options/nearest.ts'
import type { HelpTable } from '../options/option.ts'
import { VERSION } from '../options/version.ts'
import { usageError } from '../rows/record.ts'
import { writeWhole } from '../rows/writer.ts'
import { isClosedPipe, reportError } from './failures.ts'
import { helpText, memberHelp } from './help.ts'
import { descriptorsOf, type Host } from './host.ts'
import { Messages } from './messages.ts'

export type HelpQuestion = 'help' | 'help-all' | 'version'

/** Prints the answer; sets the exit code if that fails. */
export function printAnswer(question: HelpQuestion, spec: HelpTable, host: Host): void {
  const operand = host.argv.slice(2).find((word) => !word.startsWith('-'))
  const member = spec.all.find(({ name }) => name === operand)
  print(spec.name, host, (width) =>
    question === 'version'
      ? `${spec.name} (jb-filters) ${VERSION}\n`
      : member
        ? memberHelp(spec, member, width)
        : helpText(spec, width, question === 'help-all'),
  )
}

/** Writes a text for the width of the terminal; sets the exit code if that fails. */
function print(name: string, host: Host, textFor: (width: number) => string): void {
  const { output } = descriptorsOf(host)
  const failed = (error: unknown) => {
    if (!isClosedPipe(error)) reportError(error, host, new Messages(name, host))
  }
  // Opening process.stdout takes longer than all the rest.
  const direct = output !== undefined && !isTerminal(output)
  const columns = (!direct && host.stdout.columns) || 80
  const text = textFor(Math.max(60, Math.min(columns, 100)))
  if (!direct) {
    host.stdout.on('error', failed)
    host.stdout.write(text)
    return
  }
  try {
    writeWhole(output, Buffer.from(text))
  } catch (error) {
    failed(error)
  }
}

/** The same from the option table that the build wrote to dist/help, so that the filter itself is not loaded. */
export const answerFor = (name: string, question: HelpQuestion): void =>
  printAnswer(question, tableOf(name), process)

const tableOf = (name: string): HelpTable =>
  JSON.parse(readFileSync(new URL(`./help/${name}.json`, import.meta.url), 'utf8'))

/** `jb-filters` without a filter's name: what there is. @param words after the command */
export function overview(words: readonly string[], names: readonly string[], host: Host = process): void {
  const [word] = words.filter((one) => !['--help', '-h', '--help-all', 'help'].includes(one))
  const short = names.map((name) => name.slice('jb-'.length))
  if (word === undefined) print('jb-filters', host, (width) => listing(short, width))
  else if (word === '--version') print('jb-filters', host, () => `jb-filters ${VERSION}\n`)
  else if (word === '--root')
    print('jb-filters', host, () => `${dirname(dirname(fileURLToPath(import.meta.url)))}\n`)
  else {
    const hint = didYouMean(word, short) || ` (there are: ${short.join(', ')})`
    reportError(usageError(`no filter "${word}"${hint}`), host, new Messages('jb-filters', host))
  }
}

const listing = (names: readonly string[], width: number): string =>
  [
    'jb-filters: LLM judges as Unix filters.',
    '',
    'Usage: jb-filters NAME [options] [FILE…]    (or jb-NAME [options] [FILE…])',
    '',
    ...names.flatMap((name) =>
      wrap(tableOf(`jb-${name}`).about, width, `  ${name.padEnd(10)}`, ' '.repeat(12)),
    ),
    '',
    'jb-filters NAME --help shows examples and options of a filter.',
    'jb-filters doctor checks the installation; with -m MODEL it makes one call.',
    'jb-filters --root prints the folder with jb.mk, docs and schema.',
    '',
  ].join('\n')
