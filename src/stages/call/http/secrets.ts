/** Keys, kept out of everything that is written: also when a server sends one back. */
import { isAscii, isUtf8 } from 'node:buffer'

const HIDDEN = '[key]'
/** Words that stand where a local server wants no key: shorter or such, and they hide nothing. */
const PLACEHOLDER =
  /^(empty|none|null|dummy|ollama|anything|no-?key|not-needed|local|test|sk-no-key-required)$/i
const SHORTEST = 6

export class Secrets {
  /** Every way a key may be written: as it stands, as JSON writes it, as a URL does. */
  private readonly known = new Set<string>()
  /** The same of what may be a key. */
  private readonly doubtful = new Set<string>()

  add(secret: string): void {
    addForms(this.known, secret)
  }

  /** Keeps what may be a key, or may be a plain word, out of messages and logs, not out of replies. */
  suspect(secret: string): void {
    addForms(this.doubtful, secret)
  }

  /** A message with every key taken out. */
  hide(text: string): string {
    return without(this.doubtful, without(this.known, text))
  }

  /**
   * JSON bytes as a value, the keys in it taken out however its writer escapes them, and its text, a character a
   * byte, where no key can be in that. A BOM is passed over. @throws SyntaxError
   */
  readJson(bytes: Buffer): { value: unknown; text?: string } {
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3)
    const ascii = isAscii(bytes)
    const read = ascii ? bytes.latin1Slice(0, bytes.length) : bytes.utf8Slice(0, bytes.length)
    const text = without(this.known, read)
    const value: unknown = JSON.parse(text)
    if (this.known.size === 0 || !/\\[u/]/.test(text)) {
      if (ascii) return { value, text }
      // Bytes that are no UTF-8 have been replaced in what was read.
      return { value, text: text === read && isUtf8(bytes) ? bytes.latin1Slice(0, bytes.length) : undefined }
    }
    const plain = JSON.stringify(value)
    const hidden = without(this.known, plain)
    return { value: hidden === plain ? value : JSON.parse(hidden) }
  }
}

function addForms(forms: Set<string>, secret: string): void {
  const bare = secret.replace(/^(bearer|basic)\s+/i, '')
  for (const text of [secret, bare]) {
    if (text.length < SHORTEST || PLACEHOLDER.test(text)) continue
    forms.add(text).add(JSON.stringify(text).slice(1, -1)).add(encodeURIComponent(text))
  }
}

function without(forms: Set<string>, text: string): string {
  for (const form of forms) if (text.includes(form)) text = text.replaceAll(form, HIDDEN)
  return text
}
