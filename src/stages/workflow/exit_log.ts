/**
 * Exit codes of a run's steps. make has one exit code for all failures, and bash only reports that of the last failed command
 * of a pipe. The bash of each step therefore reads a script (BASH_ENV) whose EXIT trap logs all exit codes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, EXIT_MEANING } from '../../rows/record.ts'
import { shellWord } from './quoting.ts'

/** Bash's codes for a command that cannot be executed, and for one that is not found. */
const NO_COMMAND = [126, 127]
/** Exit codes of external signals, after which a run can be continued. */
const KILLED = (['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const).map(
  (name) => 128 + constants.signals[name],
)

export class ExitLog {
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

  /** The exit code for the failed steps; failures take precedence over interrupts. */
  failed(): number | undefined {
    const codes = readFileSync(this.log, 'utf8').split('\n').filter(Boolean).map(codeOf)
    return codes.find((code) => code !== EXIT.stopped) ?? codes[0]
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The code of a log line such as "69 0 69 0 1", the shell's and each command's: the first above 1, which may cause a 1. */
function codeOf(line: string): number {
  const [whole, ...parts] = line.split(' ').map(Number)
  const code = parts.find((part) => part > 1) ?? whole!
  if (NO_COMMAND.includes(code)) return EXIT.config
  if (KILLED.includes(code)) return EXIT.stopped
  return Object.hasOwn(EXIT_MEANING, code) ? code : EXIT.bug
}
