/** Labels as amounts, of which means and differences can be taken. */
import { yesNo } from '../criteria/_yes_no.ts'
import type { Json } from '../rows/record.ts'
import type { Label } from '../statistics/agreement.ts'
import { decisionOf, labelNumber } from './label_terms.ts'
import type { LabelScales } from './scale.ts'

const SHARES: ReadonlyMap<string, number> = new Map([
  ['a>b', 1],
  ['b>a', 0],
  ['a=b', 0.5],
])

/** A decision as A's share, yes as 1 and no as 0, numbers as they are; undefined for other words. */
export const amountOf = (label: Label): number | undefined =>
  typeof label === 'number' ? label : (SHARES.get(label.toLowerCase()) ?? yesNo(label))

export const EXPECTED_AMOUNT = 'a number, A>B, B>A, A=B, yes or no'

/** The amount that a label as it is given stands for; undefined for any other. */
export function givenAmount(label: Json | undefined): number | undefined {
  const number = labelNumber(label)
  if (number !== undefined || typeof label !== 'string') return number
  return amountOf(decisionOf(label) ?? label.trim())
}

/** A's share by a label of a pair; a number is none, unless the labels count the answers from 1. */
export function labelledShare(label: Json, scales: LabelScales): number | undefined {
  const place = scales.place(label, 2)
  if (place !== undefined) return 1 - place
  const decision = decisionOf(label)
  return decision && amountOf(decision)
}
