/** How wide texts are on a terminal. */

/** Letters that may take two columns, or none: those beyond the alphabets, and marks above and below others. */
const UNUSUAL = /[\p{M}\p{Cf}\u1100-\u{10ffff}]/u
const NO_COLUMN = /[\p{M}\p{Cf}]/u

/** Tells the width of any of these texts, in columns. */
export async function widthOf(texts: string[]): Promise<(text: string) => number> {
  if (!texts.some((text) => UNUSUAL.test(text))) return ({ length }) => length
  const { eastAsianWidth } = await import('get-east-asian-width')
  return (text) =>
    [...text].reduce(
      (width, letter) => width + (NO_COLUMN.test(letter) ? 0 : eastAsianWidth(letter.codePointAt(0)!)),
      0,
    )
}
