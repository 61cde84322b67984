/** Parts of a row's `jb`, checked. Rows come from anywhere: what is not as jb writes it fails its row. */
import { type Criterion, type Jb, type Reply, type Request, RowFailure, type Trial } from './record.ts'
import type { Row } from './row.ts'

/** @throws RowFailure missing_field */
export function trialOf(row: Row): Trial | undefined {
  const trial = row.get('trial')
  if (trial === undefined) return undefined
  if (!isObject(trial)) throw odd('trial', 'no object')
  const { options, answers, pair } = trial
  if (options !== undefined && !isList(options, isText)) throw odd('trial.options', 'no list of texts')
  if (answers !== undefined && !isCount(answers)) throw odd('trial.answers', 'no number of answers')
  if (pair !== undefined && !(isList(pair, Number.isInteger) && pair.length === 2))
    throw odd('trial.pair', 'not the two places of answers')
  return trial
}

/** @throws RowFailure missing_field */
export function criterionOf(row: Row): Criterion | undefined {
  const criterion = row.get('criterion')
  if (criterion === undefined) return undefined
  if (!isObject(criterion)) throw odd('criterion', 'no object')
  if (!isList(criterion.options, (one) => isObject(one) && isText((one as { name?: unknown }).name)))
    throw odd('criterion.options', 'no list of options that have names')
  return criterion
}

/** @throws RowFailure missing_field */
export function requestOf(row: Row): Request | undefined {
  const request = row.get('request')
  if (request === undefined) return undefined
  if (!isObject(request)) throw odd('request', 'no object')
  const { messages } = request
  if (messages !== undefined && !isList(messages, isObject))
    throw odd('request.messages', 'no list of messages')
  return request
}

/** The calls before this one, whose last reply has a text. @throws RowFailure missing_field */
export function chainOf(row: Row): NonNullable<Jb['chain']> {
  const chain = row.get('chain') ?? []
  if (!isList(chain, (one) => isText((one as { reply?: Partial<Reply> } | null)?.reply?.text)))
    throw odd('chain', 'no list of earlier replies')
  return chain
}

const odd = (where: string, what: string) => new RowFailure('missing_field', `jb.${where} is ${what}`)

const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value)
const isText = (value: unknown) => typeof value === 'string'
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const isList = (value: unknown, of: (one: unknown) => boolean) => Array.isArray(value) && value.every(of)
