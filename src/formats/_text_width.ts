import { eastAsianWidth } from 'get-east-asian-width'

const ASCII = /^\p{ASCII}*$/u
const NO_COLUMN = /[\p{M}\p{Cf}]/u

/** Width of a text on a terminal, in columns. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const letter of text) if (!NO_COLUMN.test(letter)) width += eastAsianWidth(letter.codePointAt(0)!)
  return width
}
