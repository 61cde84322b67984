/* str.encode and what can be done with the bytes. */
import { raise } from '../templates/error.ts'
import { type Method, named } from './calls.ts'
import { needText } from './strings.ts'
import { position, sliceIndices } from './subscripts.ts'
import { chars } from './unicode.ts'
import { DONE, type Next, Obj, type Value } from './values.ts'

const SHOWN: Record<number, string> = { 9: '\\t', 10: '\\n', 13: '\\r', 92: '\\\\' }

export class Bytes extends Obj {
  readonly type = 'bytes'
  readonly data: Uint8Array

  constructor(data: Uint8Array) {
    super()
    this.data = data
  }

  override size(): number {
    return this.data.length
  }

  override iterate(): Next {
    let i = 0
    return () => this.data[i++] ?? DONE
  }

  override item(key: Value): Value {
    return this.data[position(this.data.length, key, 'bytes')]!
  }

  override slice(from: Value, to: Value, by: Value): Value {
    const { start, step, count } = sliceIndices(this.data.length, from, to, by)
    return new Bytes(Uint8Array.from({ length: count }, (_, i) => this.data[start + i * step]!))
  }

  override equals(other: Value): boolean {
    return other instanceof Bytes && Buffer.compare(this.data, other.data) === 0
  }

  override repr(): string {
    const hasSingle = this.data.includes(39)
    const mark = hasSingle && !this.data.includes(34) ? '"' : "'"
    const show = (byte: number): string => {
      if (SHOWN[byte]) return SHOWN[byte]
      if (byte === 39 && mark === "'") return "\\'"
      return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`
    }
    return `b${mark}${Array.from(this.data, show).join('')}${mark}`
  }
}

const LIMITS: Record<string, number> = {
  ascii: 0x7f,
  'us-ascii': 0x7f,
  latin1: 0xff,
  'latin-1': 0xff,
  'iso-8859-1': 0xff,
}
const UTF8 = new Set(['utf8', 'utf-8'])

const normal = (name: string): string => name.toLowerCase().replaceAll('_', '-')

export const encode: Method<string> = named('encode', ['encoding', 'errors'], 0, (text, encoding, errors) => {
  const name = normal(encoding === undefined ? 'utf-8' : needText(encoding))
  if (UTF8.has(name)) {
    if (/\p{Surrogate}/u.test(text)) throw raise('UnicodeEncodeError', 'surrogates not allowed')
    return new Bytes(new TextEncoder().encode(text))
  }
  const limit = LIMITS[name]
  if (limit === undefined) throw raise('LookupError', `unknown encoding: ${name}`)
  return new Bytes(Uint8Array.from(narrow(text, limit, errors === undefined ? 'strict' : needText(errors))))
})

const narrow = (text: string, limit: number, errors: string): number[] =>
  chars(text).flatMap((char) => {
    const code = char.codePointAt(0)!
    if (code <= limit) return code
    if (errors === 'ignore') return []
    if (errors === 'replace') return 63
    throw raise('UnicodeEncodeError', `can't encode character U+${code.toString(16).padStart(4, '0')}`)
  })

export const BYTES_METHODS: Record<string, Method<Bytes>> = {
  decode: named('decode', ['encoding', 'errors'], 0, ({ data }, encoding) => {
    const name = normal(encoding === undefined ? 'utf-8' : needText(encoding))
    if (UTF8.has(name)) {
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
      } catch {
        throw raise('UnicodeDecodeError', "'utf-8' codec can't decode the bytes")
      }
    }
    const limit = LIMITS[name]
    if (limit === undefined) throw raise('LookupError', `unknown encoding: ${name}`)
    if (data.some((byte) => byte > limit))
      throw raise('UnicodeDecodeError', `'${name}' codec can't decode the bytes`)
    return Array.from(data, (byte) => String.fromCharCode(byte)).join('')
  }),
  hex: named('hex', [], 0, ({ data }) => Buffer.from(data).toString('hex')),
}
