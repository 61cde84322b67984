/** Decodes the page's data: gzip, in seven bits per character (see ../pack.ts). */

/** Characters that stand for NUL, CR and, where a tag could begin, `<`. */
const STANDS_FOR: Record<number, number> = { 192: 0x00, 193: 0x0d, 194: 0x3c }

export function unpack(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((text.length * 7) / 8))
  let used = 0
  let held = 0
  let bits = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    held = (held << 7) | (code < 0x80 ? code : (STANDS_FOR[code] ?? 0))
    bits += 7
    if (bits >= 8) {
      bits -= 8
      bytes[used++] = held >> bits
      held &= (1 << bits) - 1
    }
  }
  return bytes
}

export async function inflated(packed: string): Promise<string> {
  const stream = new Blob([unpack(packed)]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).text()
}
