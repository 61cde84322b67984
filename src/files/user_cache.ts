/** jb's cache folder. */
import { isAbsolute, join } from 'node:path'

/** `$XDG_CACHE_HOME/jb`; if that is not set or a relative path, `~/.cache/jb`. */
export function userCache({ XDG_CACHE_HOME: cache = '', HOME }: Record<string, string | undefined>): string {
  return join(isAbsolute(cache) ? cache : join(HOME || homeFolder(), '.cache'), 'jb')
}

/** Used only without $HOME: the module takes time to load. */
const homeFolder = () => process.getBuiltinModule('node:os').homedir()
