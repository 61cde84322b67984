/**
 * How the steps of a run ended. make has one exit code for all that goes wrong in a step, and bash tells of a pipe
 * only its last part that failed; so each step's bash reads a line first that writes down how every part ended.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, EXIT_MEANING } from '../../rows/record.ts'
import { shellWord } from './quoting.ts'

/** What bash says of a command that cannot be run, and of one that is not there. */
const NO_COMMAND = [126, 127]
/** Ends that come from outside: what is killed may go on another time. */
const KILLED = (['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const).map(
  (name) => 128 + constants.signals[name],
)

export class Endings {
  /** For BASH_ENV. */
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

  /** The exit code that the steps that failed ask for: one that another run will not get past comes first. */
  failed(): number | undefined {
    const codes = readFileSync(this.log, 'utf8').split('\n').filter(Boolean).map(codeOf)
    return codes.find((code) => code !== EXIT.stopped) ?? codes[0]
  }

  forget(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Of "69 0 69 0 1", the shell's own code and its pipe's: the first part that says why; a 1 may only follow from it. */
function codeOf(line: string): number {
  const [whole, ...parts] = line.split(' ').map(Number)
  const code = parts.find((part) => part > 1) ?? whole!
  if (NO_COMMAND.includes(code)) return EXIT.config
  if (KILLED.includes(code)) return EXIT.stopped
  return Object.hasOwn(EXIT_MEANING, code) ? code : EXIT.bug
}
