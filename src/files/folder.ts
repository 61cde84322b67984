/** Recognises and makes folders. */
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory()

/** The paths of the files in a folder whose names end so, sorted. @throws the system's error */
export const filesEndingIn = (folder: string, ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name))

/**
 * Makes a folder and its parents, unless it exists. Node's option `recursive` never returns below /proc.
 * @throws the system's error
 */
export function makeFolder(path: string, mode?: number): void {
  const full = resolve(path)
  if (existsSync(full)) return
  makeFolder(dirname(full), mode)
  try {
    mkdirSync(full, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
