/** Paths of journals: one per model in the user's cache folder, or the files of `--cache`. */
import { join } from 'node:path'
import { uniqueName } from '../../../files/file_names.ts'
import { userCache } from '../../../files/user_cache.ts'

export const cacheFolder = (env: Record<string, string | undefined>): string =>
  join(userCache(env), 'replies')

/** The journal of a model. */
export const cacheFile = (folder: string, model: string): string => join(folder, uniqueName(model, '.ndjson'))
