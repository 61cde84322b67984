/** Folders of input files. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isFolder } from '../files/folder.ts'
import { byCodePoint } from '../python/unicode.ts'
import { EXIT, Fatal } from '../rows/record.ts'

/** All files of a folder, down to `depth` levels, sorted by path; for a file, the file itself. @throws Fatal (no input) */
export function filesIn(path: string, depth = 3): string[] {
  if (!existsSync(path)) throw new Fatal(EXIT.noInput, `${path}: no such file or folder`)
  if (!isFolder(path)) return [path]
  const files: string[] = []
  const walk = (folder: string, left: number) => {
    for (const name of readdirSync(folder)) {
      if (name.startsWith('.')) continue
      const inside = join(folder, name)
      if (!isFolder(inside)) files.push(inside)
      else if (left > 1) walk(inside, left - 1)
    }
  }
  walk(path, depth)
  return files.sort(byCodePoint)
}
