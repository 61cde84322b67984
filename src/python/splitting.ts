/* How a str is cut: lines, words, at a separator. */
import { valueError } from '../templates/error.ts'
import { spend } from '../templates/limits.ts'
import { LINE_ENDS, WHITESPACE } from './unicode.ts'

export const splitLines = (text: string, keepEnds: boolean): string[] => {
  const lines: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (!LINE_ENDS.has(text[i]!)) continue
    const end = text[i] === '\r' && text[i + 1] === '\n' ? i + 2 : i + 1
    lines.push(text.slice(start, keepEnds ? end : i))
    start = end
    i = end - 1
  }
  if (start < text.length) lines.push(text.slice(start))
  spend(lines.length)
  return lines
}

/** text.split(None): at runs of white space, none at the ends. */
export const splitWords = (text: string, limit: number): string[] => {
  const words: string[] = []
  let i = 0
  for (;;) {
    while (i < text.length && WHITESPACE.has(text[i]!)) i++
    if (i >= text.length) break
    if (limit >= 0 && words.length >= limit) {
      words.push(text.slice(i))
      break
    }
    const start = i
    while (i < text.length && !WHITESPACE.has(text[i]!)) i++
    words.push(text.slice(start, i))
  }
  spend(words.length)
  return words
}

/** text.rsplit(None, limit). */
export const rsplitWords = (text: string, limit: number): string[] => {
  const words: string[] = []
  let i = text.length
  for (;;) {
    while (i > 0 && WHITESPACE.has(text[i - 1]!)) i--
    if (i <= 0) break
    if (limit >= 0 && words.length >= limit) {
      words.push(text.slice(0, i))
      break
    }
    const end = i
    while (i > 0 && !WHITESPACE.has(text[i - 1]!)) i--
    words.push(text.slice(i, end))
  }
  spend(words.length)
  return words.reverse()
}

export const splitAt = (text: string, separator: string, limit: number): string[] => {
  if (separator === '') throw valueError('empty separator')
  const parts = text.split(separator)
  spend(parts.length)
  if (limit < 0 || parts.length <= limit + 1) return parts
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)]
}

export const rsplitAt = (text: string, separator: string, limit: number): string[] => {
  if (separator === '') throw valueError('empty separator')
  const parts: string[] = []
  let end = text.length
  while (limit < 0 || parts.length < limit) {
    const at = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length)
    if (at < 0) break
    parts.push(text.slice(at + separator.length, end))
    end = at
    spend(1)
  }
  parts.push(text.slice(0, end))
  return parts.reverse()
}
