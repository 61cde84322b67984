/** Options that decide how trials become results, for jb-score and for filters that score trials first. */
import type { Option } from '../options/option.ts'
import { ORIGINALS } from '../rows/record.ts'

export const LABEL_OPTION = {
  name: 'label',
  type: 'string',
  value: 'FIELD',
  about:
    'the field with the right verdict [label; of options and lists else expected_result; of grades none]',
} as const satisfies Option

export const TIE_OPTION = {
  name: 'tie',
  type: 'number',
  value: 'X',
  min: 0,
  max: 1,
  about: 'the value of a tie in the accuracy, if the label names a winner [0]',
} as const satisfies Option

export const SCORE_OPTIONS = [
  {
    name: 'combine',
    type: 'string',
    choices: ['vote', 'agree', 'first', 'mean', 'median', 'trimmed', 'majority'],
    about: 'how an item’s trials become one result [by the kind of judge: vote, mean or majority]',
  },
  LABEL_OPTION,
  TIE_OPTION,
  {
    name: 'criteria',
    type: 'list',
    value: 'FILE',
    about: 'weights, targets and thresholds of criteria, instead of those in the rows',
  },
  {
    name: 'compat',
    type: 'string',
    choices: ORIGINALS,
    about: 'add up as that original does, oddities included',
  },
] as const satisfies readonly Option[]
