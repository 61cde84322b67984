/** Removes keys from everything that is written, even if a server sends one back. */
import { isAscii, isUtf8 } from 'node:buffer'
import type { Latin1 } from '../../../rows/bytes.ts'
import { foreignJson } from '../../../rows/scan.ts'

const HIDDEN = '[key]'
/** Words that stand where a local server wants no key: shorter or such, and they hide nothing. */
const PLACEHOLDER =
  /^(empty|none|null|dummy|ollama|anything|no-?key|not-needed|local|test|sk-no-key-required)$/i
const SHORTEST = 6

/** The ways in which a secret may be written. */
interface Forms {
  /** As it stands, and in base64 at each of the three offsets that it may have in a longer text. */
  plain: Set<string>
  /** With any of its characters escaped, as JSON or a URL does it: one pattern for each secret. */
  escaped: Map<string, RegExp>
}

export class Secrets {
  private readonly known: Forms = { plain: new Set(), escaped: new Map() }
  /** The same of what may be a key. */
  private readonly doubtful: Forms = { plain: new Set(), escaped: new Map() }

  add(secret: string): void {
    addForms(this.known, secret)
  }

  /** Keeps what may be a key, or may be a plain word, out of messages and logs, not out of replies. */
  suspect(secret: string): void {
    addForms(this.doubtful, secret)
  }

  /** A message with every key taken out. */
  hide(text: string): string {
    return without(this.doubtful, this.hideKnown(text))
  }

  /** The same, but only for words that are certainly keys: for replies. */
  hideKnown(text: string): string {
    return without(this.known, text)
  }

  /**
   * JSON bytes as a value, the keys in it taken out however its writer escapes them, and its text, a character a
   * byte, where no key can be in that. A BOM is passed over. @throws SyntaxError
   */
  readJson(bytes: Buffer): { value: unknown; text?: Latin1 } {
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3)
    const ascii = isAscii(bytes)
    const read = ascii ? bytes.latin1Slice(0, bytes.length) : bytes.utf8Slice(0, bytes.length)
    const text = without(this.known, read)
    const value = foreignJson(text)
    if (this.known.plain.size === 0 || !/\\[u/]/.test(text)) {
      if (ascii) return { value, text: text as Latin1 }
      // Bytes that are no UTF-8 have been replaced in what was read.
      return { value, text: text === read && isUtf8(bytes) ? bytes.latin1Slice(0, bytes.length) : undefined }
    }
    const plain = JSON.stringify(value)
    const hidden = without(this.known, plain)
    return { value: hidden === plain ? value : JSON.parse(hidden) }
  }
}

function addForms({ plain, escaped }: Forms, secret: string): void {
  const bare = secret.replace(/^(bearer|basic)\s+/i, '')
  for (const text of [secret, bare]) {
    if (text.length < SHORTEST || PLACEHOLDER.test(text) || plain.has(text)) continue
    plain.add(text)
    for (const form of base64Forms(text)) plain.add(form)
    escaped.set(text, escapedForms(text))
  }
}

/** What base64 of any text that holds the secret has in common, for each offset of its first byte in three. */
function* base64Forms(text: string): Generator<string> {
  for (let offset = 0; offset < 3; offset++) {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
    // Characters whose six bits are all the secret's.
    const from = Math.ceil((offset * 8) / 6)
    const to = Math.floor((bytes.length * 8) / 6)
    for (const encoding of ['base64', 'base64url'] as const) yield bytes.toString(encoding).slice(from, to)
  }
}

/** Each character as it is, or escaped: `\u0073`, `\x73`, `\/`, `%73`, `&#115;`, all that again escaped. */
function escapedForms(text: string): RegExp {
  const forms = [...text].map((character) => {
    const code = character.codePointAt(0)!
    const hex = anyCase(code.toString(16).padStart(4, '0'))
    const percent = [...Buffer.from(character)].map(
      (byte) => `%(?:25)*${anyCase(byte.toString(16).padStart(2, '0'))}`,
    )
    const short = code < 256 ? `|\\\\+x${anyCase(code.toString(16).padStart(2, '0'))}` : ''
    return `(?:\\\\*${character.replace(/[^\w\s]/g, '\\$&')}|\\\\+u${hex}${short}|${percent.join('')}|&#(?:0*${code}|x0*${anyCase(code.toString(16))});)`
  })
  return new RegExp(forms.join(''), 'g')
}

const anyCase = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/** What an escape begins with. */
const ESCAPE = /\\|%[0-9a-f]|&#/i

function without({ plain, escaped }: Forms, text: string): string {
  for (const form of plain) if (text.includes(form)) text = text.replaceAll(form, HIDDEN)
  if (escaped.size > 0 && ESCAPE.test(text))
    for (const pattern of escaped.values()) text = text.replace(pattern, HIDDEN)
  return text
}
