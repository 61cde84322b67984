/** Paths of journals: one per model in the user's cache folder, or the files of `--cache`. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { uniqueName } from '../../../files/file_names.ts'
import { filesEndingIn } from '../../../files/folder.ts'
import { userCache } from '../../../files/user_cache.ts'

export const cacheFolder = (env: Record<string, string | undefined>): string =>
  join(userCache(env), 'replies')

/** The journal of a model. */
export const cacheFile = (folder: string, model: string): string => join(folder, uniqueName(model, '.ndjson'))

/** The existing journals: the named ones, one model's, or all. */
export function cacheFiles(folder: string, named: string[], model?: string): string[] {
  const files = named.length === 0 && model ? [cacheFile(folder, model)] : named
  if (files.length > 0) return files.filter((file) => statSync(file, { throwIfNoEntry: false }))
  try {
    return filesEndingIn(folder, '.ndjson')
  } catch {
    return []
  }
}
