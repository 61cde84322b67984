/*
 * Python's textwrap.wrap as the filter `wordwrap` uses it: tabs and spaces stay as they are. Text is cut
 * into chunks that lines may break between: white space, words, and parts of words after hyphens.
 */
import { valueError } from '../../../python/error.ts'
import { spend } from '../../../python/limits.ts'
import { chars, strip } from '../../../python/unicode.ts'

interface Options {
  width: number
  /** Whether a word too long for a line is broken. */
  breakLong: boolean
  /** Whether words are broken after hyphens. */
  hyphens: boolean
}

const LETTER = '(?!\\p{Nd})[\\p{L}\\p{N}_]'
let patterns: { hyphen: RegExp; dash: RegExp } | undefined

/** Made when a text is first wrapped: all letters there are take V8 a third of a millisecond. */
const makePatterns = () => ({
  /** After a hyphen within a word, with letters around it. */
  hyphen: new RegExp(`(?<=${LETTER}${LETTER}-|${LETTER}-${LETTER}-)(?=${LETTER}-?${LETTER})`, 'uy'),
  /** A dash made of two hyphens or more, between words. */
  dash: /(?<=[\p{L}\p{N}_!"'&.,?])-{2,}(?=[\p{L}\p{N}_])/uy,
})

const isBlank = (char: string | undefined): boolean => char !== undefined && ' \t\n\v\f\r'.includes(char)

/** Where the chunk that begins at `start` ends. */
const chunkEnd = (text: string, start: number, hyphens: boolean): number => {
  let end = start + 1
  if (isBlank(text[start])) {
    while (isBlank(text[end])) end++
    return end
  }
  const { hyphen, dash } = (patterns ??= makePatterns())
  const matches = (pattern: RegExp, at: number): boolean => {
    pattern.lastIndex = at
    return pattern.test(text)
  }
  if (hyphens && text[start] === '-' && matches(dash, start)) return dash.lastIndex
  for (; end < text.length && !isBlank(text[end]); end++) {
    if (!hyphens) continue
    if (text[end - 1] === '-' && end - start > 1 && matches(hyphen, end)) return end
    // A run of hyphens is looked at once, where it begins.
    if (text[end] === '-' && text[end - 1] !== '-' && matches(dash, end)) return end
  }
  return end
}

/** Breaks one line of text into lines of at most `width` characters. @throws ValueError */
export const wrapLine = (text: string, { width, breakLong, hyphens }: Options): string[] => {
  if (width <= 0) throw valueError(`invalid width ${width} (must be > 0)`)
  const lines: string[] = []
  let line: string[] = []
  let length = 0
  const close = (): void => {
    if (line.length > 0 && strip(line.at(-1)!) === '') line.pop()
    if (line.length > 0) lines.push(line.join(''))
    line = []
    length = 0
    spend(1)
  }
  for (let at = 0; at < text.length; ) {
    const end = chunkEnd(text, at, hyphens)
    const all = chars(text.slice(at, end))
    let from = 0
    spend(4 + (all.length >> 6))
    at = end
    if (line.length > 0 && length + all.length > width && all.length <= width) close()
    while (all.length - from > width - length) {
      // A word too long for any line: as much of it as there is room for, after a hyphen if it has one.
      if (!breakLong) {
        if (line.length > 0) close()
        break
      }
      const room = all.slice(from, from + Math.max(width - length, 0))
      const hyphen = hyphens ? room.lastIndexOf('-') : -1
      const cut = hyphen > 0 && room.slice(0, hyphen).some((char) => char !== '-') ? hyphen + 1 : room.length
      line.push(room.slice(0, cut).join(''))
      from += cut
      close()
    }
    const chunk = all.slice(from).join('')
    if (lines.length > 0 && line.length === 0 && strip(chunk) === '') continue
    line.push(chunk)
    length += all.length - from
  }
  if (line.length > 0) close()
  return lines
}
