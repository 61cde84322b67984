/** What reports of several kinds say in the same words. */
import type { JsonObject } from '../rows/record.ts'
import { positionalBiasRate } from '../statistics/agreement.ts'
import { wilson } from '../statistics/interval.ts'

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
export function criteriaPart(criteria: ReadonlyMap<string, JsonObject>): JsonObject {
  return criteria.size === 0 ? {} : { criteria: Object.fromEntries(criteria) }
}
