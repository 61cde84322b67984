/** Words as make and the shell read them. */
import { dirname } from 'node:path'
import { pythonJson, type Exact as Value } from '../../python/json.ts'
import { configError, EXIT, usageError } from '../../rows/record.ts'
import { CONTROL, checkName, codePoint } from './control.ts'
import type { Settings } from './load.ts'

/** A path as make reads one in a rule. @throws Fatal (configuration) for what no rule can hold */
export function target(path: string): string {
  refuseControl(path)
  checkName(path, 'the Makefile')
  return (
    path
      .replaceAll('$', '$$$$')
      .replace(/[\s#:*?[]/g, '\\$&')
      // What stands after a name and = is a value to make.
      .replaceAll('=', '$(equals)')
  )
}

/** A word for the shell in a recipe, where make takes `$$` for `$`. @throws Fatal (configuration) for control characters */
export const quoted = (word: string): string => shellWord(word).replaceAll('$', '$$$$')

/** A word for the shell. Line ends, which no recipe can hold, are written as bash escapes. */
export function shellWord(word: string): string {
  refuseControl(word)
  if (/[\n\r]/.test(word))
    return `$'${word.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
  return /^[\w@%+=:,./{}-]+$/.test(word) && !word.includes('{') ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function refuseControl(text: string): void {
  const found = CONTROL.exec(text)
  if (found)
    throw configError(
      `${JSON.stringify(text)}: a control character (${codePoint(found[0])}) cannot stand in a Makefile`,
    )
}

/**
 * The words of a text as a shell splits them, quotes and backslashes read and nothing else: no variable, command or
 * pattern in it is looked at. @throws Fatal (usage) for a quote without its end
 */
export function splitWords(text: string): string[] {
  const found: string[] = []
  let word: string | undefined
  for (const [whole, space, single, double, escaped] of text.matchAll(
    /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|./gsu,
  )) {
    if (space !== undefined) {
      if (word !== undefined) found.push(word)
      word = undefined
    } else if (whole === "'" || whole === '"') throw usageError(`${text}: a quote (${whole}) has no end`)
    else word = (word ?? '') + (single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? escaped ?? whole)
  }
  return word === undefined ? found : [...found, word]
}

/** In the Makefile a new line of a recipe begins here. No quoted word has such a character. */
export const BREAK = '\x01'
/** Between two commands of a pipe. */
export const PIPE = ` ${BREAK}| `

/** A recipe's line as one. */
export const oneLine = (line: string) => line.replaceAll('\x01', '')
/** And as it stands in the Makefile. */
export const broken = (line: string) => line.replaceAll('\x01', '\\\n\t  ')

/** Words of a command line; those that are not there are left out. */
export const words = (...parts: (string | undefined | false)[]) => parts.filter(Boolean).join(' ')
/** Into the rule's own target, which is there only when it is whole. */
export const into = (path: string) =>
  quoted(path) === path
    ? '> $@.part && mv -f $@.part $@'
    : `> ${quoted(`${path}.part`)} && mv -f ${quoted(`${path}.part`)} ${quoted(path)}`

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
