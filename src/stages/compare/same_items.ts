/** Whether runs have the same items under the same ids: a comparison of others says nothing. */
import { ANSWER_FIELDS, QUESTION_FIELDS } from '../../rows/pair_fields.ts'
import { Plan, scan } from '../../rows/plan.ts'
import type { Row } from '../../rows/row.ts'
import { digestOfString, digestOfStrings, textDigest } from '../../scoring/digest.ts'
import type { Current } from '../../scoring/intake.ts'
import { grown } from '../../scoring/ledger.ts'
import type { Places, RowPlace } from './places.ts'

/** Items that a message names. */
const TOLD = 3
const QUOTE = 0x22

type Aspect = 'question' | 'label'

/** Fields of two answers, first and second in turn. */
const ANSWERS = ANSWER_FIELDS.flat()

/** Digests of one aspect by item, and where each was seen first. */
class Seen {
  private digests = new Uint32Array(1024)
  private places = new Float64Array(1024)

  /** @returns where the item had another digest; undefined where it had none, or the same */
  other(item: number, digest: number, place: number): number | undefined {
    return this.at(item, digest, place) === digest ? undefined : this.places[item]
  }

  /** Where the item was seen first. */
  place(item: number): number {
    return this.places[item]!
  }

  /** @returns the digest that the item had before; where it had none, this one, which is kept */
  at(item: number, digest: number, place: number): number {
    if (item >= this.digests.length) {
      this.digests = grown(this.digests, item + 1)
      this.places = grown(this.places, item + 1)
    }
    const before = this.digests[item]!
    if (before !== 0) return before
    this.digests[item] = digest
    this.places[item] = place
    return digest
  }
}

export class SameItems {
  private readonly places: Places
  private readonly seen: Record<Aspect, Seen> = { question: new Seen(), label: new Seen() }
  /** By item, its two answers in their order. */
  private readonly answers = new Seen()
  /** Items that differ, and where those are that a message names. */
  private readonly differing = new Set<number>()
  private readonly examples: string[] = []
  /** Where the rows of each run have the question: in the field that --map names, else in a usual one. */
  private readonly plans: Plan[] = []

  constructor(places: Places) {
    this.places = places
  }

  /** Sees the question of a row. @param run its number: the rows of a run have it in the same field */
  question(item: number, run: number, { lines, row }: Pick<Current, 'lines' | 'row'>): void {
    const plan = (this.plans[run] ??= questionPlan(row()))
    const [bytes, begin, end] = lines ? [lines.bytes, lines.begin, lines.end] : bytesOf(row())
    if (scan(bytes, begin, end, plan) < 0) return
    const digest = digestIn(bytes, plan)
    if (digest !== undefined) this.see('question', item, digest, lines ?? row())
    const answers = answersIn(bytes, plan)
    if (answers) this.seeAnswers(item, answers, lines ?? row())
  }

  /** Other answers may be what is compared; the same ones exchanged are another item: A>B means the opposite. */
  private seeAnswers(item: number, [a, b]: [number, number], place: RowPlace): void {
    const here = this.places.number(place)
    const before = this.answers.at(item, both(a, b), here)
    if (a !== b && before === both(b, a))
      this.differ(item, here, this.answers.place(item), 'the answers of', 'exchanged')
  }

  /** Sees what an item's label means; empty without one. */
  label(item: number, meaning: string, place: RowPlace): void {
    if (meaning !== '') this.see('label', item, textDigest(meaning), place)
  }

  private see(aspect: Aspect, item: number, digest: number, place: RowPlace): void {
    const here = this.places.number(place)
    const before = this.seen[aspect].other(item, digest >>> 0 || 1, here)
    if (before !== undefined) this.differ(item, here, before, `another ${aspect} than`)
  }

  private differ(item: number, here: number, before: number, what: string, how = ''): void {
    if (this.differing.has(item)) return
    this.differing.add(item)
    if (this.examples.length < TOLD)
      this.examples.push(
        [this.places.text(here), 'has', what, this.places.text(before), how].filter(Boolean).join(' '),
      )
  }

  /** What differs, in words; undefined where nothing does. @param items how many there are */
  message(items: number): string | undefined {
    const { differing, examples } = this
    if (differing.size === 0) return undefined
    const more = differing.size > examples.length ? '; …' : ''
    return `${differing.size} of ${items} items are not the same in all runs: ${examples.join('; ')}${more}`
  }
}

function questionPlan(row: Row): Plan {
  const mapped = row.get('map')?.question
  const questions = typeof mapped === 'string' ? [mapped] : QUESTION_FIELDS
  return new Plan(...ANSWERS, ...questions.filter((field) => !ANSWERS.includes(field)))
}

function bytesOf(row: Row): [bytes: Buffer, begin: number, end: number] {
  const bytes = Buffer.from(row.itemText())
  return [bytes, 0, bytes.length]
}

/** The digest of the first question that was found; undefined where there is none. */
function digestIn(bytes: Buffer, plan: Plan): number | undefined {
  for (let slot = ANSWERS.length; 2 * slot < plan.at.length; slot++) {
    const digest = digestAt(bytes, plan, slot)
    if (digest !== undefined) return digest
  }
  return undefined
}

/** The digests of the first two answers that were both found. */
function answersIn(bytes: Buffer, plan: Plan): [number, number] | undefined {
  for (let slot = 0; slot < ANSWERS.length; slot += 2) {
    const [a, b] = [digestAt(bytes, plan, slot), digestAt(bytes, plan, slot + 1)]
    if (a !== undefined && b !== undefined) return [a, b]
  }
  return undefined
}

function digestAt(bytes: Buffer, { at }: Plan, slot: number): number | undefined {
  const [from, to] = [at[2 * slot]!, at[2 * slot + 1]!]
  if (from < 0) return undefined
  return bytes[from] === QUOTE ? digestOfString(bytes, from, to) : digestOfStrings(bytes, from, to)
}

/** One digest of two in their order. */
const both = (a: number, b: number) => (Math.imul(a, 31) + b) >>> 0 || 1
