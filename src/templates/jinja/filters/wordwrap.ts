/*
 * Python's textwrap.wrap as the filter `wordwrap` uses it: tabs and spaces stay as they are. Text is cut
 * into chunks that lines may break between: white space, words, and parts of words behind hyphens.
 */

import { stripSpace } from '../../../python/numbers.ts'
import { codePoints, sliceChars } from '../../../python/unicode.ts'
import { valueError } from '../../error.ts'
import { spend } from '../../limits.ts'

interface Options {
  width: number
  /** Whether a word too long for a line is broken; looked at only when there is one. */
  breakLong: () => boolean
  /** Whether words are cut behind hyphens into chunks. */
  breakOnHyphens: boolean
  /** Whether a word too long is broken behind a hyphen, if it has one. */
  handleHyphens: () => boolean
}

const SPACES = ' \\t\\n\\v\\f\\r'
const WORD = '[\\p{L}\\p{N}_]'
const LETTER = '(?![\\p{Nd}])[\\p{L}\\p{N}_]'
const PUNCTUATED = `[\\p{L}\\p{N}_!"'&.,?]`

/** Made when a text is first wrapped: all letters there are take V8 a third of a millisecond each time. */
const makePatterns = () => ({
  /** A hyphen within a word, with letters around it. */
  hyphen: new RegExp(`(?:(?<=${LETTER}${LETTER}-)|(?<=${LETTER}-${LETTER}-))(?=${LETTER}-?${LETTER})`, 'uy'),
  /** A dash made of two hyphens or more, between words. */
  dash: new RegExp(`(?<=${PUNCTUATED})-{2,}(?=${WORD})`, 'uy'),
})
let patterns: ReturnType<typeof makePatterns> | undefined
const hyphenAt = (text: string, at: number) => matchAt((patterns ??= makePatterns()).hyphen, text, at)
const dashAt = (text: string, at: number) => matchAt((patterns ??= makePatterns()).dash, text, at)

const SPACE = new RegExp(`[${SPACES}]+`, 'y')

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** The chunks of a line. */
const split = (text: string, hyphens: boolean): string[] => {
  const chunks: string[] = []
  let at = 0
  while (at < text.length) {
    const space = matchAt(SPACE, text, at)
    const chunk = space ?? (hyphens ? (dashAt(text, at) ?? wordAt(text, at)) : plainWordAt(text, at))
    chunks.push(chunk)
    at += chunk.length
  }
  spend(chunks.length)
  return chunks
}

const isSpace = (char: string | undefined): boolean => char !== undefined && ' \t\n\v\f\r'.includes(char)

const plainWordAt = (text: string, start: number): string => {
  let end = start
  while (end < text.length && !isSpace(text[end])) end++
  return text.slice(start, end)
}

/** The shortest piece from `start` that ends behind a hyphen, before a dash or at the end of the word. */
const wordAt = (text: string, start: number): string => {
  for (let end = start + 1; ; end++) {
    if (end >= text.length || isSpace(text[end])) return text.slice(start, end)
    if (text[end - 1] === '-' && end - start > 1 && hyphenAt(text, end) !== undefined)
      return text.slice(start, end)
    if (text[end] === '-' && dashAt(text, end) !== undefined) return text.slice(start, end)
  }
}

/** Breaks one line of text into lines of at most `width` characters. */
export const wrapLines = (text: string, options: Options): string[] => {
  const { width } = options
  if (width <= 0) throw valueError(`invalid width ${width} (must be > 0)`)
  const chunks = split(text, options.breakOnHyphens).reverse()
  const lines: string[] = []
  while (chunks.length > 0) {
    const line: string[] = []
    let length = 0
    if (lines.length > 0 && isBlank(chunks.at(-1)!)) chunks.pop()
    while (chunks.length > 0 && length + codePoints(chunks.at(-1)!) <= width) {
      length += codePoints(chunks.at(-1)!)
      line.push(chunks.pop()!)
    }
    if (chunks.length > 0 && codePoints(chunks.at(-1)!) > width)
      breakWord(chunks, line, width - length, options)
    if (line.length > 0 && isBlank(line.at(-1)!)) line.pop()
    if (line.length > 0) lines.push(line.join(''))
    spend(1)
  }
  return lines
}

const isBlank = (chunk: string): boolean => stripSpace(chunk) === ''

/** Puts as much of a word too long for any line on this one as there is room for. */
const breakWord = (
  chunks: string[],
  line: string[],
  room: number,
  { breakLong, handleHyphens }: Options,
): void => {
  const chunk = chunks.at(-1)!
  if (!breakLong()) {
    if (line.length === 0) line.push(chunks.pop()!)
    return
  }
  let end = room
  if (codePoints(chunk) > room && handleHyphens()) {
    const hyphen = sliceChars(chunk, 0, room).lastIndexOf('-')
    if (hyphen > 0 && /[^-]/.test(chunk.slice(0, hyphen))) end = codePoints(chunk.slice(0, hyphen)) + 1
  }
  line.push(sliceChars(chunk, 0, end))
  chunks[chunks.length - 1] = sliceChars(chunk, end, codePoints(chunk))
}
