/** Marks around a text that the text cannot contain. */
import { sha256 } from '../rows/crypto.ts'

/**
 * The text between `<name-1f3a09bc>` and `</name-1f3a09bc>`. The digits are a hash of the text and of a counter, which is
 * raised until they do not occur in the text: the same text has the same marks, and no text can end its own fence.
 */
export function fenced(text: string, name: string): string {
  const folded = text.toLowerCase()
  for (let count = 0; ; count++) {
    const digits = sha256(`${count}\n${text}`).slice(0, 8)
    if (!folded.includes(digits)) return `<${name}-${digits}>\n${text}\n</${name}-${digits}>`
  }
}
