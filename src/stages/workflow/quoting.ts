/**
 * What may stand in a Makefile. A value is a shell word of {@link PLAIN} characters, or `$$'…'` of them with `\xHH` for each
 * other byte: make sees no comment, space or line end in it, the shell nothing but one word. A file whose name is not plain
 * stands in rules by another, a link to it (names.ts).
 */
import { codePoint } from '../../rows/controls.ts'
import { configError, usageError } from '../../rows/record.ts'

const PLAIN = /^[A-Za-z0-9_./:@%+,=-]+$/
const ENCODED = /[^A-Za-z0-9_./:@+,=-]/gu

/** What no argument of a program can hold: NUL, and half a character. */
export const NO_ARGUMENT = /\0|[\ud800-\udfff]/u

/** @throws Fatal (configuration) for a control character, which no file's name should have */
export function checkName(name: string, place: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
  const found = /[\0-\x1f\x7f]/.exec(name)
  if (found)
    throw configError(`${place}: ${JSON.stringify(name)}: a file's name cannot have ${codePoint(found[0])}`)
}

/** Names that are the same to make, in rules and recipes, and to the shell; letters of any script are. */
export const isPlainName = (path: string): boolean => /^(?![-~])[\p{L}\p{N}\p{M}_./@+,~-]+$/u.test(path)

/** A value as one word of a make variable or recipe. @throws Fatal (configuration) for NUL */
export const quoted = (value: string): string => shellWord(value).replace(/^\$/, '$$$$')

/** A value as one word for bash. @throws as quoted */
function shellWord(value: string): string {
  const found = NO_ARGUMENT.exec(value)
  if (found)
    throw configError(`${JSON.stringify(value)}: a program's argument cannot have ${codePoint(found[0])}`)
  return PLAIN.test(value) ? value : `$'${value.replace(ENCODED, escapes)}'`
}

const escapes = (character: string) =>
  [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

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
  value !== undefined && `--${name}${value.startsWith('-') ? '=' : ' '}${quoted(value)}`
