/**
 * The judge that a row names: a built-in one, or a file that the user named with --judge. Rows are data, so no
 * other file is opened for them, whatever path stands in `jb.judge`.
 */
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { nearest } from '../options/nearest.ts'
import { Fatal, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Judge } from './_judge.ts'
import { BUILTIN_JUDGES, checkJudgeName, isTemplate, loadJudge } from './_load.ts'

/** The judge files that rows may name. */
export interface Allowed {
  /** Names as the user gave them, by absolute path. */
  files: ReadonlyMap<string, string>
  /** The same by their last part: a row may have been made in another folder. Undefined where two files share it. */
  byBase: ReadonlyMap<string, string | undefined>
  /** The only judge named that has a rule for replies: it reads rows whose own judge has none. */
  only?: string
}

/** A name that is a file's, with the part of a file that holds several: `task.yaml#accuracy`. */
const FILE = /\.(ya?ml|jsonl?|mjs)(#.*)?$/s

/** @throws Fatal (configuration) for a name that is neither a built-in judge's nor a file's */
export function allowJudges(names: readonly string[]): Allowed {
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
  return { files, byBase, ...(rules.length === 1 && { only: rules[0] }) }
}

/** What the judge is needed for: for reading a reply another may stand in, for a row that no judge was named in. */
interface Need {
  reading?: boolean
  /** The reply stands in the user's own row: the judge that the user named reads it. */
  own?: boolean
}

/**
 * The judge that the row names.
 * @throws RowFailure missing_field where it names none; unknown_judge where it is not built in and no file of the user's
 */
export async function judgeOfRow(row: Row, allowed: Allowed, need: Need = {}): Promise<Judge> {
  const { name, part } = nameOfRow(row, allowed, need)
  try {
    return await loadJudge(name)
  } catch (error) {
    // The file is the user's, but it lacks what the row names.
    if (part && error instanceof Fatal) throw new RowFailure('unknown_judge', error.message)
    throw error
  }
}

/** The name by which that judge is loaded, and whether the row chose a part of the file. @throws RowFailure as judgeOfRow */
export function nameOfRow(
  row: Row,
  allowed: Allowed,
  { reading = false, own = false }: Need = {},
): { name: string; part?: boolean } {
  const { only } = allowed
  const given: unknown = row.get('judge')
  // A built-in judge needs no naming to be allowed: one that is named is to read every row.
  if (only !== undefined && (own || (reading && isBuiltin(only)))) return { name: only }
  if (typeof given !== 'string') {
    if (reading && only !== undefined) return { name: only }
    throw new RowFailure(
      'missing_field',
      `${given === undefined ? 'no jb.judge' : 'jb.judge is no text'}: jb-render writes it, or say --judge NAME`,
    )
  }
  if (isBuiltin(given)) return { name: given }
  const found = fileOf(given, allowed)
  if (found && !(reading && isTemplate(given) && only !== undefined)) return found
  if (reading && only !== undefined && !FILE.test(given)) return { name: only }
  throw new RowFailure('unknown_judge', unknown(given, reading))
}

/** A file that the user named, by its path or its last part. */
function fileOf(given: string, { files, byBase }: Allowed): { name: string; part?: boolean } | undefined {
  if (files.size === 0) return undefined
  const listed = (path: string) => files.get(resolve(path)) ?? byBase.get(basename(path))
  const whole = listed(given)
  if (whole !== undefined) return { name: whole }
  const [, path, part] = /^(.*)(#[^#]*)$/s.exec(given) ?? []
  const file = path === undefined ? undefined : listed(path)
  return file === undefined ? undefined : { name: file + part, part: true }
}

function unknown(given: string, reading: boolean): string {
  const path = given.replace(/#[^#]*$/s, '')
  if (isTemplate(given))
    return `${given}: a bare prompt has no rule for replies: ${reading ? 'jb-parse --judge JUDGE names one that has' : `if the file is yours, add --judge ${word(given)}`}`
  if (FILE.test(given) || /[/\\]/.test(given))
    return `the row names the judge file ${given}, which is not named with --judge: if it is yours, add --judge ${word(path)} (or set JB_JUDGE)`
  const near = nearest(given, BUILTIN_JUDGES.names())
  return `no judge "${given}"${near ? `: did you mean ${near}?` : ''} (jb-render --list shows the built-in ones; jb-parse --judge JUDGE reads rows of unknown judges)`
}

/** As a shell takes it for one word. */
const word = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const builtin = new Set<string>()
function isBuiltin(name: string): boolean {
  if (builtin.has(name)) return true
  if (!BUILTIN_JUDGES.has(name)) return false
  builtin.add(name)
  return true
}
