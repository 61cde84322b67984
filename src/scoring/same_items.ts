/** Whether runs have the same items under the same ids: a comparison of others says nothing. */

import { getOrInsert } from '../rows/maps.ts'
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

/** What was seen of an item first, and where. */
interface Seen {
  question: number | undefined
  questionAt: RowPlace | undefined
  answers: Asked['answers']
  answersAt: RowPlace | undefined
  label: string | undefined
  labelAt: RowPlace | undefined
}

export class SameItems {
  private readonly items = new Map<string, Seen>()
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
    const seen = this.seen(id)
    if (seen.question === undefined) {
      seen.question = question
      seen.questionAt = place
    } else if (question !== undefined && question !== seen.question)
      this.differ(id, place, seen.questionAt!, 'another question than')
    if (!seen.answers) {
      seen.answers = answers
      seen.answersAt = place
    } else if (answers) this.seeAnswers(id, answers, place, seen.answers, seen.answersAt!)
  }

  /** Sees what an item's label means; empty without one. */
  label(id: string, meaning: string, place: RowPlace): void {
    if (meaning === '') return
    const seen = this.seen(id)
    if (seen.label === undefined) {
      seen.label = meaning
      seen.labelAt = place
    } else if (seen.label !== meaning) this.differ(id, place, seen.labelAt!, 'another label than')
  }

  private seen(id: string): Seen {
    return getOrInsert(this.items, id, () => ({
      question: undefined,
      questionAt: undefined,
      answers: undefined,
      answersAt: undefined,
      label: undefined,
      labelAt: undefined,
    }))
  }

  /** Other answers may be what is compared; the same ones exchanged are another item: A>B means the opposite. */
  private seeAnswers(
    id: string,
    answers: readonly [number, number],
    place: RowPlace,
    before: readonly [number, number],
    at: RowPlace,
  ): void {
    if (this.sameAnswers && answers.some((one, i) => one !== before[i]))
      this.differ(id, place, at, 'other answers than')
    else if (answers[0] !== answers[1] && before[0] === answers[1] && before[1] === answers[0])
      this.differ(id, place, at, 'the answers of', 'exchanged')
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
