/** Characters that make a terminal do something: control characters, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** `U+0001` */
export const codePoint = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

/** The text with control characters escaped (`\u001b`), but for line breaks and tabs. */
export const withoutControls = (text: string): string =>
  text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A message, with what the data has in it, on one line. GitHub's runner obeys `##[command]` anywhere in a line: it is escaped. */
export const inMessage = (text: string) =>
  withoutControls(text).replaceAll('\n', '\\n').replaceAll('##[', '#\\u0023[')

/** A text from the data on one line of a table: white space becomes a blank, control characters are escaped. */
export const inLine = (text: string) => withoutControls(text.replace(/[\t-\r\x85\u2028\u2029]+/g, ' '))

/** The same for a cell of a Markdown table: escapes what would end the cell, or make HTML, a link or an image. */
export const inMarkdown = (text: string) => inLine(text).replace(/[\\|<`]|\](?=\()/g, '\\$&')

/** How much of an item's id messages show. */
const ID_SHOWN = 60

/** An item's id in a message: of a long one, such as a question, the beginning. */
export const shortId = (id: string): string =>
  id.length > ID_SHOWN ? `${id.slice(0, ID_SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : id
