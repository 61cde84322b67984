/** How wide texts are on a terminal. */

/** Letters that may take two columns, or none: those beyond the alphabets, and marks above and below others. */
const UNUSUAL = /[\p{M}\p{Cf}\u1100-\u{10ffff}]/u

/** Tells the width of any of these texts, in columns. */
export async function widthOf(texts: string[]): Promise<(text: string) => number> {
  if (!texts.some((text) => UNUSUAL.test(text))) return ({ length }) => length
  return (await import('./_text_width.ts')).textWidth
}
