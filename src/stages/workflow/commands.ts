/** Where this toolkit's own commands are. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Their folder, so that recipes find them; undefined where it is not known, and PATH decides. */
export function commandsFolder(): string | undefined {
  return ['../bin', '../../../bin', '../../../../bin']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(`${path}/jb-workflow`))
}

/** The path of one of them. */
export function commandPath(name: string): string {
  const folder = commandsFolder()
  return folder === undefined ? name : `${folder}/${name}`
}
