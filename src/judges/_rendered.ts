/**
 * The judge files that this user rendered with: jb-render notes them in the user's cache folder, so that the filters behind it
 * open them for rows that name them. A row can name no other file, none that was changed since, and no code.
 */
import { existsSync, lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { makeFolder } from '../files/folder.ts'
import { replaceFile } from '../files/part_file.ts'
import { userCache } from '../files/user_cache.ts'
import { sha256 } from '../rows/crypto.ts'

type Environment = Record<string, string | undefined>

/** Files that hold text alone: those with code have to be named with --judge. */
const TEXTS = ['.yaml', '.yml', '.json', '.jsonl']

const folderIn = (env: Environment) => join(userCache(env), 'judges')

/** A file named by the digest of a judge file's path; it holds the path and the digest of its text. */
const placeOf = (path: string, env: Environment) => join(folderIn(env), `${sha256(path)}.json`)

const noteOf = (path: string) => `${JSON.stringify({ path, sha256: sha256(readFileSync(path)) })}\n`

/** Whether a folder is this user's, and nobody else has access. Windows has no such modes. */
const isOwn = ({ uid, mode }: Stats) =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)

/** Notes a judge file. Where that is not possible, later filters ask for --judge. */
export function noteRendered(file: string, env: Environment): void {
  if (!TEXTS.includes(extname(file))) return
  try {
    const path = realpathSync(file)
    const place = placeOf(path, env)
    const note = noteOf(path)
    if (noted(place) === note) return
    makeFolder(folderIn(env), 0o700)
    replaceFile(place, note)
  } catch {}
}

/** Whether the user rendered with this file, as it is now. It is opened only if its path was noted. */
export function isRendered(file: string, env: Environment): boolean {
  if (!TEXTS.includes(extname(file))) return false
  try {
    const path = realpathSync(file)
    if (!TEXTS.includes(extname(path)) || !statSync(path).isFile()) return false
    const there = noted(placeOf(path, env))
    return there !== undefined && there === noteOf(path)
  } catch {
    return false
  }
}

/** What is noted at a place; undefined where nothing is, or others could have written it. */
function noted(place: string): string | undefined {
  const folder = lstatSync(dirname(place), { throwIfNoEntry: false })
  return folder && isOwn(folder) && existsSync(place) ? readFileSync(place, 'utf8') : undefined
}
