/**
 * Exit codes of a run's steps. make has one exit code for all failures, and bash reports only the last failed part of a
 * pipe. So the bash of each step first reads a script (BASH_ENV) whose EXIT trap logs the exit code of every part.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, EXIT_MEANING } from '../../rows/record.ts'
import { shellWord } from './quoting.ts'

/** Bash's codes for a command that cannot be executed, and for one that is not found. */
const NO_COMMAND = [126, 127]
/** Codes of signals from outside: a killed run can be continued. */
const KILLED = (['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const).map(
  (name) => 128 + constants.signals[name],
)

export class Endings {
  /** Path of the script for BASH_ENV. */
  readonly script: string
  private readonly folder = mkdtempSync(join(tmpdir(), 'jb-run-'))
  private readonly log = join(this.folder, 'failed')

  constructor(env: Record<string, string | undefined>) {
    this.script = join(this.folder, 'env')
    writeFileSync(this.log, '')
    const own = env.BASH_ENV
      ? `export BASH_ENV=${shellWord(env.BASH_ENV)}; eval ". \\"$BASH_ENV\\""`
      : 'unset BASH_ENV'
    const write = `jb=("$?" "\${PIPESTATUS[@]}"); [ "\${jb[0]}" = 0 ] || echo "\${jb[*]}" >> ${shellWord(this.log)}`
    writeFileSync(this.script, `${own}\ntrap ${shellWord(write)} EXIT\n`)
  }

  /** The exit code for the failed steps; a failure that would happen again takes precedence over an interrupt. */
  failed(): number | undefined {
    const codes = readFileSync(this.log, 'utf8').split('\n').filter(Boolean).map(codeOf)
    return codes.find((code) => code !== EXIT.stopped) ?? codes[0]
  }

  forget(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The code of a log line such as "69 0 69 0 1", the shell's and each part's: the first above 1, as a 1 may follow from it. */
function codeOf(line: string): number {
  const [whole, ...parts] = line.split(' ').map(Number)
  const code = parts.find((part) => part > 1) ?? whole!
  if (NO_COMMAND.includes(code)) return EXIT.config
  if (KILLED.includes(code)) return EXIT.stopped
  return Object.hasOwn(EXIT_MEANING, code) ? code : EXIT.bug
}
