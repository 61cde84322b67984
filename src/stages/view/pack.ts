/**
 * Encodes bytes as text for HTML: seven bits per character, 1.16 times the bytes (base64: 1.33 times). The encodings of pieces
 * whose length is a multiple of seven bytes can be concatenated. Characters are ASCII, except À, Á and Â for NUL, CR, and a
 * `<` that could begin a tag or a comment. page/unpack.ts decodes it.
 */

/** À, Á and Â in UTF-8: this byte, and one of the following. */
const LEAD = 0xc3
const [FOR_NUL, FOR_CR, FOR_LESS] = [0x80, 0x81, 0x82]
const [CR, LESS, SLASH, MARK] = [0x0d, 0x3c, 0x2f, 0x21]

/** The buffer for results up to ROOM bytes. */
let room = Buffer.alloc(0)
const ROOM = 1 << 20

/** Encodes bytes. The result is valid until the next call. */
export function pack(bytes: Uint8Array): Buffer {
  const most = Math.ceil((bytes.length * 8) / 7) * 2
  if (most <= ROOM && room.length < most) room = Buffer.allocUnsafeSlow(most)
  const out = most <= ROOM ? room : Buffer.allocUnsafeSlow(most)
  let used = 0
  let held = 0
  let bits = 0
  const instead = (second: number) => {
    out[used++] = LEAD
    out[used++] = second
  }
  const put = (value: number) => {
    // Only `</` and `<!` have a meaning inside a script element.
    if ((value === SLASH || value === MARK) && out[used - 1] === LESS) {
      used--
      instead(FOR_LESS)
    }
    if (value === 0) instead(FOR_NUL)
    else if (value === CR) instead(FOR_CR)
    else out[used++] = value
  }
  for (let i = 0; i < bytes.length; i++) {
    held = (held << 8) | bytes[i]!
    bits += 8
    while (bits >= 7) {
      bits -= 7
      put((held >> bits) & 0x7f)
    }
    held &= 0x7f
  }
  if (bits > 0) put((held << (7 - bits)) & 0x7f)
  // The next piece may begin with `/` or `!`.
  if (out[used - 1] === LESS) {
    used--
    instead(FOR_LESS)
  }
  return out.subarray(0, used)
}
