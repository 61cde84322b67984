/** `jb-workflow run`: runs make on the generated Makefile. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import { kill } from 'node:process'
import { someNames } from '../../options/nearest.ts'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { commandsFolder } from './commands.ts'

interface MakeOptions {
  /** Additional environment variables for the recipes. */
  env?: Record<string, string>
  jobs?: number
  quiet: boolean
  targets: readonly string[]
}

/** Runs make in its own process group, which gets an interrupt once, from the terminal or not. */
export async function runMake(makefile: string, options: MakeOptions, context: Context): Promise<void> {
  const args = ['-f', '-']
  if (options.jobs !== undefined) args.push(`-j${options.jobs}`)
  if (options.quiet) args.push('-s')
  const path = [commandsFolder(), context.env.PATH].filter(Boolean).join(delimiter)
  const child = spawn('make', [...args, ...options.targets], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
    // The Makefile names the judge; filters would read JB_JUDGE as their --judge.
    env: { ...context.env, ...options.env, JB_JUDGE: undefined, PATH: path },
  })
  const stop = () => {
    if (child.pid !== undefined) killGroup(child.pid, context.stop.reason as NodeJS.Signals)
  }
  context.stop.addEventListener('abort', stop)
  // make may end before it has read the whole Makefile.
  child.stdin.on('error', () => {})
  child.stdin.end(makefile)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    // null: make was killed. Its exit code only says that a step failed, whose own message stands above.
    if (code === null) context.finish(EXIT.stopped, 'make was killed: run the same command again to continue')
    else if (code !== 0 && !context.stop.aborted)
      context.finish(
        EXIT.gate,
        'make stopped at a step that failed: finished files are kept, run the same command again to continue',
      )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Fatal(
      EXIT.config,
      'make was not found: install GNU make, or give the Makefile to another engine that reads one',
      { cause: error },
    )
  } finally {
    context.stop.removeEventListener('abort', stop)
  }
}

function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    kill(-leader, signal)
  } catch {
    // It has already ended.
  }
}

/** Targets and their prerequisites. */
export type Needs = ReadonlyMap<string, readonly string[]>

/** A name without leading `./`, which make ignores. */
const bare = (path: string) => path.replace(/^(\.\/+)+/, '')

/**
 * Checks the targets of a run, because make has one exit code for all errors.
 * @throws Fatal (usage) for an unknown target, (no input) for a missing file that no rule makes
 */
export function checkTargets(needs: Needs, targets: readonly string[]): void {
  const known = new Map([...needs].map(([target, wanted]) => [bare(target), wanted.map(bare)]))
  for (const target of targets) if (!known.has(bare(target))) throw unknownTarget(target, needs)
  const reached = new Set(targets.length === 0 ? ['all'] : targets.map(bare))
  // The loop also visits the names added to the set.
  for (const path of reached) {
    const wanted = known.get(path)
    if (wanted) for (const one of wanted) reached.add(one)
    else if (!existsSync(path)) throw new Fatal(EXIT.noInput, `${path}: no such file or folder`)
  }
}

function unknownTarget(target: string, needs: Needs) {
  const names = [...needs.keys()].filter((name) => !/(^|\/)\.jb\//.test(name))
  return usageError(`${target}: no such target (there are: ${someNames(names)})`)
}
