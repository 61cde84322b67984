/** Text of files that are not read line by line. */
import { isUtf8 } from 'node:buffer'
import type { Source } from '../rows/reader.ts'
import { EXIT, Fatal } from '../rows/record.ts'
import { binaryFile } from '../rows/unreadable.ts'

/** Bytes that tell what a file is. */
const SIGNATURE = 8

/**
 * A source's text, piece by piece, without its byte order mark.
 * @param place file and position, for the error message
 * @throws Fatal (data) at the first byte that is not UTF-8, after yielding the text before it: a decoder would silently put
 *   U+FFFD in its place
 */
export async function* utf8Texts(source: Source, place = () => source.name): AsyncGenerator<string> {
  const stream = source.open()
  /** Position in the source of `rest`, the bytes of an incomplete character. */
  let at = 0
  let rest: Buffer = Buffer.alloc(0)
  try {
    let first = true
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const binary = first ? binaryFile(chunk.toString('latin1', 0, SIGNATURE)) : undefined
      if (binary) throw new Fatal(EXIT.data, `${place()}: ${binary}`)
      first = false
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const valid = isUtf8(bytes) ? bytes.length : validLength(bytes)
      const text = bytes.toString('utf8', 0, valid)
      yield at === 0 && text.startsWith('\ufeff') ? text.slice(1) : text
      at += valid
      rest = bytes.subarray(valid)
      // A character has four bytes at most.
      if (rest.length > 3) break
    }
  } finally {
    stream.destroy()
  }
  if (rest.length === 0) return
  throw new Fatal(EXIT.data, `${place()}: not valid UTF-8 at byte ${at + 1}`)
}

/** The whole text of a source. @throws Fatal (data) as utf8Texts */
export async function utf8Text(source: Source): Promise<string> {
  let text = ''
  for await (const piece of utf8Texts(source)) text += piece
  return text
}

/** Length of the valid prefix: up to the first byte that decoding and encoding changes. */
function validLength(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString('utf8'))
  let i = 0
  while (i < bytes.length && bytes[i] === again[i]) i++
  // U+FFFD may begin with the byte it replaced, and the prefix must not end inside a character.
  while (i > 0 && i < bytes.length && !isUtf8(bytes.subarray(0, i))) i--
  return i
}
