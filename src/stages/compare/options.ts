import { labelFileOptions } from '../../formats/_label_file.ts'
import {
  bootstrapOption,
  CI_OPTION,
  formatOption,
  ID_OPTION,
  OUTPUT_OPTION,
  rescaleOption,
  SEED_OPTION,
} from '../../options/common.ts'
import type { FilterSpec, OptionsOf } from '../../options/option.ts'
import { MIN_COMMON } from '../../scoring/difference_gate.ts'
import { COMPAT_OPTION, TIE_OPTION, UNTIL_OPTIONS } from '../../scoring/options.ts'

export const spec = {
  name: 'jb-compare',
  about: 'compares runs on the same items: which is better, and how sure that is',
  operands: '[[NAME=]FILE…]',
  input: 'files',
  namedFiles: true,
  examples: [
    { about: 'two runs, a file each', command: 'jb-compare old=before.ndjson new=after.ndjson' },
    {
      about: 'judges and models of one stream',
      command: 'cat a.ndjson b.ndjson | jb-compare --format table',
    },
    {
      about: 'in CI: exit 1 if the new run is worse beyond chance and by 2 points',
      command: 'jb-compare last-week.ndjson today.ndjson --fail-worse 0.02',
    },
    {
      about: 'the items on which they differ',
      command: "jb-compare old.ndjson new.ndjson --show flips | jq -c '.jb.runs'",
    },
    {
      about: 'which of several prompts to take, by few labels, and how good it really is',
      command: 'jb-compare now=a.ndjson short=b.ndjson cot=c.ndjson --choose accuracy',
    },
    {
      about: 'what people would say, by their labels of some items of each run',
      command: 'jb-compare old=a.ndjson new=b.ndjson --truth labels.csv',
    },
    {
      about: 'rows of any program',
      command: 'jb-compare a.jsonl b.jsonl --value score --id question_id --cluster document',
    },
  ],
  options: [
    {
      name: 'run',
      type: 'string',
      value: 'FIELD',
      about:
        'each value of this field is a run [each file is one; in one file or stream, each version of a judge and model]',
    },
    {
      name: 'against',
      type: 'string',
      value: 'NAME',
      about: 'compare each run with this one [every two runs]',
    },
    {
      name: 'choose',
      type: 'string',
      choices: ['accuracy', 'balanced'],
      about:
        'name the run that is best on the labelled items, and its worth once the choice is allowed for; of grades a threshold',
    },
    {
      name: 'value',
      type: 'string',
      value: 'FIELD',
      about:
        'a number or boolean of plain rows [of results: correct with labels, else the score, else the first answer’s share]',
    },
    ID_OPTION,
    {
      name: 'duplicates',
      type: 'string',
      choices: ['stop', 'mean'],
      default: 'stop',
      about:
        'an id several times in a run, with other outcomes: stop (exit 65), or take the samples’ mean and report their spread (the first row of each trial is of the first sample, the second of the second)',
    },
    {
      name: 'differ',
      type: 'list',
      choices: ['orders', 'samples', 'criteria', 'questions'],
      about:
        'what may differ between runs, which otherwise ends the run (exit 65): the orders, samples or criteria of the judge; questions: an item’s question, label or answers (the two exchanged)',
    },
    rescaleOption('grades of judges with different scales: each is taken to this one, end to end'),
    {
      name: 'cluster',
      type: 'string',
      value: 'FIELD|item|none',
      default: 'item',
      about: 'items with the same value of this field belong together: errors by cluster',
    },
    { name: 'by', type: 'list', value: 'FIELD', about: 'also for each value of this field' },
    {
      name: 'exact',
      type: 'boolean',
      about:
        'the exact McNemar test instead of mid-p; for up to 20 scores all sign flips instead of t (refused for more)',
    },
    bootstrapOption('intervals and p from N resamples of the items (or clusters); 0: closed forms'),
    {
      name: 'truth',
      type: 'list',
      value: 'FIELD|[NAME=]FILE',
      about:
        'people’s labels of some items: a field, a file for each run, or one of rows with `run`; the difference is then what people would see (PPI++)',
    },
    ...labelFileOptions('--truth'),
    SEED_OPTION,
    CI_OPTION,
    {
      name: 'show',
      type: 'string',
      choices: ['flips', 'missing'],
      about:
        'items with each run’s outcome, instead of figures: those on which runs differ, or that some run lacks',
    },
    {
      name: 'fail-worse',
      type: 'number',
      value: 'D',
      min: 0,
      about:
        'exit 1 if b is worse than a, the base, beyond chance and by more than D (of right or wrong: a share, 0.02 is 2 points)',
    },
    {
      name: 'fail-unless-level',
      type: 'number',
      value: 'D',
      min: 0,
      about: 'exit 1 unless the interval of b − a excludes a loss of D (b is not inferior)',
    },
    {
      name: 'min-common',
      type: 'number',
      value: 'R',
      min: 0,
      max: 1,
      default: MIN_COMMON,
      about:
        'with either: exit 1 if a smaller share of the base’s items has an outcome in both runs; with --choose: exit 65 if a run has a smaller share of the labelled items',
    },
    {
      name: 'margin',
      type: 'number',
      value: 'D',
      min: 0,
      about: 'the verdict is `level` if a true difference of D is excluded',
    },
    ...UNTIL_OPTIONS,
    formatOption('pair'),
    OUTPUT_OPTION,
    TIE_OPTION,
    COMPAT_OPTION,
  ],
  notes: [
    'Every difference is b − a. Of outcomes that are right or wrong: the paired difference of shares with Newcombe’s interval and McNemar’s mid-p test. Of scores: the mean difference with the paired t interval and test, and Wilcoxon’s signed-rank p and the sign test’s beside it. With --cluster: clustered standard errors. `p_holm` and `p_bh` adjust for several pairs (Holm; Benjamini and Hochberg).',
    'Every two of at most 200 runs are compared; --against has no limit.',
    'With --choose the run of --against, else the first file, is what you have. balanced: (sensitivity + specificity) / 2.',
    'An item that failed or is missing in one run is left out of both and counted. `bounds` are the smallest and the largest difference that is possible with them. `mde` is the true difference that would be significant in four of five cases (power 0.8) with so many items, `items_needed` the items needed for the difference seen (by the power of the test itself). Resamples of fewer than 100 items also give `ci_bca` (bias-corrected, accelerated). Items that jb-render --probe changed are left out. Without items in common the exit code is 1.',
  ],
  main: ['run', 'against', 'choose', 'value', 'id', 'by', 'show', 'fail-worse', 'format', 'output'],
  headings: {
    Statistics: ['truth', 'margin', 'cluster', 'exact', 'bootstrap', 'seed', 'ci'],
    'How trials become results': ['label', 'label-map', 'item', 'tie', 'duplicates', 'rescale', 'compat'],
    'Deciding early': ['until', 'about', 'range', 'shuffled'],
    Gate: ['fail-unless-level', 'min-common'],
  },
  exitCodes: [0, 1, 2, 65, 66, 70, 74, 75, 78],
  measures: true,
} as const satisfies FilterSpec

export type CompareOptions = OptionsOf<typeof spec>
