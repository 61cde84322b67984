import { JUDGE_OPTION, OUTPUT_OPTION } from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { ORIGINALS } from '../../rows/record.ts'

export const spec = {
  name: 'jb-parse',
  about: 'reads the verdict in each reply',
  operands: '[FILE…]',
  examples: [
    { about: 'read what a judge said', command: 'jb-parse replies.ndjson > verdicts.ndjson' },
    {
      about: 'read again, by the rule of an original, without a call',
      command: 'jb-parse --compat judgebench replies.ndjson | jb-aggregate',
    },
    { about: 'see how a reply is read', command: 'jb-parse --explain --judge mine.yaml replies.ndjson' },
    {
      about: 'replies of your own that no jb-call made',
      command: 'jb-parse --judge arena_hard --text judgment old.jsonl',
    },
  ],
  options: [
    OUTPUT_OPTION,
    {
      ...JUDGE_OPTION,
      about:
        'a judge file that rows may name (repeatable; JB_JUDGE=a.yaml:b.mjs); one alone also reads rows whose own judge is missing, unknown or a bare prompt, and a built-in one every row',
    },
    {
      name: 'text',
      type: 'string',
      value: 'FIELD',
      about: 'the reply is in this field (dotted path)',
    },
    {
      name: 'pick',
      type: 'string',
      choices: ['last', 'first', 'only'],
      about:
        'which of several verdicts in a reply counts: the last (two on its line are a conflict), the first, or none if they differ',
    },
    {
      name: 'compat',
      type: 'string',
      choices: [...ORIGINALS, 'none'],
      about:
        'read exactly as that original does, oddities included; failures are still counted; none: as jb does [the rows’ jb.compat]',
    },
    {
      name: 'fallback',
      type: 'number',
      value: 'N',
      about: 'grades: the score of a reply without one, or with one out of range; still counted as a failure',
    },
    { name: 'id', type: 'string', value: 'FIELD', about: 'with --text: the field that tells items apart' },
    {
      name: 'explain',
      type: 'number',
      value: '[N]',
      bare: '1',
      min: 1,
      integer: true,
      about:
        'print how the first row is read (or the first N) instead: what is left out, which pattern matches where, why it fails',
    },
  ],
  notes: [
    'A row is read by the judge it names: a built-in one, or a file that --judge names. No other file is opened for a row: it fails with unknown_judge, and the message says what to add. With --text, --judge reads every row.',
    'A reply is read in the form that its judge asks for, without its <think> part; the last match counts, one in a quotation only if there is no other, and a reply that was cut short has none (docs/judges.md: how a reply is read). A reply without a verdict is a failed row (no_verdict, conflict, truncated, refused), never a tie or a zero.',
  ],
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
} as const satisfies FilterSpec

export type ParseOptions = OptionsOf<typeof spec>
