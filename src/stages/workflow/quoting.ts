/** Checks names, and quotes words, for make and the shell. */
import { pythonJson, type Exact as Value } from '../../python/json.ts'
import { codePoint } from '../../rows/controls.ts'
import { configError, usageError } from '../../rows/record.ts'

/** Control characters that a Makefile cannot have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
export const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/** Characters that a file name in a make rule cannot have. */
const IN_NAME = /[%|;\t\n\r]/

/** @throws Fatal (configuration) for such a character */
export function checkName(name: string, place: string): void {
  const found = IN_NAME.exec(name)
  if (found)
    throw configError(
      `${place}: ${JSON.stringify(name)}: a file's name in a Makefile cannot have ${/\s/.test(found[0]) ? codePoint(found[0]) : found[0]}`,
    )
}

/** Characters that an unquoted file name in a recipe cannot have. */
const IN_RECIPE = /[\s%|;$#'"`\\*?[\](){}<>&!]/

/** Checks the name of an output file. @throws Fatal (configuration) */
export function checkTarget(path: string): void {
  const [found] = IN_RECIPE.exec(path) ?? []
  if (found !== undefined)
    throw configError(
      `${JSON.stringify(path)}: a file that a Makefile makes cannot have ${/\s/.test(found) ? codePoint(found) : found} in its name: change filebase or --out-dir`,
    )
}

/** Escapes the name of an input file for rules and recipes. @throws Fatal (configuration) */
export function inputName(path: string): string {
  const escaped = path.replace(/[ #:]/g, '\\$&')
  const [found] = IN_RECIPE.exec(path.replace(/[ #:]/g, '')) ?? []
  if (found !== undefined || CONTROL.test(path))
    throw configError(
      `${JSON.stringify(path)}: a Makefile cannot name this file (${codePoint(found ?? CONTROL.exec(path)![0])} in it)`,
    )
  return escaped
}

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
