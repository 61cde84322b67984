/** How the interval of a run's mean narrowed over its items, which jb-render --shuffle put into a random order. */
import { FAILED_CALLS, Fatal, type Shuffle } from '../../rows/record.ts'
import type { CountedItem } from '../../scoring/group.ts'
import { type Outcome, outcomeOf } from '../../scoring/outcome.ts'
import { decidedBy, gateSentence, Scaling, unitValue } from '../../scoring/until.ts'
import { Sequence, type Weighted } from '../../statistics/evidence.ts'
import type { Narrowing } from './model.ts'

/** Units of a picture; more would take as long to compute as the rest of the page. */
const MOST = 20_000
/** From one interval of the picture to the next, so many times the units. */
const STEP = 1.3

/** Undefined for an item that failed; null if its call did: then it does not count. */
type Came = Outcome | undefined | null

/** A run's items, each with its place in the order. */
export class ShuffledItems {
  private readonly marks = new Map<number, Shuffle>()
  private readonly came = new Map<number, Came>()
  private mixed = false

  /** Notes an item's place. */
  mark(item: number, mark: Shuffle): void {
    const known = this.marks.get(item)
    if (!known) this.marks.set(item, mark)
    else if (known.seed !== mark.seed || known.n !== mark.n) this.mixed = true
  }

  /** Notes what an item came to. */
  add(item: number, { result, trials, failure }: CountedItem): void {
    // A trial of it is not there: neither is the item.
    if (failure?.code === 'incomplete') return
    const failedCall = FAILED_CALLS.some((one) => one === failure?.code)
    this.came.set(item, result ? outcomeOf(result, trials) : failedCall ? null : undefined)
  }

  /** Adds the places of items that failed before they had a model. */
  join({ marks }: ShuffledItems): void {
    for (const [item, mark] of marks) this.mark(item, mark)
  }

  /**
   * Of the units up to the first that is not there. Undefined if there is no order, several, or no scale.
   * @param gate that the mean is at least this
   */
  narrowing(gate: number | undefined, ci: number): Narrowing | undefined {
    const [order] = this.marks.values()
    if (!order || this.mixed) return undefined
    const units: Came[][] = []
    for (const [item, { seed, of, most, n }] of this.marks) {
      if (seed !== order.seed || of !== order.of || most !== order.most || n >= of) return undefined
      if (this.came.has(item)) (units[n] ??= []).push(this.came.get(item))
    }
    const sizes: number[] = []
    for (const { n, size = 1 } of this.marks.values()) sizes[n] = size
    let end = 0
    while (sizes[end] !== undefined && units[end]?.length === sizes[end]) end++
    if (end < 2 || end > MOST) return undefined
    const found = valuesOf(units.slice(0, end), order)
    return found && narrowed(found, order, gate, ci)
  }
}

interface Values {
  scaling: Scaling
  measure: Outcome['measure']
  values: (Weighted | undefined)[]
}

/** The units' values from 0 to 1; undefined for scores whose range is not known, or of several ranges. */
function valuesOf(units: readonly (readonly Came[])[], { most = 1 }: Shuffle): Values | undefined {
  const scaling = new Scaling(undefined)
  const first = units.flat().find((one) => one)
  if (!first) return undefined
  try {
    const values = units.map((items) => {
      const worth = items.flatMap((one) => (one ? (scaling.share(one, { place: '' }) ?? []) : []))
      return items.includes(null) ? undefined : unitValue(worth, most)
    })
    return { scaling, measure: first.measure, values }
  } catch (error) {
    if (error instanceof Fatal) return undefined
    throw error
  }
}

/** @throws Fatal (usage) for a gate that no mean can reach */
function narrowed(
  { scaling, measure, values }: Values,
  { seed, of, most = 1 }: Shuffle,
  gate: number | undefined,
  ci: number,
): Narrowing {
  const settings = { of, ci }
  const whole = new Sequence({ gate: 0 }, settings)
  const asked = new Sequence({ gate: gate === undefined ? 0 : scaling.threshold('gate', gate) }, settings)
  const points: Narrowing['points'] = []
  let next = 2
  for (const value of values) {
    whole.add(value)
    const decides = gate !== undefined && asked.decision === 'undecided' && asked.add(value) !== 'undecided'
    if (whole.at < next && whole.at < values.length && !decides) continue
    const [low, high] = whole.interval().map((one) => scaling.unscaled(one)) as [number, number]
    if (whole.mean !== null) points.push([whole.at, low, high, scaling.unscaled(whole.mean)])
    next = Math.ceil(whole.at * STEP)
  }
  const what = measure === 'correct' ? 'accuracy' : measure === 'score' ? 'score' : 'preferred'
  if (gate === undefined) return { what, of, points }
  const question = { asked: { gate }, unscaled: (mean: number) => scaling.unscaled(mean) }
  const decided = decidedBy(asked, { seed, of, most }, question, { about: 'items', ci })
  return {
    ...{ what, of, points, gate },
    ...(decided.conclusion !== 'undecided' && { at: asked.at }),
    sentence: gateSentence(decided, gate, scaling),
  }
}
