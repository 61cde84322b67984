/**
 * Bytes as text of a page: seven bits a character, so that a page is 1.17 times its bytes (base64: 1.33 times).
 *
 * Every character is one of ASCII but NUL, CR and `<`, which HTML would change or take for a tag; these are À, Á and Â.
 * page/unpack.ts reads it.
 */

/** Values that no character of their own may stand for, and the second byte of their UTF-8, after 0xC3. */
const INSTEAD: ReadonlyMap<number, number> = new Map([
  [0x00, 0x80],
  [0x0d, 0x81],
  [0x3c, 0x82],
])
const LEAD = 0xc3

/** UTF-8 of the text that stands for the bytes. */
export function pack(bytes: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 7) * 2)
  let used = 0
  let held = 0
  let bits = 0
  const put = (value: number) => {
    const instead = value > 0x3c ? undefined : INSTEAD.get(value)
    if (instead === undefined) out[used++] = value
    else {
      out[used++] = LEAD
      out[used++] = instead
    }
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
  return out.subarray(0, used)
}
