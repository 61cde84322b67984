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

/** `U+0001` */
export const codePoint = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
