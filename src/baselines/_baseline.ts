/** What a baseline is, and what several of them use. */

/** The item's question and answers, the answers in the order shown. */
export interface Material {
  question: string
  answers: string[]
}

export interface Baseline {
  /** Of two or more answers the one with the largest weight wins. `draw` gives numbers in [0, 1), seeded by item and trial. */
  weight(text: string, context: { question: string; index: number; draw(what: string): number }): number
  /** In [0, 1]: where on a scale, or among the options, a single text stands. */
  level(text: string, context: { question: string; draw(what: string): number }): number
}

export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
