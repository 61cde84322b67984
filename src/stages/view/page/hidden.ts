/** Characters that show nothing or turn the text around them; line breaks and tabs do neither. */

/**
 * Controls, lone surrogates, zero widths, line separators, bidi overrides and isolates, tags; and of marks that pile up
 * on one letter those beyond 16.
 */
export const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{Cs}\u200b\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|(?<=\p{M}{16})\p{M}+/gu

/** What stands in the place of a match: `␛` for ESC, `U+202E` for what has no picture, `+9984 marks` for a pile. */
export function pictureOf(match: string): string {
  if (/^\p{M}/u.test(match)) return `+${[...match].length} marks`
  const code = match.codePointAt(0)!
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
