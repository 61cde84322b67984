/**
 * Folders of open sets (judges, formats, rules, providers): one file for each member, no list to edit. A bundle has no
 * folders, so the build writes the names into it.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { getOrInsert } from '../rows/maps.ts'

const built: Record<string, string[]> | undefined = process.env.JB_BUILD_MEMBERS
  ? JSON.parse(process.env.JB_BUILD_MEMBERS)
  : undefined

/** The path of a folder of src, or of its copy in the build: beside the bundles, or in the library. */
export const folderPath = (folder: string): string =>
  fileURLToPath(new URL(`${built ? '.' : '..'}/${folder}/`, import.meta.url))

const known = new Map<string, readonly string[]>(Object.entries(built ?? {}))

/** Names of the modules in a folder of src, without those that begin with `_`, sorted. */
export function members(folder: string): readonly string[] {
  return getOrInsert(known, folder, () =>
    readdirSync(folderPath(folder))
      .filter((file) => /^[^_].*\.(ts|js)$/.test(file) && !file.endsWith('.d.ts'))
      .map((file) => file.replace(/\.(ts|js)$/, ''))
      .sort(),
  )
}
