/** Characters that no workflow may hold. */

/** Control characters that no line of a Makefile may hold; tabs and line ends are words' own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it says
export const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/** `U+0001` */
export const codePoint = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
