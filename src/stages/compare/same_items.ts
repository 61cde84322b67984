/** Whether runs have the same items under the same ids: a comparison of others says nothing. */
import { QUESTION_FIELDS } from '../../rows/pair_fields.ts'
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

/** Digests of one aspect by item, and where each was seen first. */
class Seen {
  private digests = new Uint32Array(1024)
  private places = new Float64Array(1024)

  /** @returns where the item had another digest; undefined where it had none, or the same */
  other(item: number, digest: number, place: number): number | undefined {
    if (item >= this.digests.length) {
      this.digests = grown(this.digests, item + 1)
      this.places = grown(this.places, item + 1)
    }
    const before = this.digests[item]!
    if (before !== 0) return before === digest ? undefined : this.places[item]
    this.digests[item] = digest
    this.places[item] = place
    return undefined
  }
}

export class SameItems {
  private readonly places: Places
  private readonly seen: Record<Aspect, Seen> = { question: new Seen(), label: new Seen() }
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
  }

  /** Sees what an item's label means; empty without one. */
  label(item: number, meaning: string, place: RowPlace): void {
    if (meaning !== '') this.see('label', item, textDigest(meaning), place)
  }

  private see(aspect: Aspect, item: number, digest: number, place: RowPlace): void {
    const here = this.places.number(place)
    const before = this.seen[aspect].other(item, digest >>> 0 || 1, here)
    if (before === undefined || this.differing.has(item)) return
    this.differing.add(item)
    if (this.examples.length < TOLD)
      this.examples.push(`${this.places.text(here)} has another ${aspect} than ${this.places.text(before)}`)
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
  return new Plan(...(typeof mapped === 'string' ? [mapped] : QUESTION_FIELDS))
}

function bytesOf(row: Row): [bytes: Buffer, begin: number, end: number] {
  const bytes = Buffer.from(row.itemText())
  return [bytes, 0, bytes.length]
}

/** The digest of the first field that was found; undefined where there is none. */
function digestIn(bytes: Buffer, { at }: Plan): number | undefined {
  for (let slot = 0; slot < at.length; slot += 2) {
    const [from, to] = [at[slot]!, at[slot + 1]!]
    if (from < 0) continue
    return bytes[from] === QUOTE ? digestOfString(bytes, from, to) : digestOfStrings(bytes, from, to)
  }
  return undefined
}
