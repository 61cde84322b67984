/** Options for leaderboards, qrels and nugget banks. */
import type { FilterSpec, Option, OptionsOf } from '../options/option.ts'
import { LEADERBOARD_FORMATS } from './columns.ts'
import { MISSING } from './leaderboard.ts'
import { DUPLICATES } from './qrels.ts'

/** What a leaderboard or qrels are checked against. */
export const EXPECTED_TOPICS = {
  name: 'topics',
  type: 'string',
  value: 'FILE',
  about: 'the expected topics; missing and extra ones are reported',
} as const satisfies Option

/** The form of a nugget bank that is read. */
export const BANK_READ = {
  name: 'bank',
  type: 'string',
  value: 'FORMAT',
  about:
    'the nugget bank is argue, nuggetizer, ragtime26, or what this small file describes [found by its keys]',
} as const satisfies Option

/** The form of a nugget bank that is written. */
export const BANK = {
  name: 'bank',
  type: 'string',
  value: 'FORMAT',
  about: 'argue, nuggetizer, ragtime26, or the form that this small file describes [the input’s, else argue]',
} as const satisfies Option

const MEASURE = {
  name: 'measure',
  type: 'list',
  value: 'NAME',
  about: 'only this measure',
} as const satisfies Option

const MISSING_OPTIONS = [
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
] as const satisfies readonly Option[]

const DROP_AGGREGATE = {
  name: 'drop-aggregate',
  type: 'boolean',
  about: 'compute the "all" rows from the topics, also if the input has them',
} as const satisfies Option

/** Of what compares leaderboards. */
export const BOARD_OPTIONS = [
  { ...MEASURE, about: 'only this measure of the input' },
  ...MISSING_OPTIONS,
  DROP_AGGREGATE,
] as const satisfies readonly Option[]

/** Of what makes values of judged rows. */
const VALUE_OPTIONS = [
  EXPECTED_TOPICS,
  {
    ...MEASURE,
    about: 'only this measure; LENGTH (words) and RANDOM are computed from the item and need no judge',
  },
  {
    name: 'set',
    type: 'list',
    value: 'KEY=VALUE',
    about: 'a value that the judge’s measures name, such as a threshold',
  },
  ...MISSING_OPTIONS,
] as const satisfies readonly Option[]

/** Of leaderboards, written. */
export const LEADERBOARD_OPTIONS = [...VALUE_OPTIONS, DROP_AGGREGATE] as const satisfies readonly Option[]

/** Of qrels, written. */
export const QRELS_OPTIONS = [
  ...VALUE_OPTIONS,
  {
    name: 'doc',
    type: 'string',
    choices: ['md5', 'run'],
    default: 'md5',
    about: 'the document id of a response: the MD5 of its text, or its run',
  },
  {
    name: 'duplicates',
    type: 'string',
    choices: DUPLICATES,
    default: 'keep_max',
    about: 'which of two grades for one document to keep',
  },
] as const satisfies readonly Option[]

/** `--from`, where the format is found by the place of `all`. @param what what is in that format */
export const fromOption = <const N extends string>(name: N, what: string, choices: readonly string[]) =>
  ({
    name,
    type: 'string',
    choices,
    about: `the format of ${what} [detected by the column of \`all\`]`,
  }) as const satisfies Option

/** `--header`, of leaderboards that are read. */
export const HEADER = {
  name: 'header',
  type: 'string',
  choices: ['auto', 'yes', 'no'],
  default: 'auto',
  about: 'whether line 1 of a leaderboard names the columns',
} as const satisfies Option

/** Formats of files with values of runs. */
export const BOARD_FORMATS = [...LEADERBOARD_FORMATS, 'qrels']

export interface BoardSettings extends OptionsOf<FilterSpec<typeof BOARD_OPTIONS>> {
  header?: string
  /** `autojudge`: NaN is a value. */
  compat?: string
}

/** What measures are made of, and what stands for missing values. */
export interface ValueSettings extends OptionsOf<FilterSpec<typeof VALUE_OPTIONS>> {
  dropAggregate?: boolean
  /** The judge files that rows may name. */
  judge?: string[]
  [more: string]: unknown
}

export type QrelsSettings = OptionsOf<FilterSpec<typeof QRELS_OPTIONS>> & ValueSettings
