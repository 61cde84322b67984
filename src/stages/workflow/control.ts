/** Characters that no workflow may hold. */
import { configError } from '../../rows/record.ts'

/** Control characters that no line of a Makefile may hold; tabs and line ends are words' own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it says
export const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/** What no file's name in a rule of make can hold. */
const IN_NAME = /[%|;\t\n\r]/

/** @throws Fatal (configuration) for such a character, with the place the name comes from */
export function checkName(name: string, place: string): void {
  const found = IN_NAME.exec(name)
  if (found)
    throw configError(
      `${place}: ${JSON.stringify(name)}: a file's name in a Makefile cannot have ${/\s/.test(found[0]) ? codePoint(found[0]) : found[0]}`,
    )
}

/** What no recipe of make holds in a file's name without quotes. */
const IN_RECIPE = /[\s%|;$#'"`\\*?[\](){}<>&!]/

/** A file that is made, as rules and recipes name it. @throws Fatal (configuration) for a character that either trips over */
export function checkTarget(path: string): void {
  const [found] = IN_RECIPE.exec(path) ?? []
  if (found !== undefined)
    throw configError(
      `${JSON.stringify(path)}: a file that a Makefile makes cannot have ${/\s/.test(found) ? codePoint(found) : found} in its name: change filebase or --out-dir`,
    )
}

/** A file that is read, as rules and recipes name it: spaces, # and : can be escaped. @throws Fatal (configuration) */
export function inputName(path: string): string {
  const escaped = path.replace(/[ #:]/g, '\\$&')
  const [found] = IN_RECIPE.exec(path.replace(/[ #:]/g, '')) ?? []
  if (found !== undefined || CONTROL.test(path))
    throw configError(
      `${JSON.stringify(path)}: a Makefile cannot name this file (${codePoint(found ?? CONTROL.exec(path)![0])} in it)`,
    )
  return escaped
}

/** `U+0001` */
export const codePoint = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
