/** The longest answer wins; a grade or an option grows with the length, up to 2,000 characters. */
import type { Baseline } from './_baseline.ts'

const FULL_LENGTH = 2000

const lengthOf = (text: string) => [...text].length

export const baseline: Baseline = {
  weight: lengthOf,
  level: (text) => Math.min(1, lengthOf(text) / FULL_LENGTH),
}
