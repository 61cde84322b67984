/** What a judge is good for, by its agreement with people, and why not for more. */
import { ALL_THE_SAME } from '../../scoring/warnings.ts'
import type { Label } from '../../statistics/agreement.ts'

/** From this κ on a judge is a measure, if the lower bound of the interval is not below USABLE. */
const GOOD = 0.6

/** Below it the judge is no measure. */
export const USABLE = 0.4

/** Below it agreement is better than chance, and no more. */
const SLIGHT = 0.2

/** A measure needs so many labelled items, and so many that do not have the commonest label. */
const [ENOUGH_ITEMS, ENOUGH_OTHERS] = [30, 10]

/** If more of the items failed than this share, the others may be the easy ones. */
const MOST_FAILED = 0.1

/** A label, and how many items have it. */
interface Commonest {
  label: Label
  items: number
}

export interface Measured {
  /** Items with a verdict and a label. */
  items: number
  /** All items of the card, and those of them without a verdict. */
  all: number
  failed: number
  people: Commonest
  judge: Commonest
  /** Agreement beyond chance, of grades by weighted κ. */
  kappa: number | null
  interval: readonly [number, number] | null
  /** The labelled items are not like the others. */
  unlike: boolean
  /** People's labels correct the judge's mean. */
  corrected: boolean
  /** It may take the place of an annotator. */
  replaces: boolean
  /** Its preference for a slot is strong. */
  slot: boolean
}

/** Whatever rules out a figure that can be believed comes first. */
export function useOf(of: Measured): string {
  const { items, people, judge, kappa, interval } = of
  const others = items - people.items
  if (of.unlike) return 'unknown: the labelled items are not like the others'
  if (others === 0)
    return `unknown: people said ${people.label} of all ${items} labelled items: label items of other classes`
  if (judge.items === items && items >= ALL_THE_SAME)
    return `not at all: its verdict is ${judge.label} on all ${items} labelled items, whatever people said`
  if (items < ENOUGH_ITEMS)
    return `unknown: ${items} labelled items are too few to tell (at least ${ENOUGH_ITEMS})`
  if (others < ENOUGH_OTHERS)
    return `unknown: people said ${people.label} of ${people.items} of ${items} labelled items, and the others are too few to tell (at least ${ENOUGH_OTHERS})`
  if (kappa === null || interval === null) return 'unknown: there is no interval of its agreement with people'
  const [low, high] = interval
  if (high < 0) return 'not at all: it agrees with people less often than chance would'
  if (low <= 0 && high >= GOOD) return `unknown: ${items} labelled items are too few to tell`
  if (low <= 0) return 'not at all: it is not better than chance (the interval of κ holds 0)'
  if (of.failed > MOST_FAILED * of.all)
    return `not as the measure: ${of.failed} of ${of.all} items failed, and the others may be the easy ones`
  if (kappa < SLIGHT) return 'not alone: it is better than chance, and hardly more'
  if (of.replaces) return 'as one annotator among people'
  if (kappa < GOOD || low < USABLE)
    return of.corrected
      ? 'as a filter before people, or corrected by their labels; not alone as the measure'
      : 'as a filter before people, not as the measure'
  return of.slot ? 'as the measure, with both orders of each item' : 'as the measure'
}
