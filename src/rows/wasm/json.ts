/** JSON's grammar: each function checks a construct and returns where it ends. All of them stop at a line end. */

export const QUOTE: u32 = 0x22
export const BACKSLASH: u32 = 0x5c
export const COMMA: u32 = 0x2c
export const COLON: u32 = 0x3a
export const OPEN: u32 = 0x7b
export const CLOSE: u32 = 0x7d
export const OPEN_ARRAY: u32 = 0x5b
export const CLOSE_ARRAY: u32 = 0x5d
export const NEWLINE: u32 = 0x0a
export const RETURN: u32 = 0x0d
export const SPACE: u32 = 0x20

/** How deep arrays and objects may be nested. */
const DEEPEST: u32 = 500

/** The address of the first byte from `p` on that is not white space within a line. */
export function space(p: usize): usize {
  while (true) {
    const c: u32 = load<u8>(p)
    if (c > SPACE || (c !== SPACE && c !== 0x09 && c !== RETURN)) return p
    p++
  }
}

export function keyEnd(p: usize): usize {
  return load<u8>(p) === QUOTE ? stringEnd(p + 1) : 0
}

/** The begin of the value whose key ends at `p`; 0 if there is no colon, as at address 0, for no key. */
export function valueBegin(p: usize): usize {
  p = space(p)
  return load<u8>(p) === COLON ? space(p + 1) : 0
}

/** What follows a member, and white space after it: the address of the next key's quote or of the closing bracket; else 0. */
export function nextKey(p: usize): usize {
  const c: u32 = load<u8>(p)
  if (c === CLOSE) return p
  if (c !== COMMA) return 0
  p = space(p + 1)
  return load<u8>(p) === QUOTE ? p : 0
}

/** The address after the closing quote of the string whose first character is at `p`; 0 if it is invalid. */
export function stringEnd(p: usize): usize {
  const quotes = i8x16.splat(QUOTE as i8)
  const backslashes = i8x16.splat(BACKSLASH as i8)
  const spaces = i8x16.splat(SPACE as i8)
  while (true) {
    const bytes = v128.load(p)
    const found = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, backslashes)),
        // Control characters, the line's end among them.
        i8x16.lt_u(bytes, spaces),
      ),
    )
    if (!found) {
      p += 16
      continue
    }
    p += ctz(found)
    const c: u32 = load<u8>(p)
    if (c === QUOTE) return p + 1
    if (c !== BACKSLASH) return 0
    const escaped: u32 = load<u8>(p, 1)
    if (escaped === 0x75) {
      for (let i: usize = 2; i < 6; i++) if (!isHex(load<u8>(p + i))) return 0
      p += 6
    } else if (isEscape(escaped)) p += 2
    else return 0
  }
}

/** One of `"\/bfnrt`. */
function isEscape(c: u32): bool {
  return (
    c === 0x6e ||
    c === QUOTE ||
    c === BACKSLASH ||
    c === 0x2f ||
    c === 0x62 ||
    c === 0x66 ||
    c === 0x72 ||
    c === 0x74
  )
}

function isHex(c: u32): bool {
  return c - 0x30 < 10 || (c | 0x20) - 0x61 < 6
}

function isDigit(p: usize): bool {
  return (load<u8>(p) as u32) - 0x30 < 10
}

function digitsEnd(p: usize): usize {
  if (!isDigit(p)) return 0
  while (isDigit(p)) p++
  return p
}

export function numberEnd(p: usize): usize {
  if (load<u8>(p) === 0x2d) p++
  p = load<u8>(p) === 0x30 ? p + 1 : digitsEnd(p)
  if (p && load<u8>(p) === 0x2e) p = digitsEnd(p + 1)
  if (p && (load<u8>(p) | 0x20) === 0x65) {
    const sign: u32 = load<u8>(p, 1)
    p = digitsEnd(sign === 0x2b || sign === 0x2d ? p + 2 : p + 1)
  }
  return p
}

/** The address after the value at `p`; 0 if it is invalid. */
export function valueEnd(p: usize, depth: u32): usize {
  const c: u32 = load<u8>(p)
  if (c === QUOTE) return stringEnd(p + 1)
  if (c === OPEN || c === OPEN_ARRAY) return depth < DEEPEST ? listEnd(p, depth, c === OPEN) : 0
  if (c === 0x74) return load<u32>(p) === 0x65757274 ? p + 4 : 0
  if (c === 0x66) return load<u32>(p, 1) === 0x65736c61 ? p + 5 : 0
  if (c === 0x6e) return load<u32>(p) === 0x6c6c756e ? p + 4 : 0
  return numberEnd(p)
}

/** The address after the object or array at `p`; 0 if it is invalid. */
function listEnd(p: usize, depth: u32, keyed: bool): usize {
  const close = keyed ? CLOSE : CLOSE_ARRAY
  p = space(p + 1)
  if (load<u8>(p) === close) return p + 1
  while (true) {
    if (keyed) {
      p = valueBegin(keyEnd(p))
      if (!p) return 0
    }
    p = valueEnd(p, depth + 1)
    if (!p) return 0
    p = space(p)
    const c: u32 = load<u8>(p)
    if (c === close) return p + 1
    if (c !== COMMA) return 0
    p = space(p + 1)
  }
}
