/** Marks, sentences and words of English texts, for faults that are sure to make an answer worse. */

/** White space and word characters as Unicode has them. */
const SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const WORD = '[\\p{L}\\p{N}_]'
const SPACES = new RegExp(`${SPACE}+`, 'u')

/** The text without white space at its ends. */
export const trimmed = (text: string): string =>
  text.replace(new RegExp(`^${SPACE}+`, 'u'), '').replace(new RegExp(`(?<!${SPACE})${SPACE}+$`, 'u'), '')

/** A pattern between word boundaries, which JavaScript knows for ASCII alone. */
const words = (pattern: string) => `(?<!${WORD})(?:${pattern})(?!${WORD})`

/** Pieces of the text between white space. */
export const piecesOf = (text: string): string[] => text.split(SPACES).filter((piece) => piece !== '')

/** Code points. */
export const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length++
  return length
}

const FENCED = /^```[\s\S]*?(?:^```|$(?![\s\S]))/gm
/** The text with code blocks blanked out, every place as it was. */
const withoutCode = (text: string, by: string) =>
  text.includes('```') ? text.replace(FENCED, (block) => by.repeat(block.length)) : text

const MARK = /[A-Za-z0-9]+(?:[.,:/_-][A-Za-z0-9]+)*/g

interface Mark {
  text: string
  start: number
  end: number
}

const digitsIn = (text: string) => text.replace(/[^0-9]/g, '').length

/** Numbers, dates, times and codes: runs of letters and digits with at least two digits, outside code blocks. */
export function marksIn(text: string): Mark[] {
  const found: Mark[] = []
  for (const { 0: mark, index } of withoutCode(text, ' ').matchAll(MARK))
    if (digitsIn(mark) >= 2) found.push({ text: mark, start: index, end: index + mark.length })
  return found
}

/** As marks are compared. */
export const keyOf = (mark: string): string => mark.replaceAll(',', '').toLowerCase()

/** The keys of the marks in texts. */
export function markKeys(...texts: string[]): Set<string> {
  const keys = new Set<string>()
  for (const text of texts) for (const { text: mark } of marksIn(text)) keys.add(keyOf(mark))
  return keys
}

/** The keys of all runs that have a digit. */
const digitTokens = (text: string): Set<string> =>
  new Set([...text.matchAll(MARK)].filter(([run]) => /[0-9]/.test(run)).map(([run]) => keyOf(run)))

const BULLETS = new RegExp(`^(?:${SPACE}|[*#>-])*$`, 'u')
const NUMBERED = new RegExp(`^[.)](?:${SPACE}|$)`, 'u')

/** Whether a mark is the number of a list's element. */
export function isListNumber(text: string, { start, end }: Mark): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  return NUMBERED.test(text.slice(end, end + 2)) && BULLETS.test(before)
}

const NUMBER = /^\d+(?:,\d{3})*(?:\.\d+)?$/
const YEAR = /^[12][0-9]{3}$/

/** The mark with one other digit, which occurs nowhere; undefined if there is none. @param taken keys of marks that occur */
export function altered(mark: string, draw: number, taken: ReadonlySet<string>): string | undefined {
  const plain = NUMBER.test(mark) && !YEAR.test(mark)
  const at = YEAR.test(mark) ? 2 : plain ? mark.search(/[1-9]/) : mark.search(/[0-9](?=[^0-9]*$)/)
  if (at < 0) return undefined
  for (let t = 0; t < 9; t++) {
    const digit = (Number(mark[at]) + 1 + ((draw + t) % 9)) % 10
    const other = mark.slice(0, at) + digit + mark.slice(at + 1)
    if (!(plain && digit === 0) && !taken.has(keyOf(other))) return other
  }
  return undefined
}

/** The text with every mark that is `old` replaced. */
export function withMark(text: string, old: string, other: string): string {
  const parts: string[] = []
  let at = 0
  for (const { text: mark, start, end } of marksIn(text)) {
    if (mark !== old) continue
    parts.push(text.slice(at, start), other)
    at = end
  }
  return parts.join('') + text.slice(at)
}

const SHORT = new RegExp(
  `(?:^|${SPACE}|\\()(?:[A-Z]|Dr|Mr|Mrs|Ms|St|vs|etc|No|Inc|Co|Jr|Sr|e\\.g|i\\.e|U\\.S|a\\.m|p\\.m)\\.$`,
  'u',
)
/** Longer than any of them, with what stands before it. */
const LONGEST_SHORT = 12
const STOP = new RegExp(`[.!?]["”)]?(?=${SPACE})`, 'gu')

/** Where each sentence begins and ends: lines outside code blocks, cut after a stop before white space. */
export function sentencesOf(text: string): [start: number, end: number][] {
  const plain = withoutCode(text, '\n')
  const spans: [number, number][] = []
  const add = (from: number, to: number) => {
    const piece = plain.slice(from, to)
    const start = piece.search(new RegExp(`(?!${SPACE})[\\s\\S]`, 'u'))
    if (start >= 0) spans.push([from + start, from + start + trimmed(piece).length])
  }
  for (const { 0: line, index } of plain.matchAll(/[^\n]+/g)) {
    let start = index
    for (const stop of line.matchAll(STOP)) {
      const end = index + stop.index + stop[0].length
      if (SHORT.test(plain.slice(Math.max(start, end - LONGEST_SHORT), end))) continue
      add(start, end)
      start = end
    }
    add(start, index + line.length)
  }
  return spans
}

const COMMON = new Set(
  piecesOf(`about also among another because been before being between both came come could does doing done during each
either even ever every from have having here into itself just like made make many more most much must only other over said same
shall should since some such than that their them then there these they this those through under until very well were what when
where which while will with within without would your`),
)

/** Runs of four letters or more, in small letters, without common English words. */
export function contentWords(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).filter((word) => !COMMON.has(word)))
}

/** How many of the words are in the other set. */
export const sharedBy = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0
  for (const one of a) if (b.has(one)) shared++
  return shared
}

const NEGATIVE = new RegExp(
  `${words('not|no|never|none|nor|neither|nobody|nothing|without|cannot|hardly|rarely|seldom|unable')}|n['’]t(?!${WORD})`,
  'giu',
)
const UNSURE = new RegExp(
  `${words(
    'if|unless|whether|which|who|whom|whose|that|where|when|while|because|although|though|than|only|or|but|all|every|each|any|some|most|many|few|several|both|always|usually|often|sometimes|generally|typically|mostly|mainly|largely|probably|likely|perhaps|may|might|could|would|has|have|had|does|do|did|been|being|be|to be|just|yet|even|one',
  )}|[?!:;"“”()]`,
  'iu',
)
const POSITIVE = new RegExp(words('is|are|was|were|can|will|must|should'), 'gu')
const OPPOSITE = new RegExp(
  words("(is|are|was|were|will|must|should) not|(is|are|was|were)n['’]t|(can)not|(can) not|(can)['’]t"),
  'gu',
)

const isNegative = (text: string): boolean => text.search(NEGATIVE) >= 0

/** The sentence with a negation added or removed; undefined where that might not turn its meaning round. */
export function opposite(sentence: string): string | undefined {
  const pieces = piecesOf(sentence)
  if (pieces.length < 5 || pieces.length > 30 || !sentence.endsWith('.')) return undefined
  if (!/^\p{Lu}/u.test(sentence) || UNSURE.test(sentence)) return undefined
  const negated = sentence.match(OPPOSITE)?.length ?? 0
  const negatives = sentence.match(NEGATIVE)?.length ?? 0
  const verbs = sentence.match(POSITIVE) ?? []
  if (negated === 1 && negatives === 1 && sentence.replace(OPPOSITE, '').search(POSITIVE) < 0)
    return sentence.replace(OPPOSITE, (...groups) => groups.slice(1, 6).find((one) => one) as string)
  if (negated > 0 || negatives > 0 || verbs.length !== 1 || pieces[0]!.toLowerCase() === verbs[0])
    return undefined
  return sentence.replace(POSITIVE, (verb) => (verb === 'can' ? 'cannot' : `${verb} not`))
}

const VAGUE = new RegExp(
  `^(?:he|she|it|they|this|that|these|those|there|here|we|you|i|my|our|his|her|its|their|such|other|another|and|so|then|also|however)(?!${WORD})`,
  'iu',
)

/** Whether a sentence says something by itself, of which the opposite is known. */
export const saysItself = (sentence: string): boolean =>
  opposite(sentence) !== undefined && !VAGUE.test(sentence) && contentWords(sentence).size >= 3

/** Words, digits and polarity of a sentence, by which another may support it. */
interface Claim {
  words: Set<string>
  digits: Set<string>
  negative: boolean
}

export const claimOf = (sentence: string): Claim => ({
  words: contentWords(sentence),
  digits: digitTokens(sentence),
  negative: isNegative(sentence),
})

/** Whether a sentence of a source says it too. */
export const supports = (source: Claim, { words, digits, negative }: Claim): boolean =>
  sharedBy(words, source.words) >= 0.8 * words.size &&
  sharedBy(digits, source.digits) === digits.size &&
  negative === source.negative

const IRREGULAR: Record<string, string> = {
  send: 'sent',
  make: 'made',
  pay: 'paid',
  set: 'set',
  write: 'written',
  buy: 'bought',
  put: 'put',
}
const READS = new Set(
  piecesOf('get list find search read fetch load query look check call think retrieve lookup'),
)

/** The first word of a tool's name; undefined for one that only reads. */
export function verbOf(name: string): string | undefined {
  const verb = /^[^A-Za-z]*([A-Z]?[a-z]+|[A-Z]+)/.exec(name)?.[1]
  return verb !== undefined && verb.length >= 3 && !READS.has(verb.toLowerCase())
    ? verb.toLowerCase()
    : undefined
}

/** Whether a sentence says that it was done: booked, cancelled, sent. */
export function saysDone(sentence: string, verb: string): boolean {
  const past = [
    IRREGULAR[verb] ?? `${verb}ed`,
    `${verb}d`,
    `${verb}${verb.at(-1)}ed`,
    `${verb.slice(0, -1)}ied`,
  ]
  return (
    new RegExp(words(past.join('|')), 'iu').test(sentence) && !isNegative(sentence) && !sentence.includes('?')
  )
}

const SORRY = new RegExp(words(`sorry|unfortunately|fail${WORD}*|error`), 'iu')
export const saysSorry = (text: string): boolean => SORRY.test(text)

/** What nobody knows by heart: an id, a date, a long number. */
export const isPrivate = (key: string): boolean => /[a-z]/.test(key) || digitsIn(key) >= 5

/** A pattern of a text as whole words, in any case. */
export const wholeWords = (text: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu')
