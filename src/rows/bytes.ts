/** Copies of texts that outlive their row. */

/** Whether each character is one byte of UTF-8: counting the bytes takes a tenth of the time of a pattern. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** V8 copies substrings up to this length. */
const NO_SLICE = 12

/** Copies a text that outlives its row: a part of the row's text would keep all of it in memory. */
export function ownedText(text: string): string {
  if (text.length <= NO_SLICE) return text
  const bytes = isAscii(text) ? 'latin1' : 'utf16le'
  return Buffer.from(text, bytes).toString(bytes)
}

/** Copies of texts, one of each, numbered in the order of their first appearance. */
export class OwnedTexts {
  readonly texts: string[] = []
  private readonly numbers = new Map<string, number>()

  number(text: string): number {
    const known = this.numbers.get(text)
    if (known !== undefined) return known
    const own = ownedText(text)
    this.numbers.set(own, this.texts.length)
    return this.texts.push(own) - 1
  }

  own(text: string): string {
    return this.texts[this.number(text)]!
  }
}
