/* Upper, lower, title and folded case of a str. */
import { chars, isAscii, isCased, isLower, isTitle, isUpper } from './unicode.ts'

/** The lower case of one character; a capital sigma at the end of a word becomes ς. */
const lowerAt = (text: readonly string[], i: number): string => {
  if (text[i] !== 'Σ') return text[i]!.toLowerCase()
  const cased = (from: number, step: number): boolean => {
    let j = from
    while (j >= 0 && j < text.length && /^\p{Case_Ignorable}$/u.test(text[j]!)) j += step
    return j >= 0 && j < text.length && isCased(text[j]!)
  }
  return cased(i - 1, -1) && !cased(i + 1, 1) ? 'ς' : 'σ'
}

const TITLE: Record<string, string> = {
  Ǆ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǳ: 'ǲ',
  ŉ: 'ʼN',
}

/** The title case of one character, as Unicode's UnicodeData and SpecialCasing give it. */
export const titleChar = (char: string): string => {
  if (isTitle(char)) return char
  const listed = TITLE[char]
  if (listed) return listed
  // Georgian letters have capitals, but no title case.
  if (/^[\u10d0-\u10ff]$/.test(char)) return char
  const upper = char.toUpperCase()
  if (upper.length === 1 || upper.length === char.length) return upper
  const [first, ...rest] = chars(upper)
  return titleGreek(char) ?? first! + rest.join('').toLowerCase()
}

/** Greek letters with an iota below keep it there in title case. */
const titleGreek = (char: string): string | undefined => {
  const parts = char.normalize('NFD')
  if (!/^[\u1f80-\u1fff]$/.test(char) || !parts.includes('\u0345')) return undefined
  const [letter, ...marks] = parts.replace('\u0345', '').toUpperCase()
  const whole = `${letter}${marks.join('')}\u0345`
  return /^[\u1fb7\u1fc7\u1ff7]$/.test(char) ? whole : whole.normalize('NFC')
}

export const capitalize = (text: string): string => {
  if (isAscii(text)) return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()
  const all = chars(text)
  return all.map((char, i) => (i === 0 ? titleChar(char) : lowerAt(all, i))).join('')
}

export const title = (text: string): string => {
  if (isAscii(text))
    return text.toLowerCase().replace(/[a-z]+/g, (word) => word[0]!.toUpperCase() + word.slice(1))
  const all = chars(text)
  let inWord = false
  let result = ''
  for (let i = 0; i < all.length; i++) {
    result += inWord ? lowerAt(all, i) : titleChar(all[i]!)
    inWord = isCased(all[i]!)
  }
  return result
}

export const swapcase = (text: string): string => {
  const all = chars(text)
  return all
    .map((char, i) => (isUpper(char) ? lowerAt(all, i) : isLower(char) ? char.toUpperCase() : char))
    .join('')
}

/** Case folding: like lower case, but ß becomes ss and all sigmas are one. */
export const casefold = (text: string): string => {
  if (isAscii(text)) return text.toLowerCase()
  return chars(text).map(foldChar).join('')
}

const foldChar = (char: string): string => {
  if (char === 'ı') return char
  if (char === 'ẞ') return 'ss'
  // Cherokee folds to its capitals.
  if (/^[\u13a0-\u13f5]$/.test(char)) return char
  if (/^[\u13f8-\u13fd\uab70-\uabbf]$/.test(char)) return char.toUpperCase()
  return chars(char.toUpperCase())
    .map((each) => each.toLowerCase())
    .join('')
}

/** str.istitle(): capitals only after what has no case, small letters only after letters. */
export const isTitled = (text: string): boolean => {
  let inWord = false
  let found = false
  for (const char of text) {
    if (isUpper(char) || isTitle(char)) {
      if (inWord) return false
      inWord = found = true
    } else if (isLower(char)) {
      if (!inWord) return false
      found = true
    } else inWord = false
  }
  return found
}

const hasOnlyCase = (text: string, wanted: (char: string) => boolean, other: (char: string) => boolean) => {
  let found = false
  for (const char of text) {
    if (other(char) || isTitle(char)) return false
    if (wanted(char)) found = true
  }
  return found
}

export const isLowered = (text: string): boolean => hasOnlyCase(text, isLower, isUpper)
export const isUppered = (text: string): boolean => hasOnlyCase(text, isUpper, isLower)
