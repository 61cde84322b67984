/** `--help`, `--help-all` and `--version`: they override everything else on a command line, and need no parser. */
import { readFileSync } from 'node:fs'
import { isPlain } from '../files/files.ts'
import type { HelpTable } from '../options/option.ts'
import { VERSION } from '../options/version.ts'
import { writeWhole } from '../rows/writer.ts'
import { isClosedPipe, reportError } from './failures.ts'
import { helpText, memberHelp } from './help.ts'
import { descriptorsOf, type Host } from './host.ts'
import { Messages } from './messages.ts'

export type HelpQuestion = 'help' | 'help-all' | 'version'

/** Prints the answer; sets the exit code if that fails. */
export async function printAnswer(question: HelpQuestion, spec: HelpTable, host: Host): Promise<void> {
  const { output } = descriptorsOf(host)
  const plain = isPlain(output)
  const failed = (error: unknown) => reportError(error, host, new Messages(spec.name, host))
  // Opening process.stdout takes a millisecond.
  const columns = (!plain && host.stdout.columns) || 80
  const width = Math.max(60, Math.min(columns, 100))
  const operand = host.argv.slice(2).find((word) => !word.startsWith('-'))
  const member = spec.all.find(({ name }) => name === operand)
  const text =
    question === 'version'
      ? `${spec.name} (jb-filters) ${VERSION}\n`
      : member
        ? memberHelp(spec, member, width)
        : helpText(spec, width, question === 'help-all')
  try {
    if (plain) return writeWhole(output!, Buffer.from(text))
  } catch (error) {
    return failed(error)
  }
  host.stdout.on('error', (error) => {
    if (!isClosedPipe(error)) failed(error)
  })
  host.stdout.write(text)
}

/** The same from the option table that the build wrote to dist/help, so that the filter itself is not loaded. */
export function answerFor(name: string, question: HelpQuestion): Promise<void> {
  const spec = JSON.parse(readFileSync(new URL(`./help/${name}.json`, import.meta.url), 'utf8'))
  return printAnswer(question, spec, process)
}
