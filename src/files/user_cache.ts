/** The user's cache folder of jb. */
import { isAbsolute, join } from 'node:path'

/** `$XDG_CACHE_HOME/jb`; where that is not set or a relative path, `~/.cache/jb`. */
export function userCache({ XDG_CACHE_HOME: cache = '', HOME }: Record<string, string | undefined>): string {
  return join(isAbsolute(cache) ? cache : join(HOME || homeFolder(), '.cache'), 'jb')
}

/** Looked up only without $HOME: the module takes time to load. */
const homeFolder = () => process.getBuiltinModule('node:os').homedir()
