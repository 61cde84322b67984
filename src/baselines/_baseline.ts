/** The interface of a baseline. */

/** The item's question and answers, the answers in the order shown. */
export interface Material {
  question: string
  answers: string[]
}

export interface Baseline {
  /** The answer with the largest weight wins. `draw` returns a number in [0, 1), seeded by item and trial. */
  weight(text: string, context: { question: string; index: number; draw(what: string): number }): number
  /** The position of a single text on a scale or among options, in [0, 1]. */
  level(text: string, context: { question: string; draw(what: string): number }): number
}

export const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
