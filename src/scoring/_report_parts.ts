/** Parts that the reports of several kinds share. */

import { getOrInsert } from '../rows/maps.ts'
import type { JsonObject, Result } from '../rows/record.ts'
import { positionalBiasRate } from '../statistics/agreement.ts'
import { wilson } from '../statistics/interval.ts'
import type { Tally } from './_scoring.ts'

/** Counts by name, from 0. */
export const zeros = <N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<N, number>

/** How often the judge agreed with the label, and how many labels could not be read; nothing if no item has a label. */
export function accuracyPart(
  counts: { labelled: number; correct: number; unread_labels: number },
  ci: number,
): JsonObject {
  const { labelled, correct, unread_labels } = counts
  const unread = unread_labels > 0 && { unread_labels }
  if (labelled === 0) return { ...unread }
  return { accuracy: correct / labelled, ci: wilson(correct, labelled, ci), labelled, correct, ...unread }
}

/** How often the order decided; nothing if no item was judged in both orders. */
export function biasPart(counts: { checked: number; detected: number; valid: number }): JsonObject {
  const { checked, detected, valid } = counts
  if (checked === 0) return {}
  return { positional_bias: detected, positional_bias_rate: positionalBiasRate(detected, valid) }
}

/** A tally for each criterion of items that have several. */
export class CriteriaTallies<T extends Tally & { readonly valid: number }> {
  private readonly tallies = new Map<string, T>()
  private readonly make: () => T

  constructor(make: () => T) {
    this.make = make
  }

  get size(): number {
    return this.tallies.size
  }

  of(criterion: string): T {
    return getOrInsert(this.tallies, criterion, this.make)
  }

  state(): JsonObject {
    return Object.fromEntries([...this.tallies].map(([name, tally]) => [name, tally.state()]))
  }

  merge(state: JsonObject): void {
    for (const [name, inner] of Object.entries(state)) this.of(name).merge(inner as JsonObject)
  }

  report(settings: { ci: number }): JsonObject {
    if (this.size === 0) return {}
    const reports = [...this.tallies].map(([name, tally]) => [
      name,
      { valid: tally.valid, ...tally.report(settings) },
    ])
    return { criteria: Object.fromEntries(reports) }
  }
}

/** How often the order was checked, and how often it decided. */
export function countBias(
  counts: { checked: number; detected: number },
  { positional_bias: bias }: Result,
): void {
  if (!bias) return
  counts.checked++
  if ((bias as { detected: boolean }).detected) counts.detected++
}
