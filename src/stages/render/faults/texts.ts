/** Faults of an answer's text. */
import { byCodePoint } from '../../../python/unicode.ts'
import { sha256 } from '../../../rows/crypto.ts'
import type { Change, Fault } from './fault.ts'
import { Answer, type Material } from './material.ts'
import {
  altered,
  claimOf,
  contentWords,
  isListNumber,
  keyOf,
  lengthOf,
  markKeys,
  marksIn,
  opposite,
  piecesOf,
  saysItself,
  sentencesOf,
  sharedBy,
  supports,
  trimmed,
  wholeWords,
  withMark,
} from './words.ts'

/** The answer with another text. */
function rewritten({ leaf }: Answer, text: string, told: Change['told'] = {}): Change {
  return { edits: [{ start: leaf!.start, end: leaf!.end, text: JSON.stringify(text) }], told }
}

/** One number, date, time or code of the answer is another, where what the judge is shown has the same one. */
export const number: Fault = (answer, [, draw, digit]) => {
  const { text } = answer
  if (text === undefined) return undefined
  const known = markKeys(answer.question, ...answer.sources)
  const marks = marksIn(text)
  const listed = new Set(marks.filter((mark) => isListNumber(text, mark)).map((mark) => mark.text))
  const found = [...new Set(marks.map((mark) => mark.text))].filter(
    (mark) => known.has(keyOf(mark)) && !listed.has(mark),
  )
  for (const i of found.keys()) {
    const was = found[(draw + i) % found.length]!
    const now = altered(was, digit, answer.of.marks)
    if (now !== undefined) return rewritten(answer, withMark(text, was, now), { was, now })
  }
  return undefined
}

/** A sentence with `not` added or removed, so that it contradicts a source. */
export const negation: Fault = (answer, [, draw]) => {
  const { text, sources } = answer
  if (text === undefined) return undefined
  const known = sources.flatMap((source) => sentencesOf(source).map(([from, to]) => source.slice(from, to)))
  const claims = known.map(claimOf)
  const spans = sentencesOf(text).filter(([from, to]) => {
    const sentence = text.slice(from, to)
    if (opposite(sentence) === undefined) return false
    const claim = claimOf(sentence)
    return claim.words.size >= 3 && claims.some((source) => supports(source, claim))
  })
  if (spans.length > 0) {
    const [from, to] = spans[draw % spans.length]!
    const was = text.slice(from, to)
    const now = opposite(was)!
    return rewritten(answer, text.slice(0, from) + now + text.slice(to), { was, now })
  }
  const usable = known.filter((sentence) => saysItself(sentence) && !text.includes(sentence))
  if (usable.length === 0 || trimmed(text) === '') return undefined
  const now = opposite(usable[draw % usable.length]!)!
  return rewritten(
    answer,
    `${text.slice(0, text.lastIndexOf(trimmed(text)) + trimmed(text).length)} ${now}`,
    { was: '', now },
  )
}

const LEAST_CUT = 120
const IN_WORD = /[\p{L}\p{N}]/u

/** The end is missing, from the middle of a word on. */
export const cut: Fault = (answer) => {
  const letters = [...(answer.text ?? '')]
  if (letters.length < LEAST_CUT) return undefined
  for (let p = Math.floor(letters.length / 2); p > Math.floor(letters.length / 4); p--)
    if (IN_WORD.test(letters[p - 1]!) && IN_WORD.test(letters[p]!))
      return rewritten(answer, letters.slice(0, p).join(''))
  return undefined
}

const LONGEST_REFERENCE = 60
const LETTERS = /[\p{L}\p{Nl}\p{No}]/gu

/** The one sentence that holds the reference is left out. */
export const omit: Fault = (answer) => {
  const { text } = answer
  const reference = trimmed(trimmed(answer.of.reference).replace(/\.+$/, ''))
  if (text === undefined || reference === '' || lengthOf(reference) > LONGEST_REFERENCE) return undefined
  if ((reference.match(LETTERS)?.length ?? 0) < 3 && markKeys(reference).size === 0) return undefined
  const spans = sentencesOf(text)
  if (spans.length < 2) return undefined
  const find = wholeWords(reference)
  const times = (part: string) => part.match(find)?.length ?? 0
  const holding = spans.filter(([from, to]) => times(text.slice(from, to)) > 0)
  if (holding.length !== 1) return undefined
  const [from, to] = holding[0]!
  const was = text.slice(from, to)
  if (times(text) !== times(was)) return undefined
  const rest = text.slice(0, from) + text.slice(to).replace(/^[ \t]+/, '')
  return trimmed(rest) === '' ? undefined : rewritten(answer, rest, { was, now: '' })
}

/** The same answer with a newline at its end. */
export const same: Fault = (answer) =>
  answer.text === undefined ? undefined : rewritten(answer, `${answer.text}\n`)

/** An item that may give its answer to others. */
export interface Donor {
  id: string
  answers: number
  /** Of each answer. */
  question: string[]
  text: (string | undefined)[]
}

export const donorOf = (of: Material): Donor => {
  const answers = of.fields.map((_, place) => new Answer(of, place))
  return {
    id: of.id,
    answers: answers.length,
    question: answers.map(({ question }) => question),
    text: answers.map(({ text }) => text),
  }
}

/** Items in the order in which they give their answers to others. */
export function ringOf(donors: readonly Donor[], seed: string): Donor[] {
  const hashes = new Map(donors.map(({ id }) => [id, sha256(`${seed}\0other\0${id}`)]))
  return donors.toSorted(
    (a, b) => byCodePoint(hashes.get(a.id)!, hashes.get(b.id)!) || byCodePoint(a.id, b.id),
  )
}

/** The next items of the ring that are asked. */
const NEXT = 10

/** Another item's answer, which has little to do with the question. @param after the ring from the item on, without it */
export function other(answer: Answer, place: number, after: Iterable<Donor>): Change | undefined {
  const { text, question, of: item, talk } = answer
  const asked = contentWords(question)
  if (text === undefined || asked.size === 0) return undefined
  let tried = 0
  for (const donor of after) {
    if (donor.id === item.id || donor.answers !== item.fields.length) continue
    if (tried++ === NEXT) return undefined
    const own = donor.text[place]
    if (own === undefined || (piecesOf(own).length < 8 && lengthOf(own) < 40)) continue
    if (trimmed(own) === trimmed(text) || trimmed(donor.question[place]!) === trimmed(question)) continue
    // Agents of one shop say the same things: another one's message must name what this conversation does not have.
    if (talk && ![...markKeys(own)].some((key) => !item.marks.has(key))) continue
    if (sharedBy(asked, contentWords(own)) <= 0.25 * asked.size)
      return rewritten(answer, own, { from: donor.id })
  }
  return undefined
}
