/** Whether runs have the same items under the same ids: a comparison of others says nothing. */
import { ANSWER_FIELDS, QUESTION_FIELDS } from '../rows/pair_fields.ts'
import type { Json } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { textDigest } from './digests.ts'
import { canonical } from './kind.ts'

/** Items that a message names. */
const TOLD = 3

/** Where a row stands. */
export interface RowPlace {
  file: string
  line: number
}

export const placeText = ({ file, line }: RowPlace): string => `${file}:${line}`

/** What a row asks: digests of its question and of its two answers, by value. */
export interface Asked {
  question: number | undefined
  answers: readonly [number, number] | undefined
  place: RowPlace
}

/** The question is in the field that --map names, else in a usual one. */
export function askedIn(row: Row): Asked {
  const mapped = row.get('map')?.question
  const questions = typeof mapped === 'string' ? [mapped] : QUESTION_FIELDS
  const digest = (field: string) => digestOf(row.field(field))
  const answers = ANSWER_FIELDS.map((pair) => pair.map(digest)).find(
    ([a, b]) => a !== undefined && b !== undefined,
  )
  return {
    question: questions.map(digest).find((one) => one !== undefined),
    answers: answers as [number, number] | undefined,
    place: { file: row.file, line: row.line },
  }
}

const digestOf = (value: Json | undefined): number | undefined =>
  value === undefined ? undefined : textDigest(typeof value === 'string' ? value : canonical(value))

/** What was seen of an item first. */
interface Seen<T> {
  value: T
  place: RowPlace
}

export class SameItems {
  private readonly questions = new Map<string, Seen<number>>()
  private readonly labels = new Map<string, Seen<string>>()
  private readonly answers = new Map<string, Seen<readonly [number, number]>>()
  /** Items that differ, and where those are that a message names. */
  private readonly differing = new Set<string>()
  private readonly examples: string[] = []
  private readonly sameAnswers: boolean

  /** @param sameAnswers all runs judge the same answers: others are not what is compared */
  constructor(sameAnswers = false) {
    this.sameAnswers = sameAnswers
  }

  /** Sees what an item of a run asks. */
  asked(id: string, { question, answers, place }: Asked): void {
    if (question !== undefined) this.see(this.questions, id, question, place, 'another question than')
    if (answers) this.seeAnswers(id, answers, place)
  }

  /** Sees what an item's label means; empty without one. */
  label(id: string, meaning: string, place: RowPlace): void {
    if (meaning !== '') this.see(this.labels, id, meaning, place, 'another label than')
  }

  /** Other answers may be what is compared; the same ones exchanged are another item: A>B means the opposite. */
  private seeAnswers(id: string, answers: readonly [number, number], place: RowPlace): void {
    const before = this.answers.get(id)
    if (!before) this.answers.set(id, { value: answers, place })
    else if (this.sameAnswers && answers.some((one, i) => one !== before.value[i]))
      this.differ(id, place, before.place, 'other answers than')
    else if (answers[0] !== answers[1] && before.value[0] === answers[1] && before.value[1] === answers[0])
      this.differ(id, place, before.place, 'the answers of', 'exchanged')
  }

  private see<T>(all: Map<string, Seen<T>>, id: string, value: T, place: RowPlace, what: string): void {
    const before = all.get(id)
    if (!before) all.set(id, { value, place })
    else if (before.value !== value) this.differ(id, place, before.place, what)
  }

  private differ(id: string, here: RowPlace, before: RowPlace, what: string, how = ''): void {
    if (this.differing.has(id)) return
    this.differing.add(id)
    if (this.examples.length < TOLD)
      this.examples.push([placeText(here), 'has', what, placeText(before), how].filter(Boolean).join(' '))
  }

  /** What differs, in words; undefined where nothing does. @param items how many there are */
  message(items: number): string | undefined {
    const { differing, examples } = this
    if (differing.size === 0) return undefined
    const more = differing.size > examples.length ? '; …' : ''
    return `${differing.size} of ${items} items are not the same in all runs: ${examples.join('; ')}${more}`
  }
}
