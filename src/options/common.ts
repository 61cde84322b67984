/** Options of all or several filters. */
import type { Option } from './option.ts'

/** Options every filter has. */
export const COMMON = [
  {
    name: 'bad-rows',
    type: 'string',
    choices: ['stop', 'skip', 'pass'],
    default: 'stop',
    about: 'a line that is not a JSON object: stop (exit 65), skip it, or pass it on as a row with jb.error',
  },
  { name: 'strict', type: 'boolean', about: 'stop at the first row that fails (exit 1)' },
  {
    name: 'quiet',
    short: 'q',
    type: 'boolean',
    about: 'no summary, no progress, only errors that end the run',
  },
  { name: 'verbose', short: 'v', type: 'boolean', about: 'a summary also when nothing failed' },
  {
    name: 'progress',
    type: 'string',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    about: 'a bar on stderr; auto: on a terminal (elsewhere jb-call writes a line every 30 s)',
  },
  {
    name: 'color',
    type: 'string',
    choices: ['auto', 'always', 'never'],
    default: 'auto',
    about: 'colours; auto: on a terminal without NO_COLOR',
  },
  { name: 'debug', type: 'boolean', about: 'stack traces in errors' },
  { name: 'help', short: 'h', type: 'boolean', about: 'examples, and the options that matter most' },
  { name: 'help-all', type: 'boolean', about: 'every option, with notes' },
  { name: 'version', type: 'boolean', about: 'the version' },
] as const satisfies readonly Option[]

export const OUTPUT_OPTION = {
  name: 'output',
  short: 'o',
  type: 'string',
  value: 'FILE',
  noEnv: true,
  about: 'write to this file, completely or not at all',
} as const satisfies Option

export const CI_OPTION = {
  name: 'ci',
  type: 'number',
  value: 'LEVEL',
  default: 0.95,
  min: 0.5,
  max: 0.9999,
  about: 'level of the confidence intervals',
} as const satisfies Option

/** `--bootstrap N`. @param what its help text */
export const bootstrapOption = (what: string) =>
  ({
    name: 'bootstrap',
    type: 'number',
    value: 'N',
    default: 0,
    min: 0,
    max: 1_000_000,
    integer: true,
    about: what,
  }) as const satisfies Option

export const SEED_OPTION = {
  name: 'seed',
  type: 'string',
  value: 'TEXT',
  default: '0',
  about: 'seed of the resamples',
} as const satisfies Option

export const ID_OPTION = {
  name: 'id',
  type: 'string',
  value: 'FIELD',
  about: 'the field that identifies items [jb.item, else pair_id, question_id, id, uid, idx]',
} as const satisfies Option

/** `--partial` and `--merge`. @param report what the filter writes without them */
export const shardOptions = (report: string) =>
  [
    {
      name: 'partial',
      type: 'boolean',
      about: `write sums that can be merged instead of a ${report}`,
    },
    { name: 'merge', type: 'boolean', about: 'the input is what --partial wrote' },
  ] as const satisfies readonly Option[]

/** `--format` of a report. @param each what one line of it describes */
export const formatOption = (each: string) =>
  ({
    name: 'format',
    type: 'string',
    choices: ['json', 'table', 'csv', 'tsv', 'markdown'],
    about: `table on a terminal, else json: one object a ${each}, one a line`,
  }) as const satisfies Option

/** The field of --cluster; undefined if each item is its own cluster. */
export const clusterField = ({ cluster }: { cluster: string }): string | undefined =>
  cluster === 'item' || cluster === 'none' ? undefined : cluster

/** `--judge` of the filters that need the judge files that rows name. */
export const JUDGE_OPTION = {
  name: 'judge',
  type: 'list',
  value: 'JUDGE',
  separator: ':',
  about:
    'a judge file that rows may name (repeatable; JB_JUDGE=a.yaml:b.mjs): for one that you did not render with, that has changed since, or that is code',
} as const satisfies Option

/** `--rescale LOW,HIGH`. @param what whose numbers are taken to which scale */
export const rescaleOption = (what: string) =>
  ({ name: 'rescale', type: 'string', value: 'LOW,HIGH', dash: true, about: what }) as const satisfies Option
