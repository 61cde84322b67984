/**
 * What may stand in a Makefile. A value is a shell word of {@link PLAIN} characters, or `$$'…'` of them with `\xHH` for each
 * other byte: make sees no comment, space or line end in it, the shell nothing but one word. A file's name, which rules hold
 * as well, is refused unless its characters are those of {@link inputName}.
 */
import { codePoint } from '../../rows/controls.ts'
import { configError, usageError } from '../../rows/record.ts'

const PLAIN = /^[A-Za-z0-9_./:@%+,=-]+$/
const ENCODED = /[^A-Za-z0-9_./:@+,=-]/gu

/** What no argument of a program can hold: NUL, and half a character. */
export const NO_ARGUMENT = /\0|[\ud800-\udfff]/u

/** Characters that a file name in a make rule cannot have. */
const IN_NAME = /[%|;\t\n\r]/

/** @throws Fatal (configuration) for such a character */
export function checkName(name: string, place: string): void {
  const found = IN_NAME.exec(name)
  if (found)
    throw configError(
      `${place}: ${JSON.stringify(name)}: a file's name in a Makefile cannot have ${shown(found[0])}`,
    )
}

/** What no name in a rule and a recipe has; a letter, digit or mark of any script may be in it. */
const IN_TARGET = /^[-~]|[^\p{L}\p{N}\p{M}_./:@+,=~-]/u
const IN_INPUT = /^[-~#]|^ | $|[^\p{L}\p{N}\p{M}_./:@+,=~ #-]/u

const shown = (character: string) => (/[^\x21-\x7e]/.test(character) ? codePoint(character) : character)

/** Checks the name of an output file. @throws Fatal (configuration) */
export function checkTarget(path: string): void {
  const [found] = IN_TARGET.exec(path) ?? []
  if (found !== undefined)
    throw configError(
      `${JSON.stringify(path)}: a file that a Makefile makes cannot have ${shown(found)}${/[-~]/.test(found) ? ' at the beginning of' : ' in'} its name: change filebase or --out-dir`,
    )
}

/** The name of a file for rules, and unquoted for recipes. @throws Fatal (configuration) */
export function inputName(path: string): string {
  const [found] = IN_INPUT.exec(path) ?? []
  if (found !== undefined)
    throw configError(`${JSON.stringify(path)}: a Makefile cannot name this file (${shown(found)} in it)`)
  // A bare `=` would make an assignment of a rule.
  return path.replace(/[ #:]/g, '\\$&').replaceAll('=', '$(or =)')
}

/** A value as one word of a make variable or recipe. @throws Fatal (configuration) for NUL */
export const quoted = (value: string): string => shellWord(value).replace(/^\$/, '$$$$')

/** A value as one word for bash. @throws as quoted */
export function shellWord(value: string): string {
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
