/** Finds lists in a text: JSON or Python literals, parsed without evaluating anything. */
import { type Json, type JsonObject, RowFailure } from '../rows/record.ts'

/** The deepest nesting: it keeps the time linear for brackets that are never closed. */
const DEEPEST = 100

/**
 * The last list in a text that is not inside another value; with `at`, the list under that key of the last
 * object that has one. Undefined if there is none.
 * @throws RowFailure no_verdict for lists that are nested too deep
 */
export function lastList(text: string, at?: string): Json[] | undefined {
  let found: Json[] | undefined
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '[' && text[i] !== '{') continue
    const reader = new Reader(text, i)
    const value = reader.value()
    if (value === undefined) continue
    const list = listOf(value, at)
    if (list) found = list
    i = reader.at - 1
  }
  return found
}

function listOf(value: Json, at: string | undefined): Json[] | undefined {
  // Numbers in brackets, such as [1, 2], cite sources.
  if (Array.isArray(value))
    return value.length === 0 || value.some((one) => one !== null && typeof one !== 'number')
      ? value
      : undefined
  if (value === null || typeof value !== 'object') return undefined
  const inner = at === undefined ? Object.values(value).filter(Array.isArray) : [value[at]]
  return inner.length === 1 && Array.isArray(inner[0]) ? inner[0] : undefined
}

const WORDS: Record<string, Json> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
}
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' }

class Reader {
  at: number
  private readonly text: string

  constructor(text: string, at: number) {
    this.text = text
    this.at = at
  }

  /** Reads the value that begins here; undefined if there is none or it is cut short. */
  value(depth = 0): Json | undefined {
    this.space()
    const open = this.text[this.at]
    if (open === undefined) return undefined
    if (depth > DEEPEST)
      throw new RowFailure('no_verdict', `a list is nested more than ${DEEPEST} levels deep`)
    if (open === '[' || open === '(') return this.list(open === '[' ? ']' : ')', depth)
    if (open === '{') return this.object(depth)
    if (open === '"' || open === "'") return this.strings()
    const word = /[\w.+-]+/y
    word.lastIndex = this.at
    const [found] = word.exec(this.text) ?? []
    if (found === undefined) return undefined
    this.at += found.length
    if (Object.hasOwn(WORDS, found)) return WORDS[found]
    const number = Number(found)
    return Number.isNaN(number) ? undefined : number
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++
  }

  /** Skips this character if it is next, and says whether it was. */
  private take(character: string): boolean {
    this.space()
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  private list(close: string, depth: number): Json[] | undefined {
    this.at++
    const list: Json[] = []
    while (!this.take(close)) {
      const value = this.value(depth + 1)
      if (value === undefined) return undefined
      list.push(value)
      if (this.take(',')) continue
      if (!this.take(close)) return undefined
      break
    }
    return list
  }

  private object(depth: number): JsonObject | undefined {
    this.at++
    const entries: [string, Json][] = []
    while (!this.take('}')) {
      const key = this.value(depth + 1)
      if (key === undefined || !this.take(':')) return undefined
      const value = this.value(depth + 1)
      if (value === undefined) return undefined
      entries.push([String(key), value])
      if (this.take(',')) continue
      if (!this.take('}')) return undefined
      break
    }
    return Object.fromEntries(entries)
  }

  /** Adjacent strings are one, as in Python. */
  private strings(): string | undefined {
    let whole = ''
    for (;;) {
      const quote = this.text[this.at]
      if (quote !== '"' && quote !== "'") return whole
      const piece = this.string(quote)
      if (piece === undefined) return undefined
      whole += piece
      this.space()
    }
  }

  private string(quote: string): string | undefined {
    const close = this.text.startsWith(quote.repeat(3), this.at) ? quote.repeat(3) : quote
    this.at += close.length
    let out = ''
    for (;;) {
      const character = this.text[this.at]
      if (character === undefined) return undefined
      if (this.text.startsWith(close, this.at)) {
        this.at += close.length
        return out
      }
      this.at++
      if (character !== '\\') out += character
      else out += this.escape()
    }
  }

  private escape(): string {
    const character = this.text[this.at++] ?? ''
    const digits = character === 'u' ? 4 : character === 'x' ? 2 : 0
    if (digits > 0) {
      const code = this.text.slice(this.at, this.at + digits)
      if (/^[0-9a-f]+$/i.test(code) && code.length === digits) {
        this.at += digits
        return String.fromCharCode(Number.parseInt(code, 16))
      }
    }
    return ESCAPES[character] ?? character
  }
}
