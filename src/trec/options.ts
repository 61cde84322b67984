/** Options of jb-score and jb-aggregate for leaderboards, qrels, nugget banks and meta-evaluation. */
import type { FilterSpec, Option, OptionsOf } from '../options/option.ts'
import { LEADERBOARD_FORMATS } from './columns.ts'
import { MISSING } from './leaderboard.ts'
import { DUPLICATES } from './qrels.ts'

const TOPICS = {
  name: 'topics',
  type: 'string',
  value: 'FILE',
  about: 'trec, qrels, nuggets: the expected topics; missing and extra ones are reported',
} as const

const BANK = {
  name: 'bank',
  type: 'string',
  value: 'FORMAT',
  about:
    'nuggets: write argue, nuggetizer, ragtime26, or the format that this file describes [the input’s, else argue]',
} as const

export const BANK_OPTIONS = [TOPICS, BANK] as const satisfies readonly Option[]

export const TREC_OPTIONS = [
  TOPICS,
  BANK,
  {
    name: 'measure',
    type: 'list',
    value: 'NAME',
    about:
      'trec, qrels: only this measure; LENGTH (words) and RANDOM are computed from the item and need no judge',
  },
  {
    name: 'set',
    type: 'list',
    value: 'KEY=VALUE',
    about: 'trec, qrels: a value that the judge’s measures name, such as a threshold',
  },
  {
    name: 'on-missing',
    type: 'string',
    choices: MISSING,
    default: 'warn',
    about:
      'a run and topic without a value: leave it out with a warning (warn) or without (skip), write it as --default (default), count it as --default in the "all" rows only (fix_aggregate), or stop (error, exit 65)',
  },
  {
    name: 'default',
    type: 'number',
    value: 'X',
    default: 0,
    about: 'the value for missing ones, see --on-missing',
  },
  {
    name: 'drop-aggregate',
    type: 'boolean',
    about: 'compute the "all" rows from the topics, also if the input has them',
  },
  {
    name: 'doc',
    type: 'string',
    choices: ['md5', 'run'],
    default: 'md5',
    about: 'qrels: the document id of a response: the MD5 of its text, or its run',
  },
  {
    name: 'duplicates',
    type: 'string',
    choices: DUPLICATES,
    default: 'keep_max',
    about: 'qrels: which of two grades for one document to keep',
  },
] as const satisfies readonly Option[]

export const TRUTH_OPTIONS = [
  {
    name: 'truth',
    type: 'string',
    value: 'FILE',
    about:
      'report how the input (leaderboards, qrels or judged rows) agrees with this leaderboard (or qrels)',
  },
  {
    name: 'truth-from',
    type: 'string',
    choices: [...LEADERBOARD_FORMATS, 'qrels'],
    about: 'the format of --truth [detected by the column of `all`]',
  },
  {
    name: 'from',
    type: 'string',
    choices: [...LEADERBOARD_FORMATS, 'qrels'],
    about: 'with --truth or --as spread: the format of the input files [detected by the column of `all`]',
  },
  {
    name: 'header',
    type: 'string',
    choices: ['auto', 'yes', 'no'],
    default: 'auto',
    about: 'with --truth or --as spread: whether line 1 of a leaderboard names the columns',
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
  { name: 'only-shared-runs', type: 'boolean', about: 'with --truth: only runs that both sides have' },
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
    about: 'with --truth: only these topics; "all" is computed from them',
  },
  {
    name: 'only-shared-topics',
    type: 'boolean',
    about: 'with --truth: only topics that both sides have; "all" is computed from them',
  },
  {
    name: 'range',
    type: 'list',
    value: 'NAME=LOW:HIGH',
    about: 'with bland_altman: the range of a measure of the truth or the judge; *=LOW:HIGH: of all others',
  },
  {
    name: 'relevant',
    type: 'string',
    value: 'N[,M]',
    default: '1',
    about: 'with qrels as --truth: the lowest relevant grade, in the truth and (M) in the judge’s qrels',
  },
  {
    name: 'max-grade',
    type: 'string',
    value: 'N[,M]',
    default: '1',
    about:
      'with qrels as --truth: the highest grade, in the truth and (M) in the judge’s qrels; others are clipped to 0 and it',
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

/** The values of these options, and of others of the filter. */
export interface TrecSettings extends OptionsOf<FilterSpec<typeof TREC_OPTIONS>> {
  /** The judge files that rows may name. */
  judge?: string[]
  header?: string
  maxErrorRate?: number
  /** `autojudge`: NaN is a value. */
  compat?: string
  [more: string]: unknown
}

export type TruthSettings = TrecSettings & OptionsOf<FilterSpec<typeof TRUTH_OPTIONS>> & { truth: string }
