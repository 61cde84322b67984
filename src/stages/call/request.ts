/** The parameters of a row's request, with those of the command line. */
import { KEY_ADVICE, looksLikeKey } from '../../files/api_key.ts'
import { assignment } from '../../options/option.ts'
import { jsonText, type Params, parsed } from '../../providers/_params.ts'
import { RowFailure, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { checkParameters } from './allowed.ts'
import type { CallOptions } from './options.ts'

/** The parameters given as options; an empty text removes one from requests. */
export function overridesOf(options: CallOptions): Params {
  const overrides: Params = new Map()
  if (options.temperature !== undefined) overrides.set('temperature', jsonText(options.temperature))
  if (options.maxTokens !== undefined) overrides.set('max_tokens', jsonText(options.maxTokens))
  for (const text of options.param) {
    const [key, value] = assignment(text, '--param', 'KEY=JSON')
    refuseParam(key, value)
    const given = value === '' ? '' : paramText(value, key)
    // What stands in quotation marks is meant as a text.
    if (NUMBERS.has(key) && /^[^"]/.test(value) && typeof parsed(given) === 'string')
      throw usageError(`--param ${key}: expected a number, not "${value}"`)
    const before = overrides.get(key)
    if (before !== undefined && before !== given)
      throw usageError(`${key} is given twice, as ${before} and as ${value}: give it once`)
    overrides.set(key, given)
  }
  return overrides
}

/** @throws Fatal (usage) for a key of an API, and for what other options say */
function refuseParam(key: string, value: string): void {
  if (looksLikeKey(value.replaceAll('"', '')))
    throw usageError(`--param ${key}: its value looks like a key: ${KEY_ADVICE}`)
  if (key === 'n' && isMany(value)) throw usageError(`--param n: ${MANY_ANSWERS}`)
  if (key === 'model') throw usageError('--param model: use -m')
  if (key === 'stream') throw usageError('--param stream: replies are read whole')
}

/** Parameters that are numbers in every API. */
const NUMBERS = new Set([
  ...['temperature', 'top_p', 'top_k', 'min_p', 'max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ...['seed', 'n', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'top_logprobs'],
])

/** Of `n` answers a row could hold one, and all would be paid for. */
const MANY_ANSWERS = 'a row has one reply: jb-render --samples N makes rows for more'
const isMany = (n: string) => n.trim() !== '' && !(Number(n.replaceAll('"', '')) <= 1)

/** The overrides as a JSON object, with null for one that removes its parameter; undefined without any. */
export function jsonOfOverrides(overrides: Params): string | undefined {
  const members = [...overrides]
    .filter(([key]) => !ASKED.includes(key))
    .map(([key, value]) => `${jsonText(key)}:${value === '' ? 'null' : value}`)
  return members.length === 0 ? undefined : `{${members.join(',')}}`
}

/** Members of a request that are no parameters. */
const ASKED = ['messages', 'prompt']

/** The JSON as given, because a seed may exceed 2^53; a plain word is a string: `--param stop=END`. */
function paramText(text: string, key: string): string {
  try {
    JSON.parse(text)
    return text.trim()
  } catch (error) {
    if (/^\s*[[{"]/.test(text))
      throw usageError(`--param ${key}: not valid JSON: ${(error as Error).message}`)
    return jsonText(text)
  }
}

/**
 * The parameters of a row's request, overridden, and separately its model, if any.
 * @throws RowFailure missing_field if there is no request, or it has no messages and no prompt
 */
export function paramsOf(row: Row, overrides: Params): { params: Params; model?: string } {
  const request = row.get('request')
  if (request === undefined)
    throw new RowFailure(
      'missing_field',
      row.has('result')
        ? 'a result of jb-score has no request any more: give the rows of jb-render'
        : 'no jb.request in the row (jb-render adds it)',
    )
  const params: Params = new Map()
  let model: string | undefined
  for (const [key, value] of Object.entries(request)) {
    if (key === 'model') model = String(value ?? '') || undefined
    else if (key !== 'stream') params.set(key, exactText(key, value))
  }
  checkParameters(params, overrides)
  for (const [key, value] of overrides)
    if (value.length > 0) params.set(key, value)
    else params.delete(key)
  fitSample(row, params)
  const messages = params.get('messages')
  if (!messages && !params.has('prompt'))
    throw new RowFailure('missing_field', 'jb.request has neither "messages" nor "prompt"')
  if (messages && (messages[0] !== '[' || messages.length < 3))
    throw new RowFailure('missing_field', 'jb.request.messages must be a list that is not empty')
  return { params, model }
}

/** JSON of a parameter of a row. @throws RowFailure bad_request for a whole number whose digits were lost as it was read */
function exactText(key: string, value: unknown): string {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RowFailure(
      'bad_request',
      `"${key}" is a whole number beyond 2^53: give it with --param ${key}=`,
    )
  return jsonText(value)
}

/** Gives each sample a seed of its own. @throws RowFailure bad_request if one request is to have several answers */
function fitSample(row: Row, params: Params): void {
  const n = params.get('n')
  if (n !== undefined && n !== 'null' && isMany(n))
    throw new RowFailure('bad_request', `"n": ${n} in the request: ${MANY_ANSWERS}`)
  const sample = row.get('trial')?.sample
  if (Number.isSafeInteger(sample)) addToSeed(params, sample!)
}

/** Adds a number to an integer seed: the same seed would give each sample the same reply. */
export function addToSeed(params: Params, number: number): void {
  const seed = params.get('seed')
  if (seed !== undefined && /^-?\d+$/.test(seed)) params.set('seed', String(BigInt(seed) + BigInt(number)))
}
