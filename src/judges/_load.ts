/** Loads judges: built-in ones, users' files, and other projects' files. */
import { existsSync, statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { KEY_ADVICE, looksLikeKey, maskedKey } from '../files/api_key.ts'
import { Catalogue, readData } from '../files/data.ts'
import { readText } from '../files/text.ts'
import { didYouMean } from '../options/nearest.ts'
import { getOrInsert } from '../rows/maps.ts'
import { configError, EXIT } from '../rows/record.ts'
import { chatMessages } from './_chatml.ts'
import { checkJudge, notAJudge } from './_check.ts'
import type { Judge, JudgeIdentity } from './_judge.ts'

/**
 * The judges that come with the toolkit.
 * @internal
 */
export const BUILTIN_JUDGES = new Catalogue('judges')

/** By absolute path and the name as given. */
const loaded = new Map<string, Promise<Judge>>()
const keyOf = (name: string) => `${resolve(name)} ${name}`

/**
 * The judge with that name or path; a file is read once.
 * @throws Fatal (configuration) with file, key and what was expected
 */
export function loadJudge(name: string): Promise<Judge> {
  return getOrInsert(loaded, keyOf(name), () => load(name))
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

/** Names of files of rows, which cannot be judges. */
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
    return bareTemplate(readText(name, EXIT.config), { name, where: name, folder, builtin })
  return checkJudge(await readData(name), { name, where: name, folder, builtin })
}

/**
 * Whether the name is that of a built-in judge; otherwise it is that of a file.
 * @throws Fatal (configuration) if there is neither
 */
export function checkJudgeName(name: string): boolean {
  if (looksLikeKey(name) && !BUILTIN_JUDGES.has(name))
    throw configError(`no judge "${maskedKey(name)}": it looks like a key: ${KEY_ADVICE}`)
  if (/^[\w-]+$/.test(name)) {
    if (BUILTIN_JUDGES.has(name)) return true
    throw configError(
      `no judge "${name}"${didYouMean(name, BUILTIN_JUDGES.names())} (jb-render --list shows all; a judge file is named with its ending)`,
    )
  }
  if (!existsSync(name)) {
    const builtin = basename(name, extname(name))
    const hint = BUILTIN_JUDGES.has(builtin) ? ` (${builtin} alone is the built-in judge)` : ''
    throw configError(`${name}: no such judge file${hint}`)
  }
  if (statSync(name).isDirectory()) throw configError(`${name}: a folder, not a judge file`)
  return false
}

/** Whether the file is only a prompt. */
export const isTemplate = (name: string) =>
  ['.jinja2', '.jinja', '.j2', '.njk', '.txt'].includes(extname(name))

/** Pairs of names for two answers: a prompt that uses both is a pairwise judge. */
const TWO = ['answer', 'response', 'output', 'completion', 'assistant'].flatMap((word) =>
  ['ab', 'AB', '12'].map(([first, second]) => [`${word}_${first}`, `${word}_${second}`]),
)

/** A judge that is only a prompt: a user message or ChatML. `jb-parse --judge` says how its replies are read. */
function bareTemplate(content: string, identity: JudgeIdentity): Judge {
  const syntax = identity.name.endsWith('.njk') ? ('nunjucks' as const) : ('jinja' as const)
  const answers = answersOf(content)
  const fields = Object.fromEntries((answers ?? []).map((name) => [name, name]))
  const messages = chatMessages(content) ?? [{ role: 'user' as const, content }]
  return { about: '', kind: answers ? 'pairwise' : 'grade', fields, answers, syntax, messages, ...identity }
}

/** The two answers that the template has between braces, in any syntax; its text and comments do not count. */
function answersOf(template: string): string[] | undefined {
  const text = template.replace(/\{#.*?#\}/gs, '')
  const looksUp = (name: string) => new RegExp(`\\{[^{}]*\\b${name}\\b|\\b${name}\\b[^{}]*[%}]\\}`).test(text)
  return TWO.find((names) => names.every(looksUp))
}
