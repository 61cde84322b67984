/** Options that decide how trials become results, and when there are enough of them. */
import { ignoredOptions } from '../options/ignored.ts'
import type { Option } from '../options/option.ts'
import { COMBINATIONS, ORIGINALS } from '../rows/record.ts'
import type { Context } from '../rows/stage.ts'
import { LABEL_MAP_OPTION } from './label_map.ts'

export const LABEL_OPTION = {
  name: 'label',
  type: 'string',
  value: 'FIELD',
  about:
    'the field with the right verdict [label; of options and lists else expected_result; of grades none]; none: no label is read',
} as const satisfies Option

export const TIE_OPTION = {
  name: 'tie',
  type: 'number',
  value: 'X',
  min: 0,
  max: 1,
  about: 'the value of a tie in the accuracy, if the label names a winner [0]',
} as const satisfies Option

export const COMPAT_OPTION = {
  name: 'compat',
  type: 'string',
  choices: [...ORIGINALS, 'none'],
  about: 'add up as that original does, oddities included; none: as jb does [the rows’ jb.compat]',
} as const satisfies Option

export const SCORE_OPTIONS = [
  {
    name: 'combine',
    type: 'string',
    choices: COMBINATIONS,
    about: 'how an item’s trials become one result [by the kind of judge: vote, mean or majority]',
  },
  LABEL_OPTION,
  LABEL_MAP_OPTION,
  TIE_OPTION,
  {
    name: 'criteria',
    type: 'list',
    value: 'FILE',
    about: 'weights, targets and thresholds of criteria, instead of those in the rows',
  },
  COMPAT_OPTION,
] as const satisfies readonly Option[]

/** Those that say how trials become a result. */
const OF_TRIALS = ['combine', 'label', 'label-map', 'tie', 'criteria']

/** Reports those that are given, where nothing is scored. @throws Fatal (usage) if one is on the command line */
export const refuseScoring = (options: object, why: string, context: Context): void =>
  ignoredOptions(OF_TRIALS, options, why, context)

/** What is to be called for each row that is a result already: the first one refuses options for scoring. */
export function onResults(options: object, context: Context): () => void {
  const where = context.stage === 'score' ? 'the rows of jb-parse' : 'to jb-score'
  let isFirst = true
  return () => {
    if (isFirst) refuseScoring(options, `the rows are scored already: give it ${where}`, context)
    isFirst = false
  }
}

/** What the answer of --until is about. */
export const ABOUT_OPTION = {
  name: 'about',
  type: 'string',
  choices: ['items', 'population'],
  default: 'items',
  about:
    'with --until: what the answer is about, all of these items, or all that they are a random sample of',
} as const satisfies Option

/** Options of filters that may decide before the last item. */
export const UNTIL_OPTIONS = [
  {
    name: 'until',
    type: 'string',
    choices: ['decided'],
    about:
      'end, and with it the pipe, once items in a random order (jb-render --shuffle) answer for all of them',
  },
  ABOUT_OPTION,
  {
    name: 'range',
    type: 'string',
    value: 'LOW:HIGH',
    dash: true,
    about: 'with --until: the least and the largest score there can be [those of the judge]',
  },
  {
    name: 'shuffled',
    type: 'number',
    value: 'N',
    min: 0,
    integer: true,
    about:
      'with --until: your word that rows without jb.shuffle are in a random order, of N items (0: not known)',
  },
] as const satisfies readonly Option[]
