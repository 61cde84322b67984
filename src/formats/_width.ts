/** Widths of texts on a terminal; the table of wide characters loads only if one may occur. */

/** Characters that may be two columns wide, or none: East Asian scripts and emoji, and combining marks. */
const UNUSUAL = /[\p{M}\p{Cf}\u1100-\u{10ffff}]/u

/** A function that measures these texts in columns. */
export async function widthOf(texts: string[]): Promise<(text: string) => number> {
  if (!texts.some((text) => UNUSUAL.test(text))) return ({ length }) => length
  return (await import('./_text_width.ts')).textWidth
}
