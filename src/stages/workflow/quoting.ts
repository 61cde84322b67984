/** Words as make and the shell read them. */
import { pythonJson, type Exact as Value } from '../../python/json.ts'
import { configError, usageError } from '../../rows/record.ts'
import { CONTROL, codePoint } from './control.ts'

/** A word for the shell in a recipe, where make takes `$$` for `$`. @throws Fatal (configuration) for control characters */
export const quoted = (word: string): string => shellWord(word).replaceAll('$', '$$$$')

/** A word for the shell. Line ends, which no recipe can hold, are written as bash escapes. @throws as quoted */
export function shellWord(word: string): string {
  const control = CONTROL.exec(word)
  if (control)
    throw configError(
      `${JSON.stringify(word)}: a control character (${codePoint(control[0])}) cannot stand in a Makefile`,
    )
  if (/[\n\r]/.test(word))
    return `$'${word.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
  return /^[\w@%+=:,./{}-]+$/.test(word) && !word.includes('{') ? word : `'${word.replaceAll("'", "'\\''")}'`
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

/** Between two commands of a pipe: in the Makefile a new line begins here. */
export const PIPE = ' \\\n  | '

/** Words of a command line, without the undefined ones. */
export const words = (...parts: (string | undefined | false)[]) => parts.filter(Boolean).join(' ')
/** `--name value`, where there is a value. */
export const option = (name: string, value: string | undefined) =>
  value !== undefined && `--${name} ${quoted(value)}`

/** A setting's value for --set: JSON where a bare text would be read as something else. */
export function setValue(value: Value): string {
  if (typeof value !== 'string') return pythonJson(value, { unicode: true })
  try {
    JSON.parse(value)
  } catch {
    if (!/[\n\r]/.test(value)) return value
  }
  return JSON.stringify(value)
}
