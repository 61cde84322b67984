/** Characters that show nothing or turn the text around them; line breaks and tabs do neither. */

/** Controls, lone surrogates, zero widths, line separators, bidi overrides and isolates, tags. */
export const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cs}\u200b\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** What stands in the place of one: `␛` for ESC, `U+202E` for what has no picture. */
export function pictureOf(character: string): string {
  const code = character.codePointAt(0)!
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
