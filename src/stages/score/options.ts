import { OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { SCORE_OPTIONS } from '../../scoring/options.ts'

export const spec = {
  name: 'jb-score',
  about: 'puts the trials of each item together: one result a line',
  operands: '[FILE…]',
  examples: [
    { about: 'one line an item', command: 'jb-score verdicts.ndjson > results.ndjson' },
    {
      about: 'one verdict of several judges or models',
      command: 'cat a.ndjson b.ndjson c.ndjson | jb-score --jury majority | jb-aggregate',
    },
    {
      about: 'one that weighs them by labels of some items',
      command: 'cat *.ndjson | jb-score --jury learned --save weights.json',
    },
    {
      about: 'which pairs change with the order of the answers',
      command: "jb-score verdicts.ndjson |\n    jq -c 'select(.jb.result.consistent == false) | .jb.item'",
    },
  ],
  options: [
    OUTPUT_OPTION,
    ...SCORE_OPTIONS,
    {
      name: 'jury',
      type: 'string',
      value: 'majority|mean|weighted:NAME=VOTES,…|learned[:FILE]',
      about:
        'one result an item of all its judges and models, by a judge called jury: what most say, the mean, with several votes for some (NAME: a judge, a name of jb-render --name, a model), or with the weights that they earn on the labelled items (FILE: that --save wrote)',
    },
    {
      name: 'save',
      type: 'string',
      value: 'FILE',
      noEnv: true,
      about: 'with --jury learned: write the weights to this file, completely or not at all',
    },
    {
      name: 'pass',
      type: 'number',
      value: 'X',
      dash: true,
      about:
        'make pass and fail of grades: a score of X or more is a pass, compared with a label true or false, 1 or 0, pass or fail',
    },
    {
      name: 'quorum',
      type: 'number',
      value: 'N',
      min: 1,
      integer: true,
      about: 'with --jury: verdicts of N members are enough; the others may have failed [all members]',
    },
  ],
  notes: [
    'An item is written when all its trials have come, in whatever order. If one of them failed, it waits for the end of the input, since later rows may have another try: `cat first.ndjson retry.ndjson | jb-score` writes each item once. What then still has a failed trial is a failed row; items that lack trials fail with the code incomplete.',
    'A trial of an item that was written counts once if it comes again with the same reply. If its reply, label or group (source, category, subset or task) is another, a row with the code conflict follows, with which jb-aggregate counts the item as failed. If later rows say that it has more trials, it is written again with all of them, and that row counts; if these are not all there, a conflict follows. A paid call that comes that late, failed or with the same reply, has a row of its own, so that its cost counts.',
    'Rows that are results already pass as they are. --combine, --label, --tie and --criteria are refused for them: to score again, give jb-score the rows of jb-parse.',
  ],
  main: ['combine', 'label', 'pass', 'jury', 'quorum', 'save', 'criteria', 'output'],
  headings: { 'How trials become results': ['label-map', 'tie', 'compat'] },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec

export type ScoreOptions = OptionsOf<typeof spec>
