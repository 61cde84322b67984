import { itemOption } from '../../formats/_label_file.ts'
import {
  CI_OPTION,
  formatOption,
  JUDGE_OPTION,
  OUTPUT_OPTION,
  rescaleOption,
  shardOptions,
} from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { GATE_OPTIONS } from '../../scoring/gates.ts'
import { SCORE_OPTIONS, UNTIL_OPTIONS } from '../../scoring/options.ts'

export const spec = {
  name: 'jb-aggregate',
  about: 'sums up results (or trials, which it scores first) in a report',
  operands: '[FILE…]',
  inPlace: ({ merge }: Record<string, unknown>) => merge === true,
  examples: [
    { about: 'a table on a terminal, JSON in a pipe', command: 'jb-aggregate verdicts.ndjson' },
    { about: 'one number', command: 'jb-aggregate verdicts.ndjson | jq .accuracy' },
    {
      about: 'in CI: exit 1 below 60 %, and where items are missing',
      command: 'jb-aggregate --expect pairs.jsonl --fail-under 0.6 verdicts.ndjson',
    },
    {
      about: 'shards on many machines',
      command:
        'jb-aggregate --partial a.ndjson > a.state\njb-aggregate --merge --expect pairs.jsonl a.state b.state',
    },
  ],
  options: [
    {
      name: 'by',
      type: 'list',
      value: 'FIELD',
      about:
        'also for each value of this field (dotted path) [the first of source, category, subset, task that is there]; none: only the whole; with --merge: of those that --partial had',
    },
    formatOption('judge and model'),
    OUTPUT_OPTION,
    CI_OPTION,
    ...SCORE_OPTIONS,
    {
      name: 'labels',
      type: 'string',
      value: 'FILE',
      about:
        'how each judge agrees with people’s labels in FILE (NDJSON, CSV; {"item", "label"} a row, as the page of jb-view writes them; --label names the column): kappa, confusion, the items they differ on',
    },
    itemOption('--labels'),
    rescaleOption("with --labels: the scale of people's grades, where it is not the judge's"),
    {
      name: 'expect',
      type: 'string',
      value: 'N|FILE',
      about:
        'how many items there should be, or the file that holds them: missing ones are named and count as failed; exit 1 if some are missing, or others are there',
    },
    {
      name: 'id',
      type: 'string',
      value: 'FIELD',
      about: 'with --expect FILE: the field that jb-render --id named',
    },
    {
      name: 'cluster',
      type: 'string',
      value: 'FIELD',
      about:
        'items with the same value of this field belong together: intervals and p by cluster; give it to --partial, --merge takes it from there',
    },
    {
      name: 'common',
      type: 'boolean',
      about: 'of several judges: only the items that are valid for all of them (these are held in memory)',
    },
    ...GATE_OPTIONS,
    ...UNTIL_OPTIONS,
    JUDGE_OPTION,
    ...shardOptions('report'),
  ],
  notes: [
    'Every report says how many items there are, how many are valid, and how many failed of which code. Failed items are counted, never scored: shares and means are over the valid ones. A report without one valid item ends with exit code 1, and so does one where some judge and model has none: it has no accuracy then, not 0 %. Items that jb-render --probe changed are left out: jb-audit reads them.',
    'An item (jb.item) counts once for each judge, version of the judge (jb.judge_digest) and model. A repeat with the same reply is left out; one with another reply, prompt, score, label or group (--by) makes the item fail (conflict), in one group, whatever the order of the rows. A failure that was tried again does not count, nor do its label and group. Where the rows of several trials differ in a field, that of the first trial (jb.trial.n) counts. An item that failed before it was asked of a model fails with each model of its judge that has no other row of it.',
    '--combine, --label, --tie and --criteria say how trials are scored. Rows that are scored already (those of jb-score, and --merge) refuse them on the command line; in the environment they are ignored with a note. A result whose label has changed in the row since it was scored makes the item fail (conflict): jb-score over the rows of jb-parse takes the new label.',
  ],
  main: [
    'by',
    'label',
    'format',
    'output',
    'compat',
    'expect',
    'max-error-rate',
    'fail-under',
    'until',
    'labels',
  ],
  headings: {
    'How trials become results': ['combine', 'label-map', 'tie', 'criteria', 'judge', 'common'],
    Report: ['cluster', 'ci', 'id', 'item', 'rescale'],
    'Deciding early': ['about', 'range', 'shuffled'],
    Shards: ['partial', 'merge'],
  },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
  measures: true,
} as const satisfies FilterSpec

export type AggregateOptions = OptionsOf<typeof spec>
