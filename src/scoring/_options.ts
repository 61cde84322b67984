/** Options that say how trials become a result: of jb-score, and of jb-aggregate, which scores what is not scored yet. */
import type { Option } from '../options/option.ts'
import { ORIGINALS } from '../rows/record.ts'

/** All but `compat`. */
export const SUM_OPTIONS = [
  {
    name: 'combine',
    type: 'string',
    choices: ['vote', 'agree', 'first', 'mean', 'median', 'trimmed', 'majority'],
    about: 'how an item’s trials become one result [by the kind of judge: vote, mean or majority]',
  },
  { name: 'label', type: 'string', value: 'FIELD', about: 'the field that says what is right [label]' },
  {
    name: 'tie',
    type: 'number',
    value: 'X',
    min: 0,
    max: 1,
    about: 'what a tie counts in the accuracy where the label names a winner [0]',
  },
  {
    name: 'criteria',
    type: 'list',
    value: 'FILE',
    about: 'weights, targets and thresholds of criteria, in place of those that the judge was given',
  },
] as const satisfies readonly Option[]

export const COMPAT_OPTION = {
  name: 'compat',
  type: 'string',
  choices: ORIGINALS,
  about: 'add up as that original does, oddities included',
} as const satisfies Option

export const SCORE_OPTIONS = [...SUM_OPTIONS, COMPAT_OPTION] as const satisfies readonly Option[]
