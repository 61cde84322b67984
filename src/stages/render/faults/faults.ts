/**
 * Planted faults: copies of an item with an answer that is surely worse, and one that is the same. Where a rule can't be
 * sure, no copy is made.
 */

import { spliced } from '../../../rows/json_places.ts'
import type { Probe } from '../../../rows/record.ts'
import { seededBytes } from '../../../rows/seed.ts'
import { call, callArguments, result } from './calls.ts'
import type { Change, Draws, Fault } from './fault.ts'
import type { FaultKind } from './kinds.ts'
import { Answer, type Material } from './material.ts'
import { cut, type Donor, negation, number, omit, other, same } from './texts.ts'
import { lengthOf } from './words.ts'

const MADE = { number, negation, cut, omit, call, arguments: callArguments, result, same } satisfies Record<
  string,
  Fault
>

/** A copy: the user's part of its row, and what `jb.probe` says. */
export interface Copy {
  text: string
  probe: Probe
}

/** Longer texts are not told. */
const LONGEST_TOLD = 300

/**
 * The copy of an item with this fault; undefined where it would not be sure to be worse.
 * @param after of kind `other`: the items that give their answers, from this one on
 */
export function planted(
  item: Material,
  kind: FaultKind,
  seed: string,
  after: () => Iterable<Donor> = () => [],
): Copy | undefined {
  const n = item.fields.length
  if (n === 0 || n > 2) return undefined
  const draws = drawsOf(seed, kind, item.id)
  const first = draws[0] % n
  for (const damaged of n === 2 ? [first, 1 - first] : [0]) {
    // Of a pair the damaged answer is a copy of the other one, which must win.
    const base = n === 2 ? 1 - damaged : 0
    const change = changeOf(item, base, kind, draws, after)
    if (!change) continue
    const told = Object.entries(change.told).filter(([, text]) => lengthOf(text) <= LONGEST_TOLD)
    return {
      text: n === 2 ? twice(item, base, damaged, change) : item.places.edited(change.edits),
      probe: {
        kind,
        of: item.id,
        answer: damaged,
        expect: kind === 'same' ? 'same' : 'worse',
        ...Object.fromEntries(told),
      },
    }
  }
  return undefined
}

function changeOf(
  item: Material,
  base: number,
  kind: FaultKind,
  draws: Draws,
  after: () => Iterable<Donor>,
): Change | undefined {
  if (kind === 'same' && item.fields.length === 2)
    return item.member(item.fields[base]!) ? { edits: [], told: {} } : undefined
  const answer = new Answer(item, base)
  return kind === 'other' ? other(answer, base, after()) : MADE[kind](answer, draws)
}

/** The pair whose damaged answer is a changed copy of the other one. */
function twice(item: Material, base: number, damaged: number, { edits }: Change): string {
  const { places, fields } = item
  const [from, into] = [item.member(fields[base]!)!, item.member(fields[damaged]!)!]
  const copy = spliced(
    places.text.slice(from.start, from.end),
    edits.map(({ start, end, text }) => ({ start: start - from.start, end: end - from.start, text })),
  )
  return places.edited([{ start: into.start, end: into.end, text: copy }])
}

function drawsOf(seed: string, kind: string, id: string): Draws {
  const bytes = seededBytes(`${seed}\0${kind}\0${id}`)
  return [bytes.readUInt32BE(0), bytes.readUInt32BE(4), bytes.readUInt32BE(8)]
}
