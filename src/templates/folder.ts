/* Templates by name, out of one folder. */
import { readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { notFound } from '../python/error.ts'

/**
 * Finds templates below a folder; each is compiled once. Names are paths with `/`; one that leads out of
 * the folder, also by way of a link, is not found.
 */
export const folderLoader = <T>(
  folder: string | undefined,
  compile: (source: string, name: string) => T,
): ((name: string) => T) => {
  const known = new Map<string, T>()
  return (name) => {
    let template = known.get(name)
    if (!template) {
      template = compile(readWithin(folder, name), name)
      known.set(name, template)
    }
    return template
  }
}

const readWithin = (folder: string | undefined, name: string): string => {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  const unsafe = parts.some((part) => part === '..' || part.includes('\\') || part.includes('\0'))
  if (folder === undefined || parts.length === 0 || unsafe) throw notFound(name)
  try {
    const root = realpathSync(folder)
    const file = realpathSync(path.join(root, ...parts))
    if (file.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) return readFileSync(file, 'utf8')
  } catch {
    // Whatever keeps it from being read, for the template it isn't there.
  }
  throw notFound(name)
}
