/**
 * Rule `calls`: compares the tool calls of a conversation with those that are expected. No model is asked:
 * `jb-parse --judge trajectory_match` reads rows without a reply.
 *
 * ```yaml
 * verdict:
 *   rule: calls
 *   of: messages                     # the item's field with the conversation
 *   reference: reference_messages    # that with a conversation to compare with, or a list of calls (name, arguments)
 *   mode: strict                     # strict: as many messages, of the same roles, each with the same calls in any order;
 *                                    # unordered: the same calls; subset: no call but expected ones; superset: all expected
 *                                    # calls, and others; f1: the harmonic mean of precision and recall
 *   arguments: exact                 # how arguments compare: exact (as JSON: order of keys and 1 or 1.0 are the same),
 *                                    # ignore, subset (each has its equal in the expected call), superset
 * ```
 * The score is 1 or 0, with f1 between them; without a call on either side it is 1. Each call has one partner, the first that
 * fits. The modes are those of openevals 0.2 (create_trajectory_match_evaluator). Arguments that are not JSON fail the row.
 */
import { type ChatMessage, messagesOf } from '../chat/message.ts'
import { valueOfJson } from '../chat/transcript.ts'
import { exactJson, writtenJson } from '../rows/exact_json.ts'
import {
  configError,
  isObject,
  type Json,
  type JsonObject,
  RowFailure,
  type Verdict,
} from '../rows/record.ts'
import { valueAt } from '../rows/value_at.ts'
import type { Rule } from './_rule.ts'

export const kinds = ['grade'] as const

/** Keys of `verdict` that this rule has. */
export const keys = ['of', 'reference', 'mode', 'arguments']

const MODES = ['strict', 'unordered', 'subset', 'superset', 'f1'] as const
const ARGUMENTS = ['exact', 'ignore', 'subset', 'superset'] as const

export const rule: Rule = (config, judge) => {
  const word = <W extends string>(key: string, words: readonly W[]): W => {
    const given = String(config[key] ?? words[0]) as W
    if (words.includes(given)) return given
    throw configError(`${judge.where}: verdict.${key} is "${given}", expected one of ${words.join(', ')}`)
  }
  const mode = word('mode', MODES)
  const fits = FITS[word('arguments', ARGUMENTS)]
  const [of, reference] = [config.of ?? 'messages', config.reference ?? 'reference_messages'].map(String)
  return (_text, context) => {
    const row = context.exact?.() ?? context.item()
    const field = (name: string) => judge.fields[name] ?? name
    const made = conversationIn(row, field(of!))
    const expected = conversationIn(row, field(reference!))
    const pairs = paired(callsOf(made), callsOf(expected), fits)
    return verdictOf(scored(mode, made, expected, pairs, fits), pairs)
  }
}

interface MadeCall {
  name: string
  /** The arguments, each as JSON with sorted keys, by name; without names under an empty one. */
  given: ReadonlyMap<string, string>
  key: string
}

interface Pairs {
  made: number
  expected: number
  /** Calls without a partner. */
  extra: MadeCall[]
  missing: MadeCall[]
}

type Fits = (made: MadeCall, expected: MadeCall) => boolean

const within = (one: MadeCall, other: MadeCall) =>
  [...one.given].every(([name, value]) => other.given.get(name) === value)

const FITS: Record<(typeof ARGUMENTS)[number], Fits> = {
  exact: (made, expected) => made.key === expected.key,
  ignore: () => true,
  subset: within,
  superset: (made, expected) => within(expected, made),
}

/** @throws RowFailure missing_field, bad_record */
function conversationIn(row: JsonObject, field: string): ChatMessage[] {
  const value = valueAt(row, field)
  if (value === undefined || value === null)
    throw new RowFailure('missing_field', `field "${field}" is missing`)
  const isCall = (one: Json) =>
    isObject(one) &&
    !('role' in one || 'content' in one || 'from' in one) &&
    ('name' in one || 'function' in one)
  const isCalls = Array.isArray(value) && value.length > 0 && value.every(isCall)
  try {
    return messagesOf(isCalls ? [{ role: 'assistant', content: null, tool_calls: value }] : value)
  } catch (error) {
    if (error instanceof RowFailure) error.message = `field "${field}": ${error.message}`
    throw error
  }
}

/** @throws RowFailure bad_record for arguments that are not JSON */
const callsOf = (messages: readonly ChatMessage[]): MadeCall[] =>
  messages.flatMap(({ n, calls }) =>
    calls.map(({ name, arguments: given }) => {
      const isText = typeof given === 'string' && given !== ''
      const value = isText
        ? valueOfJson(given, { parse: exactJson, stringify: writtenJson })
        : given === ''
          ? null
          : given
      if (value === undefined)
        throw new RowFailure('bad_record', `message ${n}: the arguments of ${name} are not JSON`)
      const entries = isObject(value) ? Object.entries(value) : value === null ? [] : [['', value] as const]
      const sorted = entries.map(([key, one]) => [key, canonical(one as Json)] as const).sort(byKey)
      return { name, given: new Map(sorted), key: JSON.stringify(sorted) }
    }),
  )

const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]) => (a[0] < b[0] ? -1 : 1)

/** JSON with sorted keys. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, one]) => [key, canonical(one)] as const)
  return `{${members
    .sort(byKey)
    .map(([key, one]) => `${JSON.stringify(key)}:${one}`)
    .join(',')}}`
}

/** Gives each call that was made the first expected one of its name that fits and has no other. */
function paired(made: readonly MadeCall[], expected: readonly MadeCall[], fits: Fits): Pairs {
  const open = new Map<string, MadeCall[]>()
  const keyOf = (call: MadeCall) => (fits === FITS.exact ? `${call.name}\n${call.key}` : call.name)
  for (const call of expected) {
    const calls = open.get(keyOf(call))
    if (calls) calls.push(call)
    else open.set(keyOf(call), [call])
  }
  const extra = made.filter((call) => {
    const calls = open.get(keyOf(call)) ?? []
    const at =
      fits === FITS.exact || fits === FITS.ignore
        ? calls.length - 1
        : calls.findIndex((one) => fits(call, one))
    if (at >= 0) calls.splice(at, 1)
    return at < 0
  })
  return { made: made.length, expected: expected.length, extra, missing: [...open.values()].flat() }
}

function scored(
  mode: (typeof MODES)[number],
  made: readonly ChatMessage[],
  expected: readonly ChatMessage[],
  { extra, missing, ...counts }: Pairs,
  fits: Fits,
): number {
  switch (mode) {
    case 'f1': {
      const all = counts.made + counts.expected
      return all === 0 ? 1 : (2 * (counts.made - extra.length)) / all
    }
    case 'subset':
      return Number(extra.length === 0)
    case 'superset':
      return Number(missing.length === 0)
    case 'unordered':
      return Number(extra.length + missing.length === 0)
    default:
      return Number(
        made.length === expected.length && made.every((message, i) => isSame(message, expected[i]!, fits)),
      )
  }
}

function isSame(made: ChatMessage, expected: ChatMessage, fits: Fits): boolean {
  const { extra, missing } = paired(callsOf([made]), callsOf([expected]), fits)
  return made.role === expected.role && extra.length + missing.length === 0
}

/** Calls that a reason names. */
const NAMED = 5

function verdictOf(score: number, { extra, missing }: Pairs): Verdict {
  const called = (calls: readonly MadeCall[]) => {
    const texts = calls
      .slice(0, NAMED)
      .map(({ name, given }) =>
        `${name}(${[...given].map(([key, value]) => (key ? `${key}: ${value}` : value)).join(', ')})`.slice(
          0,
          200,
        ),
      )
    return texts.join(', ') + (calls.length > NAMED ? ` and ${calls.length - NAMED} more` : '')
  }
  const different = extra.filter(({ name }) => missing.some((one) => one.name === name))
  const said = [
    ['missing', missing.filter(({ name }) => !different.some((one) => one.name === name))],
    ['extra', extra.filter((call) => !different.includes(call))],
    ['different', different],
  ] as const
  const words = said
    .filter(([, calls]) => calls.length > 0)
    .map(([word, calls]) => `${word}: ${called(calls)}`)
  const expected = missing.filter(({ name }) => different.some((one) => one.name === name))
  if (expected.length > 0) words.push(`expected: ${called(expected)}`)
  if (words.length === 0 && score < 1)
    words.push('the messages differ in number, roles or the place of calls')
  return { label: String(score), score, range: [0, 1], ...(words.length > 0 && { reason: words.join('; ') }) }
}
