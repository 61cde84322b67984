/** Words as make and the shell read them. */
import { dirname } from 'node:path'
import { pythonJson, type Value } from '../../python/trec.ts'
import { configError, EXIT } from '../../rows/record.ts'
import type { Settings } from './load.ts'

/** A make variable in a recipe, which is otherwise escaped. */
export const variable = (name: string) => `\u0001${name}`

/** A recipe's line as make reads it. */
export const recipeLine = (line: string) => line.replaceAll('$', '$$$$').replaceAll('\u0001', '$')

/** A path as make reads one in a rule. @throws Fatal (configuration) for what no rule can hold */
export function target(path: string): string {
  if (/[%|;\n\r]/.test(path)) throw configError(`"${path}": make cannot have %, | or ; in a file's name`)
  return (
    path
      .replaceAll('$', '$$$$')
      .replace(/[\s#:*?[]/g, '\\$&')
      // What stands behind a name and = is a value to make.
      .replaceAll('=', '$(equals)')
  )
}

/** A word for the shell. Line ends, which no recipe can hold, are written as bash escapes. */
export function quoted(word: string): string {
  if (/[\n\r]/.test(word))
    return `$'${word.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
  return /^[\w@%+=:,./{}-]+$/.test(word) && !word.includes('{') ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Words of a command line; those that are not there are left out. */
export const words = (...parts: (string | undefined | false)[]) => parts.filter(Boolean).join(' ')
/** Into a file that is there only when it is whole. */
export const into = (path: string) =>
  `> ${quoted(`${path}.part`)} && mv -f ${quoted(`${path}.part`)} ${quoted(path)}`

/** `--name value`, where there is a value. */
export const option = (name: string, value: string | undefined) =>
  value !== undefined && `--${name} ${quoted(value)}`

/** Makes the folder of a file. */
export const folders = (path: string) =>
  dirname(path) === '.' ? [] : [`@mkdir -p ${quoted(dirname(path))} || exit ${EXIT.io}`]

/** `--set KEY=VALUE` of every setting; VALUE is JSON where a text would be taken for another thing. */
export function sets(settings: Settings): string[] {
  return Object.entries(settings).map(([key, value]) => `--set ${quoted(`${key}=${setValue(value)}`)}`)
}

function setValue(value: Value): string {
  if (typeof value !== 'string') return pythonJson(value, { unicode: true })
  try {
    JSON.parse(value)
  } catch {
    if (!/[\n\r]/.test(value)) return value
  }
  return JSON.stringify(value)
}
