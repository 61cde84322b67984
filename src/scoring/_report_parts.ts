/** What reports of several kinds say in the same words. */

import type { JsonObject, Result } from '../rows/record.ts'
import { positionalBiasRate } from '../statistics/agreement.ts'
import { wilson } from '../statistics/interval.ts'
import type { Tally } from './_scoring.ts'

/** Counts by name, from 0. */
export const zeros = <N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<N, number>

/** How often the judge said what the label says; nothing where no item has a label. */
export function accuracyPart(counts: { labelled: number; correct: number }, ci: number): JsonObject {
  const { labelled, correct } = counts
  if (labelled === 0) return {}
  return { accuracy: correct / labelled, ci: wilson(correct, labelled, ci), labelled, correct }
}

/** How often the order decided; nothing where no item was asked in both. */
export function biasPart(counts: { checked: number; detected: number; valid: number }): JsonObject {
  const { checked, detected, valid } = counts
  if (checked === 0) return {}
  return { positional_bias: detected, positional_bias_rate: positionalBiasRate(detected, valid) }
}

/** The same report for each criterion of items that have several. */
export function criteriaPart(
  criteria: ReadonlyMap<string, Tally & { valid: number }>,
  settings: { ci: number },
): JsonObject {
  if (criteria.size === 0) return {}
  const reports = [...criteria].map(([name, tally]) => [
    name,
    { valid: tally.valid, ...tally.report(settings) },
  ])
  return { criteria: Object.fromEntries(reports) }
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
