/* How a str is cut: lines, words, at a separator. */
import { valueError } from './error.ts'
import { spend } from './limits.ts'
import { isSpace } from './unicode.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python takes some for line ends
const LINE = /\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/g

/** text.splitlines(keepEnds). */
export const splitLines = (text: string, keepEnds: boolean): string[] => {
  const lines: string[] = []
  let start = 0
  for (const { 0: end, index } of text.matchAll(LINE)) {
    lines.push(text.slice(start, keepEnds ? index + end.length : index))
    start = index + end.length
  }
  if (start < text.length) lines.push(text.slice(start))
  spend(lines.length)
  return lines
}

/** text.split(None, limit): at runs of white space, none at the ends. */
export const splitWords = (text: string, limit: number): string[] => {
  const words: string[] = []
  let i = 0
  for (;;) {
    while (i < text.length && isSpace(text.charCodeAt(i))) i++
    if (i >= text.length) break
    if (limit >= 0 && words.length >= limit) {
      words.push(text.slice(i))
      break
    }
    const start = i
    while (i < text.length && !isSpace(text.charCodeAt(i))) i++
    words.push(text.slice(start, i))
  }
  spend(words.length + (text.length >> 6))
  return words
}

/** text.rsplit(None, limit). */
export const rsplitWords = (text: string, limit: number): string[] => {
  if (limit < 0) return splitWords(text, limit)
  const words: string[] = []
  let i = text.length
  for (;;) {
    while (i > 0 && isSpace(text.charCodeAt(i - 1))) i--
    if (i <= 0) break
    if (words.length >= limit) {
      words.push(text.slice(0, i))
      break
    }
    const end = i
    while (i > 0 && !isSpace(text.charCodeAt(i - 1))) i--
    words.push(text.slice(i, end))
  }
  spend(words.length + (text.length >> 6))
  return words.reverse()
}

const parts = (text: string, separator: string): string[] => {
  if (separator === '') throw valueError('empty separator')
  const all = text.split(separator)
  spend(all.length + (text.length >> 6))
  return all
}

export const splitAt = (text: string, separator: string, limit: number): string[] => {
  const all = parts(text, separator)
  if (limit < 0 || all.length <= limit + 1) return all
  return [...all.slice(0, limit), all.slice(limit).join(separator)]
}

export const rsplitAt = (text: string, separator: string, limit: number): string[] => {
  // A separator that overlaps itself is found from the end, so that what is left over stands in front.
  const back = (each: string) =>
    Array.from({ length: each.length }, (_, i) => each[each.length - 1 - i]).join('')
  if (limit < 0 || text.split(separator, 2).length < 2) return parts(text, separator)
  return splitAt(back(text), back(separator), limit).map(back).reverse()
}
