/** Where judges come from: a built-in name, a file of the user's, or another project's file. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { Catalogue, readData } from '../files/data.ts'
import { nearest } from '../options/nearest.ts'
import { getOrInsert } from '../rows/maps.ts'
import { configError } from '../rows/record.ts'
import { chatMessages } from './_chatml.ts'
import { checkJudge, notAJudge } from './_check.ts'
import type { Judge, JudgeIdentity } from './_judge.ts'

/** The judges that come with the toolkit. */
export const BUILTIN_JUDGES = new Catalogue('judges')

/** By the file and the name by which it goes. */
const loaded = new Map<string, Promise<Judge>>()
const keyOf = (name: string) => `${resolve(name)} ${name}`

/**
 * The judge of that name or path; read once a process.
 * @throws Fatal (configuration) that names the file, the key and what was expected
 */
export function loadJudge(name: string): Promise<Judge> {
  const key = keyOf(name)
  return getOrInsert(loaded, key, () => load(name))
}

/**
 * The judges of a file: an lm-eval task may hold several.
 * @throws Fatal (configuration)
 */
export async function loadJudges(name: string): Promise<Judge[]> {
  const { taskOf } = await import('./_import.ts')
  const judges = await taskOf(name)
  if (!judges) return [await loadJudge(name)]
  for (const judge of judges) loaded.set(keyOf(judge.name), Promise.resolve(judge))
  return judges
}

/** Files of rows: no judge has such a name. */
const ROWS = /\.(ndjson|csv|tsv|parquet|gz)$/i

async function load(name: string): Promise<Judge> {
  if (ROWS.test(name)) throw notAJudge(name)
  if (/\.(ya?ml|jsonl)(#|$)/.test(name)) {
    const { importedJudge } = await import('./_import.ts')
    const judge = await importedJudge(name)
    if (judge) return judge
  }
  const builtin = checkJudgeName(name)
  if (builtin) return checkJudge(await BUILTIN_JUDGES.data(name), { name, where: name, builtin })
  const folder = resolve(name, '..')
  if (extname(name) === '.mjs') {
    try {
      const { moduleFile } = await import('./_module.ts')
      return checkJudge(await moduleFile(name), { name, where: name, folder, builtin })
    } catch (error) {
      if ((error as { exitCode?: number }).exitCode) throw error
      throw configError(`${name}: ${(error as Error).message}`, error)
    }
  }
  if (isTemplate(name))
    return bareTemplate(readFileSync(name, 'utf8'), { name, where: name, folder, builtin })
  return checkJudge(await readData(name), { name, where: name, folder, builtin })
}

/**
 * Whether the judge of that name is built in; else there is such a file.
 * @throws Fatal (configuration) where there is neither
 */
export function checkJudgeName(name: string): boolean {
  if (/^[\w-]+$/.test(name)) {
    if (BUILTIN_JUDGES.has(name)) return true
    const near = nearest(name, BUILTIN_JUDGES.names())
    throw configError(
      `no judge "${name}"${near ? `: did you mean ${near}?` : ''} (jb-render --list shows all; a file is named with its ending)`,
    )
  }
  if (!existsSync(name)) throw configError(`${name}: no such judge file`)
  if (statSync(name).isDirectory()) throw configError(`${name}: a folder, not a judge file`)
  return false
}

/** Whether a file of that name is a prompt and nothing else. */
export const isTemplate = (name: string) =>
  ['.jinja2', '.jinja', '.j2', '.njk', '.txt'].includes(extname(name))

/** Names by which prompts call two answers: a bare template that has both compares them. */
const TWO = ['answer', 'response', 'output', 'completion', 'assistant'].flatMap((word) =>
  ['ab', 'AB', '12'].map(([first, second]) => [`${word}_${first}`, `${word}_${second}`]),
)

/** A prompt alone: the user's message, or all of a prompt in ChatML. How a reply is read is for `jb-parse --judge` to say. */
function bareTemplate(content: string, identity: JudgeIdentity): Judge {
  const syntax = identity.name.endsWith('.njk') ? ('nunjucks' as const) : ('jinja' as const)
  const answers = answersOf(content)
  const fields = Object.fromEntries((answers ?? []).map((name) => [name, name]))
  const messages = chatMessages(content) ?? [{ role: 'user' as const, content }]
  return { about: '', kind: answers ? 'pairwise' : 'grade', fields, answers, syntax, messages, ...identity }
}

/** Two answers that the template looks up between braces, in any syntax; mentions in its text or comments do not count. */
function answersOf(template: string): string[] | undefined {
  const text = template.replace(/\{#.*?#\}/gs, '')
  const looksUp = (name: string) => new RegExp(`\\{[^{}]*\\b${name}\\b|\\b${name}\\b[^{}]*[%}]\\}`).test(text)
  return TWO.find((names) => names.every(looksUp))
}
