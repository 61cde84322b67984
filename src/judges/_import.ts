/** Judges from other projects' files: lm-eval's tasks, FastChat's prompts. A file may have several. */
import { existsSync, statSync } from 'node:fs'
import { readText } from '../files/text.ts'
import { nearest } from '../options/nearest.ts'
import { configError, EXIT } from '../rows/record.ts'
import type { Judge } from './_judge.ts'

/** The judges of an lm-eval task; undefined for any other file. @throws Fatal (configuration) */
export async function taskOf(path: string): Promise<Judge[] | undefined> {
  if (!/\.ya?ml$/.test(path) || !existsSync(path) || !statSync(path).isFile()) return undefined
  const { isTask, taskJudges } = await import('./_lm_eval.ts')
  return isTask(readText(path, EXIT.config)) ? taskJudges(path) : undefined
}

/** The judge that `task.yaml` or `task.yaml#accuracy` names; undefined for any other file. @throws Fatal (configuration) */
export async function importedJudge(name: string): Promise<Judge | undefined> {
  const path = existsSync(name) ? name : name.replace(/#[^#]*$/, '')
  if (!existsSync(path)) return undefined
  if (/\.jsonl$/.test(path)) {
    const { promptsJudge } = await import('./_prompts.ts')
    return promptsJudge(path, path === name ? undefined : name.slice(path.length + 1))
  }
  const judges = await taskOf(path)
  if (!judges) return undefined
  const found =
    judges.find((judge) => judge.name === name) ??
    (path === name && judges.length === 1 ? judges[0] : undefined)
  if (found) return found
  const near = nearest(
    name,
    judges.map((judge) => judge.name),
  )
  throw configError(
    `${name}: ${path === name ? 'several judges in one file, name one' : 'no such judge in the file'}: ${near ?? judges.map((judge) => judge.name).join(', ')}`,
  )
}
