/* String literals: Python's backslash escapes (the codec `unicode-escape`, as Jinja2 uses it). */
import { escapeChar } from '../../python/print.ts'

const SIMPLE: Record<string, string> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([xuUN])|(.))/gsu

/**
 * The text of a literal without its quotes; undefined where an escape is malformed. An unknown escape
 * stays as it is, and so does `\N{...}`, whose names JavaScript doesn't know: that one is refused.
 */
export const unescapeLiteral = (source: string): string | undefined => {
  if (!source.includes('\\')) return source
  let valid = true
  const text = source.replace(ESCAPE, (whole, x, u, long, octal, malformed, simple) => {
    const hex: string | undefined = x ?? u ?? long
    if (hex !== undefined || octal !== undefined) {
      const code = hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16)
      if (code <= 0x10ffff) return String.fromCodePoint(code)
      valid = false
    }
    if (malformed !== undefined) valid = false
    else if (Object.hasOwn(SIMPLE, simple)) return SIMPLE[simple]!
    // Jinja2 writes other characters than ASCII as escapes first; a backslash before one escapes that.
    else if (simple > '\x7f') return escapeChar(simple)
    return whole
  })
  return valid ? text : undefined
}
