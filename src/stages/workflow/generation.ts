/** Which generation of AutoJudge a Python judge is of. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Context } from '../../rows/stage.ts'
import type { PhaseJudge } from './judges.ts'
import type { Phase } from './load.ts'
import type { WorkflowOptions } from './options.ts'
import { judgeEnv } from './python_host.ts'

/**
 * Whether names, defaults and settings are those of the first generation: told by `--compat`, else by what the module of the
 * judge's class imports, with a note.
 */
export async function isFirstGeneration(
  { judge, nugget }: Record<Phase, PhaseJudge>,
  { compat, python, passEnv }: WorkflowOptions,
  { env, note }: Context,
): Promise<boolean> {
  if (compat !== undefined) return compat === 'seed'
  const { name, kind } = judge.kind === 'python' ? judge : nugget
  if (kind !== 'python') return false
  const module = name.slice(0, name.lastIndexOf(name.includes(':') ? ':' : '.'))
  const script = fileURLToPath(new URL('./python/generation.py', import.meta.url))
  const isFirst = await new Promise<boolean>((resolve) => {
    // A module that is not found is reported by the step that needs it.
    execFile(python, [script, module], { env: judgeEnv(env, passEnv) }, (_, out) =>
      resolve(out.trim() === 'first'),
    )
  })
  if (isFirst)
    note(
      `${name} imports trec_auto_judge: defaults, file names and settings are those of AutoJudge's first generation (--compat seed; --compat none turns that off)`,
    )
  return isFirst
}
