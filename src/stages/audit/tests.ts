/** Which biases are beyond chance, where a report looks for several. */
import type { Json, JsonObject } from '../../rows/record.ts'
import { holm } from '../../statistics/multiple.ts'

type Figures = Record<string, Json | undefined>

/** By section that tests for a bias: its figure with p, its interval, and what this is without bias. */
const TESTS: Record<
  string,
  (figures: Figures) => { p: Json | undefined; ci: Json | undefined; none: number }
> = {
  // Of one order there is no saying whether it is the slot.
  position: ({ p, ci, reason }) => ({ p: reason === undefined ? p : null, ci, none: 0.5 }),
  length: ({ people_share, people_p, longer_p, ci }) =>
    people_share === undefined ? { p: longer_p, ci, none: 0.5 } : { p: people_p, ci: null, none: 0 },
  self_preference: ({ p, ci }) => ({ p, ci, none: 0 }),
}

/** The sections whose biases are tested together get `p_holm`: p adjusted for how many they are. @param cards the sections of each */
export function adjustBiases(cards: readonly JsonObject[][]): void {
  const tests = cards.flatMap((sections) =>
    sections.flatMap((section, at) => {
      const p = TESTS[String(section.section)]?.(section).p
      return typeof p === 'number' ? [{ sections, section, at, p }] : []
    }),
  )
  if (tests.length < 2) return
  for (const [i, p_holm] of holm(tests.map(({ p }) => p)).entries()) {
    const { sections, section, at } = tests[i]!
    sections[at] = { ...section, p_holm }
  }
}

/** Whether a section's bias is beyond chance: by its adjusted p, by p where it is the only one, without p by its interval. */
export function isBiased(section: string, figures: Figures, level: number): boolean {
  const { p, ci, none } = TESTS[section]!(figures)
  if (typeof p !== 'number') return isBeyond(ci, none)
  return Number(figures.p_holm ?? p) <= 1 - level
}

/** Whether an interval is beside a value. */
export const isBeyond = (interval: Json | undefined, value: number): boolean =>
  Array.isArray(interval) && (Number(interval[0]) > value || Number(interval[1]) < value)
