/** The answer with the largest share of the question's words wins; a grade or an option follows that share. */
import { type Baseline, wordsIn } from './_baseline.ts'

/** The share of the question's distinct words that the text has. */
function shareOf(text: string, { question }: { question: string }): number {
  const asked = new Set(wordsIn(question))
  const words = new Set(wordsIn(text))
  return asked.size === 0 ? 0 : [...asked].filter((word) => words.has(word)).length / asked.size
}

export const baseline: Baseline = { weight: shareOf, level: shareOf }
