/** Masks keys in all output, even if a server sends one back. */
import { foreignJson } from '../../../rows/foreign_json.ts'

const HIDDEN = '[key]'
/** Keys for servers that need none, which are not masked, and neither are shorter ones. */
const PLACEHOLDER =
  /^(empty|none|null|dummy|ollama|anything|no-?key|not-needed|local|test|sk-no-key-required)$/i
const SHORTEST = 6

/** The encodings of secrets. */
interface Forms {
  /** Unchanged, and in base64 at each of three offsets in a longer text. */
  plain: Set<string>
  /** Patterns by secret, for escaped characters as in JSON and URLs. */
  escaped: Map<string, RegExp>
}

export class Secrets {
  private readonly known: Forms = { plain: new Set(), escaped: new Map() }
  /** Texts that may be keys. */
  private readonly doubtful: Forms = { plain: new Set(), escaped: new Map() }

  add(secret: string): void {
    addForms(this.known, secret)
  }

  /** Masks a text that may be a key in messages and logs, but not in replies. */
  suspect(secret: string): void {
    addForms(this.doubtful, secret)
  }

  /** Masks all keys in a message. */
  hide(text: string): string {
    return without(this.doubtful, this.hideKnown(text))
  }

  /** Masks only certain keys, for replies. */
  hideKnown(text: string): string {
    return without(this.known, text)
  }

  /** Parses JSON with keys masked. Skips a BOM. @throws SyntaxError */
  readJson(bytes: Buffer): unknown {
    const text = without(this.known, bytes.toString().replace(/^\ufeff/, ''))
    const value = foreignJson(text)
    if (this.known.plain.size === 0 || !/\\[u/]/.test(text)) return value
    const plain = JSON.stringify(value)
    const hidden = without(this.known, plain)
    return hidden === plain ? value : JSON.parse(hidden)
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

/** The part of base64 that only depends on the secret, for each of three offsets. */
function* base64Forms(text: string): Generator<string> {
  for (let offset = 0; offset < 3; offset++) {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
    // Characters whose six bits all belong to the secret.
    const from = Math.ceil((offset * 8) / 6)
    const to = Math.floor((bytes.length * 8) / 6)
    for (const encoding of ['base64', 'base64url'] as const) yield bytes.toString(encoding).slice(from, to)
  }
}

/** Characters that are not seen: soft hyphens, zero-width and bidirectional ones, variation selectors. */
const UNSEEN = '\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff'

/**
 * Each character unchanged or escaped, also repeatedly: `\u0073`, `\x73`, `\/`, `%73`, `&#115;`. Unseen ones may stand between
 * them.
 */
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
  return new RegExp(forms.join(`[${UNSEEN}]*`), 'g')
}

const anyCase = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/** The beginning of an escape, or an unseen character. */
const ESCAPE = new RegExp(`\\\\|%[0-9a-f]|&#|[${UNSEEN}]`, 'i')

function without({ plain, escaped }: Forms, text: string): string {
  for (const form of plain) if (text.includes(form)) text = text.replaceAll(form, HIDDEN)
  if (escaped.size > 0 && ESCAPE.test(text))
    for (const pattern of escaped.values()) text = text.replace(pattern, HIDDEN)
  return text
}
