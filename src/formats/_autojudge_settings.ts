/** The options of autojudge. */
import { ignoredOptions } from '../options/ignored.ts'
import type { Context } from '../rows/stage.ts'

type Per = 'response' | 'topic' | 'pair'

export interface Settings {
  check?: string
  strict?: boolean
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
  unknownTopics: string
  whole?: boolean
  /** Fields to leave out of items of responses. */
  without: string[]
  badRows: string
}

/** Options of items, which --check does not make. */
const OF_ITEMS = ['nuggets', 'qrels', 'per', 'topic', 'run', 'limit-topics', 'limit-runs']
/** Options of items that hold one response. */
const OF_RESPONSES = ['whole', 'without']

/** Reports options without effect. @param per undefined with --check @throws Fatal (usage) */
export function checkUsed(settings: Settings, per: Per | undefined, context: Context): void {
  if (per === undefined) {
    const why = '--check reports problems of all responses, and makes no items'
    ignoredOptions([...OF_ITEMS, ...OF_RESPONSES], settings, why, context)
  } else if (per !== 'response')
    ignoredOptions(OF_RESPONSES, settings, `it is for an item of each response, not of each ${per}`, context)
  if (settings.nuggets === undefined)
    ignoredOptions(['bank'], settings, 'it is the format of --nuggets', context)
}
