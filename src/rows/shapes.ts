/**
 * The types of record.ts as run-time checks. Rows come from anywhere, so each member of `jb` is checked when it is read
 * (Row.get), and all later code can rely on its type. The toolkit does not use members that have no check here.
 */
import { isObject, type Jb, type Json, type JsonObject, KINDS, ORIGINALS, RowFailure } from './record.ts'

/** Returns where a value is wrong and what was expected; undefined if it is right. */
interface Check {
  (value: unknown): Fault | undefined
  /** JSON Schema of the same values. */
  schema: JsonObject
}
interface Fault {
  /** `.options[2]`; empty for the value itself. */
  at: string
  value: unknown
  expected: string
}

const checking = (schema: JsonObject, check: (value: unknown) => Fault | undefined): Check =>
  Object.assign(check, { schema })

const is = (expected: string, schema: JsonObject, fits: (value: unknown) => boolean): Check =>
  checking(schema, (value) => (fits(value) ? undefined : { at: '', value, expected }))

const text = is('a string', { type: 'string' }, (value) => typeof value === 'string')
/** The largest number allowed: sums and sums of squares of millions of them are finite. */
export const LARGEST = 1e100
const isNumber = (value: unknown) => typeof value === 'number' && Math.abs(value) <= LARGEST
const NUMBER = { type: 'number', minimum: -LARGEST, maximum: LARGEST }
const number = is(`a number up to ${LARGEST}`, NUMBER, isNumber)
const WHOLE = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const whole = is('a whole number', WHOLE, Number.isSafeInteger)
const wholeTo = (most: number) => (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most
const count = is('a whole number from 0 on', { ...WHOLE, minimum: 0 }, wholeTo(Number.MAX_SAFE_INTEGER))
/** A result has a number for each. */
const few = is(
  'a whole number from 0 to 10000',
  { type: 'integer', minimum: 0, maximum: 10_000 },
  wholeTo(10_000),
)
const flag = is('true or false', { type: 'boolean' }, (value) => typeof value === 'boolean')
const object = is('an object', { type: 'object' }, isObject)
const anything = is('a value', {}, () => true)
const oneOf = (...values: readonly Json[]) =>
  is(values.map((value) => JSON.stringify(value)).join(' or '), { enum: [...values] }, (value) =>
    values.includes(value as Json),
  )

const orNull = (check: Check): Check =>
  checking({ anyOf: [check.schema, { type: 'null' }] }, (value) =>
    value === null ? undefined : check(value),
  )

const either = (one: Check, other: Check): Check =>
  checking({ anyOf: [one.schema, other.schema] }, (value) => {
    const fault = one(value)
    const second = fault && other(value)
    return second && { ...second, expected: `${fault.expected} or ${second.expected}` }
  })

const list = (of: Check, expected: string): Check =>
  checking({ type: 'array', items: of.schema }, (value) => {
    if (!Array.isArray(value)) return { at: '', value, expected }
    for (let i = 0; i < value.length; i++) {
      const fault = of(value[i])
      if (fault) return { ...fault, at: `[${i}]${fault.at}` }
    }
    return undefined
  })

const schemasOf = (checks: Record<string, Check>): JsonObject =>
  Object.fromEntries(Object.entries(checks).map(([key, { schema }]) => [key, schema]))

/** An object whose members pass these checks; members are optional unless named in `required`. */
function members(checks: Record<string, Check>, required: readonly string[] = []): Check {
  const table = new Map(Object.entries(checks))
  const schema = { type: 'object', properties: schemasOf(checks), required: [...required] }
  return checking(schema, (value) => {
    if (!isObject(value)) return { at: '', value, expected: 'an object' }
    for (const key of Object.keys(value)) {
      const fault = table.get(key)?.(value[key])
      if (fault) return { ...fault, at: `.${key}${fault.at}` }
    }
    for (const key of required) {
      if (Object.hasOwn(value, key)) continue
      const fault = table.get(key)!(undefined)
      if (fault) return { ...fault, at: `.${key}${fault.at}` }
    }
    return undefined
  })
}

const each = (of: Check): Check =>
  checking({ type: 'object', additionalProperties: of.schema }, (value) => {
    if (!isObject(value)) return { at: '', value, expected: 'an object' }
    for (const [key, one] of Object.entries(value)) {
      const fault = of(one)
      if (fault) return { ...fault, at: `.${key}${fault.at}` }
    }
    return undefined
  })

const texts = list(text, 'a list of strings')
const numbers = list(number, 'a list of numbers')
const two = (what: string, schema: JsonObject, fits: (value: unknown) => boolean) =>
  is(
    `a list of two ${what}`,
    { type: 'array', items: schema, minItems: 2, maxItems: 2 },
    (value) => Array.isArray(value) && value.length === 2 && value.every(fits),
  )
const pair = two('whole numbers', WHOLE, Number.isSafeInteger)
const interval = two('numbers', NUMBER, isNumber)

const TRIAL = {
  n: count,
  of: count,
  order: text,
  sample: count,
  member: text,
  criterion: text,
  criteria: texts,
  options: texts,
  answers: few,
  pair,
  shown: list(count, 'a list of places'),
  nugget: text,
  nuggets: texts,
  window: is(
    'the name of the elements and the key with their ids',
    { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1, maxProperties: 1 },
    (value) =>
      isObject(value) &&
      Object.values(value).length === 1 &&
      Object.values(value).every((key) => typeof key === 'string'),
  ),
  turn: either(count, text),
}

const SHUFFLE = members({ seed: text, n: count, of: count, cluster: text, size: count, most: count }, [
  'seed',
  'n',
  'of',
])

const CRITERION = members(
  {
    name: text,
    description: orNull(text),
    to_evaluate_field: text,
    context_fields: orNull(texts),
    options: list(
      members({ name: text, description: orNull(text), score: orNull(number) }, ['name']),
      'a list of options',
    ),
    examples: list(object, 'a list of objects'),
    weight: number,
    target_option: text,
    score_threshold: number,
    required: flag,
    normalize_scores: flag,
  },
  ['name', 'to_evaluate_field', 'options'],
)

const MESSAGES = list(object, 'a list of messages')

// Lenient: an odd token count must not lose a reply.
const tokens = orNull(is('a number', { type: 'number' }, (value) => typeof value === 'number'))
const usage = orNull(members({ prompt_tokens: tokens, completion_tokens: tokens, total_tokens: tokens }))
const paid = list(members({ usage, cost: number }, ['usage']), 'a list of calls')

const chance = is(
  'a probability from 0 to 1',
  { type: 'number', minimum: 0, maximum: 1 },
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
)

const REPLY = {
  text,
  answers: each(orNull(each(chance))),
  reasoning: orNull(text),
  finish_reason: orNull(text),
  model: text,
  served_model: text,
  usage,
  ms: number,
  tries: number,
  cost: number,
  paid,
  fingerprint: text,
  parameters: orNull(object),
  turns: list(object, 'a list of replies'),
}

const VERDICT = {
  label: orNull(text),
  // An original's own words stand here under --compat.
  decision: orNull(text),
  strength: number,
  winner: either(whole, oneOf('tie')),
  ranking: list(whole, 'a list of whole numbers'),
  score: orNull(number),
  range: interval,
  scores: numbers,
  option: text,
  explanation: orNull(text),
  feedback: orNull(text),
  items: list(anything, 'a list'),
  reason: orNull(text),
  confidence: orNull(number),
  probabilities: each(number),
  object,
  failure: text,
}

const ERROR = members(
  { stage: text, code: text, message: text, retryable: flag, usage, cost: number, paid },
  ['code'],
)

const RESULT = {
  kind: oneOf(...KINDS),
  model: text,
  // An original's own words stand here under --compat.
  decision: orNull(text),
  scores: numbers,
  correct: orNull(flag),
  consistent: flag,
  winner: either(whole, oneOf('tie')),
  score: orNull(number),
  option: text,
  confidence: number,
  std: orNull(number),
  // Of grades the scores, of choices the names of options.
  samples: either(number, list(either(number, text), 'a list of numbers or strings')),
  agreement: number,
  votes: each(number),
  explanation: orNull(text),
  scored_with: members({
    combine: text,
    label: text,
    label_map: text,
    tie: number,
    criteria: texts,
    compat: text,
  }),
}

/** A result's `items`: the list of a list judge, else the results of the criteria. */
const ITEM = members({ ...RESULT, criterion: text, weight: orNull(number), weighted_score: orNull(number) })
const ITEMS = list(ITEM, 'a list of results')
const LIST = list(anything, 'a list')
const RESULT_MEMBERS = members(RESULT)
const withItems = ({ schema }: Check) => ({ properties: { items: schema } })
const RESULT_SCHEMA = {
  ...RESULT_MEMBERS.schema,
  if: { properties: { kind: { const: 'list' } }, required: ['kind'] },
  // biome-ignore lint/suspicious/noThenProperty: a key of JSON Schema.
  then: withItems(LIST),
  else: withItems(ITEMS),
}
const result = checking(RESULT_SCHEMA, (value) => {
  const fault = RESULT_MEMBERS(value)
  if (fault) return fault
  const { kind, items } = value as { kind?: unknown; items?: unknown }
  const wrong = items === undefined ? undefined : (kind === 'list' ? LIST : ITEMS)(items)
  return wrong && { ...wrong, at: `.items${wrong.at}` }
})

const CALLS = list(members({ usage, cost: number, model: text, error: ERROR }), 'a list of calls')

const TRIAL_OF_RESULT = members(
  {
    trial: members(TRIAL),
    verdict: members(VERDICT),
    usage,
    cost: number,
    model: text,
    error: ERROR,
    calls: CALLS,
  },
  ['trial'],
)
const TRIALS = list(
  checking(TRIAL_OF_RESULT.schema, (value) => {
    const fault = TRIAL_OF_RESULT(value)
    if (fault) return fault
    const { verdict, error } = value as JsonObject
    return verdict || error ? undefined : { at: '', value, expected: 'a verdict or an error in it' }
  }),
  'a list of trials',
)

const REPLIES = list(
  members({ judge: text, reply: members(REPLY, ['text']) }, ['reply']),
  'a list of earlier replies',
)

const EARLIER = list(
  members({ reply: members(REPLY, ['text']), verdict: members(VERDICT), error: ERROR }),
  'a list of what earlier models came to',
)

/** By key of `jb`. */
const SHAPES = new Map<string, Check>([
  ['judge', text],
  ['judge_digest', text],
  ['own_endpoint', flag],
  ['name', text],
  ['compat', oneOf(...ORIGINALS)],
  ['map', each(text)],
  ['item', text],
  ['probe', members({ kind: text, of: text, answer: few, expect: oneOf('worse', 'same') }, ['kind', 'of'])],
  ['shuffle', SHUFFLE],
  ['trial', members(TRIAL)],
  ['criterion', CRITERION],
  ['request', members({ messages: MESSAGES, prompt: text })],
  ['chain', REPLIES],
  ['earlier', EARLIER],
  ['cascade', members({ name: text, stage: count, why: text }, ['name', 'stage'])],
  ['reply', members(REPLY, ['text'])],
  ['verdict', members(VERDICT)],
  ['result', result],
  ['criteria', list(CRITERION, 'a list of criteria')],
  ['trials', TRIALS],
  ['error', ERROR],
  ['raw', text],
])

/** Keys of `jb` that have a check. */
export const SHAPED = [...SHAPES.keys()] as (keyof Jb & string)[]

/** JSON Schema of `jb`. */
export const JB_SCHEMA: JsonObject = { type: 'object', properties: schemasOf(Object.fromEntries(SHAPES)) }

// Members that Row.part reads one by one.
for (const [key, parts] of Object.entries({ reply: REPLY, result: RESULT }))
  for (const [inner, check] of Object.entries(parts)) SHAPES.set(`${key}.${inner}`, check)

/**
 * @param path a key of `jb`, or `key.member`
 * @throws RowFailure bad_record if the value does not have its type
 */
export function checkShape(path: string, value: unknown): void {
  const fault = SHAPES.get(path)?.(value)
  if (fault) throw failureOf(path, fault)
}

function failureOf(key: string, { at, value, expected }: Fault): RowFailure {
  const shown = value === undefined ? 'missing' : shortly(value)
  return new RowFailure('bad_record', `jb.${key}${at} is ${shown}, expected ${expected}`)
}

function shortly(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  const json = JSON.stringify(value)
  return json.length > 40 ? `${json.slice(0, 40)}…` : json
}
