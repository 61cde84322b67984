/** Paths of the toolkit's own commands. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the commands, for the PATH of recipes; undefined if not found. */
export function commandsFolder(): string | undefined {
  return ['../bin', '../../../bin', '../../../../bin']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(`${path}/jb-workflow`))
}

/** The path of a command; its bare name, to be found on PATH, if the folder is not known. */
export function commandPath(name: string): string {
  const folder = commandsFolder()
  return folder === undefined ? name : `${folder}/${name}`
}
