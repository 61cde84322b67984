/** Checks of characters in names. */
import { codePoint } from '../../rows/controls.ts'
import { configError } from '../../rows/record.ts'

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
