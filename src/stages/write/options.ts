import { formatMembers } from '../../formats/_format.ts'
import { JUDGE_OPTION, OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { SCORE_OPTIONS } from '../../scoring/options.ts'

export const spec = {
  name: 'jb-write',
  about: 'writes rows as another program’s file or table, the way back of jb-read',
  operands: 'FORMAT [FILE…]',
  positional: ['FORMAT'],
  members: formatMembers('write'),
  standalone: ['list'],
  examples: [
    { about: 'what JudgeBench prints', command: 'jb-write judgebench verdicts.ndjson' },
    {
      about: 'from a spreadsheet to a spreadsheet: the same lines with columns added',
      command:
        'jb-read csv pairs.csv | jb-render vanilla | jb-call -m gpt-6-luna | jb-parse |\n    jb-write csv --bom > judged.csv',
    },
    { about: 'a TREC leaderboard', command: 'jb-write trec --topics topics.jsonl verdicts.ndjson' },
    { about: 'list the formats', command: 'jb-write --list' },
  ],
  options: [
    { name: 'list', type: 'boolean', about: 'list the formats, one a line' },
    ...SCORE_OPTIONS,
    JUDGE_OPTION,
    OUTPUT_OPTION,
  ],
  notes: [
    'Trials are scored first, as jb-score does, and an item counts once: a repeat with the same reply is left out, one with another reply fails the item (conflict). Gates are in jb-aggregate (`jb-aggregate --expect pairs.jsonl --fail-under 0.6`), and in the formats for CI, junit and github.',
  ],
  main: ['list', 'combine', 'label', 'judge', 'output'],
  headings: { 'How trials become results': ['label-map', 'tie', 'criteria', 'compat'] },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
  measures: true,
} as const satisfies FilterSpec

export type WriteOptions = OptionsOf<typeof spec>
