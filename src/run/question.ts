import type { HelpQuestion } from './answer.ts'

/** Whether a command line asks for help or the version, found without a parser. @param argv without Node and the file */
export function questionOf(argv: readonly string[]): HelpQuestion | undefined {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  if (words.includes('--help-all')) return 'help-all'
  if (words.includes('--help') || words.includes('-h')) return 'help'
  return words.includes('--version') ? 'version' : undefined
}
