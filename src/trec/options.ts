/** Options of jb-score and jb-aggregate for leaderboards, qrels, nugget banks and meta-evaluation. */
import type { Option } from '../options/option.ts'
import { LEADERBOARD_FORMATS } from './columns.ts'
import { MISSING } from './leaderboard.ts'
import { DUPLICATES } from './qrels.ts'

const TOPICS = {
  name: 'topics',
  type: 'string',
  value: 'FILE',
  about: 'trec, qrels, nuggets: the topics that are expected: those that are missing or extra are reported',
} as const

const BANK = {
  name: 'bank',
  type: 'string',
  value: 'FORMAT',
  about:
    'nuggets: write argue, nuggetizer, ragtime26, or what this small file describes [argue, or the form it was read in]',
} as const

export const BANK_OPTIONS = [TOPICS, BANK] as const satisfies readonly Option[]

export const TREC_OPTIONS = [
  TOPICS,
  BANK,
  {
    name: 'measure',
    type: 'list',
    value: 'NAME',
    about: 'trec, qrels: only this measure; LENGTH (words) and RANDOM are of the item and need no judge',
  },
  {
    name: 'set',
    type: 'list',
    value: 'KEY=VALUE',
    about: 'trec, qrels: a value the judge’s measures name, such as a threshold',
  },
  {
    name: 'on-missing',
    type: 'string',
    choices: MISSING,
    default: 'warn',
    about:
      'a run and topic without a value is left out with a warning, left out (skip), written as --default, counted as --default in the "all" rows alone (fix_aggregate), or ends the run (error, exit 65)',
  },
  { name: 'default', type: 'number', value: 'X', default: 0, about: 'what a missing value counts as' },
  {
    name: 'drop-aggregate',
    type: 'boolean',
    about: 'leaderboards that come with "all" rows: compute them again from the topics',
  },
  {
    name: 'doc',
    type: 'string',
    choices: ['md5', 'run'],
    default: 'md5',
    about: 'qrels: a response is known by the MD5 of its text, or by its run',
  },
  {
    name: 'duplicates',
    type: 'string',
    choices: DUPLICATES,
    default: 'keep_max',
    about: 'qrels: of two grades for one document',
  },
] as const satisfies readonly Option[]

export const TRUTH_OPTIONS = [
  {
    name: 'truth',
    type: 'string',
    value: 'FILE',
    about: 'how the input’s leaderboards (or qrels, or judged rows) agree with this leaderboard (or qrels)',
  },
  {
    name: 'truth-from',
    type: 'string',
    choices: [...LEADERBOARD_FORMATS, 'qrels'],
    about: 'the format of --truth [found by the place of `all`]',
  },
  {
    name: 'from',
    type: 'string',
    choices: [...LEADERBOARD_FORMATS, 'qrels'],
    about: 'with --truth: the format of the input files [found by the place of `all`]',
  },
  {
    name: 'header',
    type: 'string',
    choices: ['auto', 'yes', 'no'],
    default: 'auto',
    about: 'with --truth: whether line 1 of a leaderboard names the columns',
  },
  {
    name: 'correlation',
    type: 'list',
    value: 'NAME',
    about:
      'with --truth: kendall, pearson, spearman, tauap_b, tau_gap, each also NAME@K (the top K by truth) or NAME_per_topic; coverage; bland_altman [kendall, pearson, spearman, tauap_b, tau_gap, kendall@10]',
  },
  {
    name: 'truth-measure',
    type: 'list',
    value: 'NAME',
    about: 'with --truth: only this measure of the truth (--measure: of the input)',
  },
  { name: 'run', type: 'list', value: 'ID', about: 'with --truth: only these runs' },
  {
    name: 'only-shared-runs',
    type: 'boolean',
    about: 'with --truth: only the runs both sides have',
  },
  {
    name: 'aggregate',
    type: 'boolean',
    about: 'with --truth: one row, the mean of every figure over all pairs of measures and all files',
  },
  {
    name: 'diagnostics-dir',
    type: 'string',
    value: 'DIR',
    about: 'with --truth: also write here what each method compared, run by run',
  },
  {
    name: 'only-topic',
    type: 'list',
    value: 'ID',
    about: 'with --truth: only these topics, "all" computed again',
  },
  {
    name: 'only-shared-topics',
    type: 'boolean',
    about: 'with --truth: only the topics both sides have, "all" computed again',
  },
  {
    name: 'range',
    type: 'list',
    value: 'NAME=LOW:HIGH',
    about: 'with bland_altman: the range of a measure, truth’s or the judge’s; *=LOW:HIGH is every other’s',
  },
  {
    name: 'relevant',
    type: 'string',
    value: 'N[,M]',
    default: '1',
    about: 'with qrels as --truth: relevant from this grade on, in the truth and (M) in the judge’s',
  },
  {
    name: 'max-grade',
    type: 'string',
    value: 'N[,M]',
    default: '1',
    about:
      'with qrels as --truth: grades go from 0 to this, in the truth and (M) in the judge’s; others are clipped',
  },
  {
    name: 'default-grade',
    type: 'number',
    value: 'N',
    min: 0,
    integer: true,
    default: 0,
    about: 'with qrels as --truth: the grade of a document that only one side has',
  },
] as const satisfies readonly Option[]
