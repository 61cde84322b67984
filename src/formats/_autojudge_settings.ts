/** The options of autojudge. */
import { ignoredOptions } from '../options/ignored.ts'
import type { Option } from '../options/option.ts'
import type { Context } from '../rows/stage.ts'
import { BANK_READ } from '../trec/options.ts'

export const AUTOJUDGE_OPTIONS = [
  {
    name: 'topics',
    type: 'string',
    value: 'FILE',
    about: 'the topics (JSONL, or a folder with queries.jsonl)',
  },
  {
    name: 'responses',
    type: 'string',
    value: 'DIR',
    about: 'the runs, all files of this folder, three levels deep; or name files after the format',
  },
  {
    name: 'nuggets',
    type: 'string',
    value: 'FILE',
    about: 'a nugget bank, a file or a folder',
  },
  BANK_READ,
  {
    name: 'qrels',
    type: 'string',
    value: 'FILE',
    about: 'grades to add to each topic',
  },
  {
    name: 'per',
    type: 'string',
    choices: ['response', 'topic', 'pair'],
    about: 'an item for each of these [response, or topic where there are none]',
  },
  { name: 'topic', type: 'list', value: 'ID', about: 'only these topics' },
  { name: 'run', type: 'list', value: 'ID', about: 'only these runs' },
  {
    name: 'limit-topics',
    type: 'number',
    value: 'N',
    min: 1,
    integer: true,
    about: 'only the first N topics',
  },
  {
    name: 'limit-runs',
    type: 'number',
    value: 'N',
    min: 1,
    integer: true,
    about: 'only the first N runs of the files',
  },
  {
    name: 'without',
    type: 'list',
    value: 'FIELD',
    about:
      'leave this field out of the items of responses, such as documents that no prompt shows (repeatable, or with commas)',
  },
  {
    name: 'whole',
    type: 'boolean',
    about: 'also each response as its file has it, under `response`',
  },
] as const satisfies readonly Option[]

type Per = 'response' | 'topic' | 'pair'

export interface Settings {
  topics?: string
  responses?: string
  nuggets?: string
  bank?: string
  qrels?: string
  per?: Per
  topic: string[]
  run: string[]
  limitTopics?: number
  limitRuns?: number
  whole?: boolean
  /** Fields to leave out of items of responses. */
  without: string[]
  badRows: string
}

/** Options of items that hold one response. */
const OF_RESPONSES = ['whole', 'without']

/** Reports options without effect. @throws Fatal (usage) */
export function checkUsed(settings: Settings, per: Per, context: Context): void {
  if (per !== 'response')
    ignoredOptions(OF_RESPONSES, settings, `it is for an item of each response, not of each ${per}`, context)
  if (settings.nuggets === undefined)
    ignoredOptions(['bank'], settings, 'it is the format of --nuggets', context)
}
