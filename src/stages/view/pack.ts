/**
 * Bytes as text of a page: seven bits a character, so that a page is 1.16 times its bytes (base64: 1.33 times).
 *
 * What stands for seven bytes, or a multiple of that, can be followed by what stands for more.
 * Every character is one of ASCII. NUL and CR, which HTML would change, are À and Á; so is `<` Â where a tag or a
 * comment could begin. page/unpack.ts reads it.
 */

/** À, Á and Â in UTF-8: this byte, and one of those. */
const LEAD = 0xc3
const [FOR_NUL, FOR_CR, FOR_LESS] = [0x80, 0x81, 0x82]
const [CR, LESS, SLASH, MARK] = [0x0d, 0x3c, 0x2f, 0x21]

/** Pieces are about as long as one another: they share this room. What is much longer, the index, has its own. */
let room = Buffer.alloc(0)
const ROOM = 1 << 20

/** UTF-8 of the text that stands for the bytes: good until the next call. */
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
    // `</` and `<!` are all that means anything inside a script element.
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
  // What follows may begin with what makes a tag of it.
  if (out[used - 1] === LESS) {
    used--
    instead(FOR_LESS)
  }
  return out.subarray(0, used)
}
