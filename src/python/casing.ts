/* Case as Python has it. Title case is upper case but for the letters that Unicode gives one of their own. */

const isLower = (char: string): boolean => /^\p{Lowercase}$/u.test(char)
const isUpper = (char: string): boolean => /^[\p{Uppercase}\p{Lt}]$/u.test(char)
const isCased = (char: string): boolean => /^\p{Cased}$/u.test(char)

/** Letters whose title case is not their upper case: upper, title and lower case of each. */
const DIGRAPHS = 'ǄǅǆǇǈǉǊǋǌǱǲǳ'

/** Title case of one character: ß becomes Ss, ﬁ Fi. */
const titleChar = (char: string): string => {
  const digraph = char === '' ? -1 : DIGRAPHS.indexOf(char)
  if (digraph >= 0) return DIGRAPHS[digraph - (digraph % 3) + 1]!
  const upper = char.toUpperCase()
  const [first, ...rest] = upper
  return upper.length > char.length ? first! + rest.join('').toLowerCase() : upper
}

export const capitalize = (text: string): string => {
  const [first = ''] = text
  return titleChar(first) + text.slice(first.length).toLowerCase()
}

/** str.title(): a capital after everything that has no case. */
export const title = (text: string): string => {
  let inWord = false
  let result = ''
  for (const char of text.toLowerCase()) {
    result += inWord ? char : titleChar(char)
    inWord = isCased(char)
  }
  return result
}

const hasOnly = (
  text: string,
  wanted: (char: string) => boolean,
  other: (char: string) => boolean,
): boolean => {
  const all = Array.from(text)
  return all.some(wanted) && !all.some(other)
}

export const isLowered = (text: string): boolean => hasOnly(text, isLower, isUpper)
export const isUppered = (text: string): boolean => hasOnly(text, isUpper, isLower)
