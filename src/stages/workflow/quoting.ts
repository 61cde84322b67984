/** Quotes words for make and the shell. */
import { pythonJson, type Exact as Value } from '../../python/json.ts'
import { codePoint } from '../../rows/controls.ts'
import { configError, usageError } from '../../rows/record.ts'
import { CONTROL } from './control.ts'

/** Quotes a word for the shell in a recipe, where `$` is written `$$`. @throws Fatal (configuration) for control characters */
export const quoted = (word: string): string => shellWord(word).replaceAll('$', '$$$$')

/** Quotes a word for bash. Line ends become escapes, since a recipe cannot have them. @throws as quoted */
export function shellWord(word: string): string {
  const control = CONTROL.exec(word)
  if (control)
    throw configError(
      `${JSON.stringify(word)}: a Makefile cannot contain a control character (${codePoint(control[0])})`,
    )
  if (/[\n\r]/.test(word))
    return `$'${word.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
  return /^[\w@%+=:,./{}-]+$/.test(word) && !word.includes('{') ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/**
 * Splits a text into words as a shell does: handles quotes and backslashes, expands nothing.
 * @throws Fatal (usage) for an unclosed quote
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
    } else if (whole === "'" || whole === '"') throw usageError(`${text}: a quote (${whole}) is not closed`)
    else word = (word ?? '') + (single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? escaped ?? whole)
  }
  return word === undefined ? found : [...found, word]
}

/** A pipe with a line break. */
export const PIPE = ' \\\n  | '

/** Joins the defined words of a command line. */
export const words = (...parts: (string | undefined | false)[]) => parts.filter(Boolean).join(' ')

/** `--name value`, if there is a value. */
export const option = (name: string, value: string | undefined) =>
  value !== undefined && `--${name} ${quoted(value)}`

/** A setting's value for --set; strings that would be parsed as JSON are written as JSON. */
export function setValue(value: Value): string {
  if (typeof value !== 'string') return pythonJson(value, { unicode: true })
  try {
    JSON.parse(value)
  } catch {
    if (!/[\n\r]/.test(value)) return value
  }
  return JSON.stringify(value)
}
