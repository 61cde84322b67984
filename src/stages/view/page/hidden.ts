/** Invisible and bidirectional characters, except line breaks and tabs. */

/** Controls, lone surrogates, zero widths, line separators, bidi overrides and isolates, tags; marks beyond 16 on one letter. */
export const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{Cs}\u200b\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|(?<=\p{M}{16})\p{M}+/gu

/** The replacement of a match: `␛` for ESC, `U+202E`, or `+9984 marks`. */
export function pictureOf(match: string): string {
  if (/^\p{M}/u.test(match)) return `+${[...match].length} marks`
  const code = match.codePointAt(0)!
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
