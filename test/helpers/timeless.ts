/** Files of jb-write lm-eval --save, whose names end with the time. */
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/** Gives the files below a folder names with `_now` for the time. */
export function timeless(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/(^|\/)(results|llm_judge)_[^/]*$/.test(path))
      renameSync(join(folder, path), join(folder, path.replace(/_[^_]*(\.jsonl?)$/, '_now$1')))
}
