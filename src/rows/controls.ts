/** Characters of data or of a server's words that a terminal would obey: controls, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it says
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** The text with these written as `\u001b`; line breaks and tabs stay. */
export const withoutControls = (text: string): string =>
  text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Names come from the data: a line break would end the table's line, an escape would speak to the terminal. */
export const inLine = (text: string) => withoutControls(text.replace(/[\t-\r\x85\u2028\u2029]+/g, ' '))

/** The same in Markdown: it ends no cell, and is neither HTML nor a link or a picture from somewhere. */
export const inMarkdown = (text: string) => inLine(text).replace(/[\\|<`]|\](?=\()/g, '\\$&')
