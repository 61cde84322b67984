/**
 * Finds the judge that a row names: a built-in judge, or a file that the user named with --judge or rendered with. Rows are
 * data, so no other file is opened, whatever path is in `jb.judge`.
 */
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { didYouMean } from '../options/nearest.ts'
import { getOrInsert } from '../rows/maps.ts'
import { Fatal, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Judge } from './_judge.ts'
import { BUILTIN_JUDGES, checkJudgeName, isTemplate, loadJudge } from './_load.ts'
import { isRendered } from './_rendered.ts'

/** The judge files that a row may name. */
export interface Allowed {
  /** Names as the user wrote them, by absolute path. */
  files: ReadonlyMap<string, string>
  /** The same by file name, for rows that were made in another folder. Undefined if two files have that name. */
  byBase: ReadonlyMap<string, string | undefined>
  /** The judge with a rule for replies, if the user named exactly one: it reads rows whose own judge has no rule. */
  only?: string
  /** Whether the user rendered with this file; absent where that does not matter. */
  isRendered?(file: string): boolean
}

/** The name of a file, perhaps with one of its judges: `task.yaml#accuracy`. */
const FILE = /\.(ya?ml|jsonl?|mjs)(#.*)?$/s

/**
 * The judges that the user named, or rendered with.
 * @param env says where the latter are noted; without it, files are those that are named
 * @throws Fatal (configuration) for a name that is neither a built-in judge's nor a file's
 */
export function allowJudges(
  names: readonly string[],
  env?: Readonly<Record<string, string | undefined>>,
): Allowed {
  const files = new Map<string, string>()
  const byBase = new Map<string, string | undefined>()
  const rules = names.filter((name) => !isTemplate(name))
  for (const name of names) {
    const path = existsSync(name) ? name : name.replace(/#[^#]*$/s, '')
    checkJudgeName(path)
    if (isBuiltin(name)) continue
    files.set(resolve(name), name)
    const base = basename(name)
    byBase.set(base, byBase.has(base) ? undefined : name)
  }
  const rendered = new Map<string, boolean>()
  return {
    files,
    byBase,
    ...(rules.length === 1 && { only: rules[0] }),
    ...(env && { isRendered: (file) => getOrInsert(rendered, file, () => isRendered(file, env)) }),
  }
}

/** What the judge is needed for. */
interface Need {
  /** To read a reply: another judge may do that for a row whose own judge has no rule. */
  reading?: boolean
  /** To read a reply in the user's own row, which does not name a judge. */
  own?: boolean
}

/**
 * The judge that the row names.
 * @throws RowFailure missing_field if it names none; unknown_judge if the judge is neither built in nor named by the user
 */
export async function judgeOfRow(row: Row, allowed: Allowed, need: Need = {}): Promise<Judge> {
  const { name, part } = nameOfRow(row, allowed, need)
  try {
    return await loadJudge(name)
  } catch (error) {
    // The user named the file, but it has no judge with the row's name; or the row named it.
    if (part && error instanceof Fatal) throw new RowFailure('unknown_judge', error.message)
    throw error
  }
}

/** The name that loads this judge, and whether the row chose the file or one of its judges. @throws RowFailure as judgeOfRow */
export function nameOfRow(
  row: Row,
  allowed: Allowed,
  { reading = false, own = false }: Need = {},
): { name: string; part?: boolean } {
  const { only } = allowed
  const given: unknown = row.get('judge')
  // Rows may name any built-in judge: if the user names one, it reads every row.
  if (only !== undefined && (own || (reading && isBuiltin(only)))) return { name: only }
  if (typeof given !== 'string') {
    if (reading && only !== undefined) return { name: only }
    throw new RowFailure(
      'missing_field',
      `${given === undefined ? 'no jb.judge' : 'jb.judge is not a string'}: jb-render writes it; else name the judge with --judge`,
    )
  }
  if (isBuiltin(given)) return { name: given }
  const found = fileOf(given, allowed)
  if (found && !(reading && isTemplate(given) && only !== undefined)) return found
  if (reading && only !== undefined && !FILE.test(given)) return { name: only }
  if (allowed.isRendered?.(given.replace(/#[^#]*$/s, ''))) return { name: given, part: true }
  throw new RowFailure('unknown_judge', unknown(given, reading, allowed.isRendered !== undefined))
}

/** A file that the user named, found by its path or its file name. */
function fileOf(given: string, { files, byBase }: Allowed): { name: string; part?: boolean } | undefined {
  if (files.size === 0) return undefined
  const listed = (path: string) => files.get(resolve(path)) ?? byBase.get(basename(path))
  const whole = listed(given)
  if (whole !== undefined) return { name: whole }
  const [, path, part] = /^(.*)(#[^#]*)$/s.exec(given) ?? []
  const file = path === undefined ? undefined : listed(path)
  return file === undefined ? undefined : { name: file + part, part: true }
}

function unknown(given: string, reading: boolean, mayBeRendered: boolean): string {
  const path = given.replace(/#[^#]*$/s, '')
  if (isTemplate(given))
    return `${given}: a prompt does not say how replies are read: ${reading ? 'name a judge that does (jb-parse --judge JUDGE)' : `if the file is yours, add --judge ${word(given)}`}`
  const why =
    mayBeRendered && !path.endsWith('.mjs')
      ? ', with which you did not render, which has changed since, or whose templates are code (nunjucks)'
      : ', which is not named with --judge'
  if (FILE.test(given) || /[/\\]/.test(given))
    return `the row names the judge file ${given}${why}: if it is yours, add --judge ${word(path)} (or set JB_JUDGE)`
  return `no judge "${given}"${didYouMean(given, BUILTIN_JUDGES.names())} (jb-render --list shows the built-in ones; jb-parse --judge JUDGE reads rows of unknown judges)`
}

/** Quoted for a shell if necessary. */
const word = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const builtin = new Set<string>()
function isBuiltin(name: string): boolean {
  if (builtin.has(name)) return true
  if (!BUILTIN_JUDGES.has(name)) return false
  builtin.add(name)
  return true
}
