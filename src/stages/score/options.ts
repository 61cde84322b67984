import type { FilterSpec, Option } from '../../options/option.ts'
import { BANK_OPTIONS } from '../../trec/options.ts'

/** Shared with jb-aggregate, which scores trials that come to it unscored. */
export const SCORE_OPTIONS = [
  {
    name: 'combine',
    type: 'string',
    choices: ['vote', 'agree', 'first', 'mean', 'median', 'trimmed', 'majority'],
    about: 'how an item’s trials become one result [the kind’s own: vote, mean or majority]',
  },
  { name: 'label', type: 'string', value: 'FIELD', about: 'the field with what is right [label]' },
  {
    name: 'tie',
    type: 'number',
    value: 'X',
    min: 0,
    max: 1,
    about: 'what a tie is worth in the accuracy where the label names a winner [0]',
  },
  {
    name: 'criteria',
    type: 'list',
    value: 'FILE',
    about:
      'weights, targets and thresholds of the criteria asked about, in place of those they were asked with',
  },
  {
    name: 'compat',
    type: 'string',
    choices: ['judgebench', 'rm-gallery', 'lm-eval', 'mt-bench', 'evalassist'],
    about: 'add up as that original does, oddities included',
  },
] as const satisfies readonly Option[]

export const spec = {
  name: 'jb-score',
  about: 'puts the trials of each item together: one result a line',
  operands: '[FILE…]',
  examples: [
    { about: 'one line an item', command: 'jb-score verdicts.ndjson > results.ndjson' },
    {
      about: 'which pairs change with the order of the answers',
      command: "jb-score verdicts.ndjson |\n    jq -c 'select(.jb.result.consistent == false) | .jb.item'",
    },
  ],
  options: [
    ...SCORE_OPTIONS,
    {
      name: 'as',
      type: 'string',
      value: 'NAME',
      about:
        'write another format in place of results: nuggets (the bank that a list judge made), responses, or of jb-aggregate’s those without measures: judgebench, rm-gallery, lm-eval, lm-eval-details, mt-bench, mt-bench-csv, mt-bench-results, evalassist',
    },
    ...BANK_OPTIONS,
  ],
  notes: [
    'An item is complete when all its trials are in, in whatever order. An item with a failed trial is a failed row; what is left at the end fails with the code incomplete.',
  ],
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec
