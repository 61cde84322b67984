import { CI_OPTION, JUDGE_OPTION, OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { SCORE_OPTIONS } from '../../scoring/options.ts'

export const spec = {
  name: 'jb-view',
  about: 'makes an HTML page, or cards for the terminal, to view judgements and to label items',
  operands: '[FILE…]',
  examples: [
    { about: 'a page that needs no server and no network', command: 'jb-view verdicts.ndjson -o run.html' },
    {
      about: 'several runs side by side, in one file or in several',
      command: 'jb-view gpt-6-luna.ndjson claude.ndjson -o runs.html',
    },
    {
      about: 'last week’s run and today’s, of the same judge and model',
      command: 'jb-view --by-file last.ndjson today.ndjson -o runs.html',
    },
    {
      about: 'the nights of a watch (jb-audit --watch)',
      command: 'jb-view watch.json -o watch.html',
    },
    {
      about: 'one item in the terminal',
      command: 'jb-view --text --color always --item p17 verdicts.ndjson | less -R',
    },
    {
      about: 'label items in the page, download labels.ndjson, and see how the judges agree',
      command: 'jb-aggregate --labels labels.ndjson verdicts.ndjson',
    },
  ],
  options: [
    OUTPUT_OPTION,
    { name: 'text', type: 'boolean', about: 'print cards for the terminal instead of a page' },
    { name: 'item', type: 'list', value: 'ID', about: 'show only this item' },
    {
      name: 'by',
      type: 'list',
      value: 'FIELD',
      about:
        'also break the overview down by this field [the first of source, category, subset, task in the rows]',
    },
    {
      name: 'by-file',
      type: 'boolean',
      about: 'treat rows of different files as different runs, even of the same judge and model',
    },
    {
      name: 'map',
      type: 'list',
      value: 'NAME=FIELD',
      about:
        'the field of the question, answer_a and answer_b (or answer), if the judge does not name it [found by common names]',
    },
    JUDGE_OPTION,
    {
      name: 'media',
      type: 'list',
      value: 'DIR',
      about:
        'put images into the page that rows name by paths in this folder, each up to 200 KB [their names]',
    },
    {
      name: 'gate',
      type: 'number',
      value: 'X',
      about:
        'of a run in random order (jb-render --shuffle): after how many items it was decided that its mean is at least X, or below',
    },
    CI_OPTION,
    ...SCORE_OPTIONS,
  ],
  notes: [
    'Rows of all stages can be mixed: items, trials, replies, verdicts and results. Trials are scored first; a result whose trials are in the rows as well counts once. Rows that repeat or contradict others count as in jb-aggregate. A page has at most 500 runs.',
    'The page contains everything in the rows, including prompts and user data: check it before you share it. It loads nothing, sends nothing, and runs no code from rows.',
  ],
  main: ['output', 'text', 'item', 'by', 'by-file', 'map', 'label', 'media'],
  headings: {
    'How trials become results': ['combine', 'tie', 'criteria', 'compat', 'ci'],
    Output: ['gate'],
  },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75],
} as const satisfies FilterSpec

export type ViewOptions = OptionsOf<typeof spec>
