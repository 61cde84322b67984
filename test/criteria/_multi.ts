/** Several criteria, the options that were chosen, and what they add up to. */
import { criterion, type Option } from './golden.ts'

export interface Multi {
  case: string
  normalize_scores: boolean
  items: {
    name: string
    options: Option[]
    weight?: number
    target_option?: string
    score_threshold?: number
    required?: boolean
  }[]
  selected: [option: string, score?: number | null][]
  expected: {
    aggregated_score: number | null
    items: {
      score_after_normalization: number | null
      weight: number
      weighted_score: number | null
      strategy: string
      required: boolean
    }[]
  } | null
  error: string | null
}

export const configOf = ({ normalize_scores, items }: Pick<Multi, 'normalize_scores' | 'items'>) =>
  JSON.stringify({
    normalize_scores,
    items: items.map(({ name, options, ...rest }) => ({ criterion: criterion(name, options), ...rest })),
  })

/** What jb-parse leaves of these picks: the score is the option's, or the one a case gives. */
export const trialsOf = ({ items, selected }: Pick<Multi, 'items' | 'selected'>) =>
  items.map(({ name, options }, n) => {
    const [option, ...given] = selected[n]!
    const score = given.length > 0 ? given[0] : (options.find((one) => one.name === option)?.score ?? null)
    return {
      jb: {
        judge: 'direct',
        item: 'a',
        trial: { n, of: items.length, criterion: name },
        verdict: { label: option, option, score },
      },
    }
  })

export const LIKERT = [1, 2, 3, 4, 5].map((score) => ({ name: String(score), score }))

export const YES_NO = [
  { name: 'Yes', score: 1 },
  { name: 'No', score: 0 },
]

export const UNSCORED = [
  { name: 'Correct', score: null },
  { name: 'Incorrect', score: null },
]
