/** Checks the keys of a judge's `verdict`, so that mistakes are reported before any call is made. */
import { checkMembers, type ValueCheck } from '../judges/_check.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { isObject, type Json } from '../rows/record.ts'

const isText = (value: unknown) => typeof value === 'string'
const isWord = (value: unknown) => isText(value) || typeof value === 'number' || typeof value === 'boolean'
const isFull = (value: unknown) => isText(value) && value !== ''
const isFilled = (value: unknown) => isObject(value) && Object.keys(value).length > 0
const isNumber = (value: unknown): value is number => Number.isFinite(value)
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

const oneOf = (...words: Json[]): ValueCheck => [
  (value) => words.includes(value as Json),
  words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or '),
  { enum: words },
]
const SWITCH: ValueCheck = oneOf(true, false)
const FULL = { type: 'string', minLength: 1 }
const WORD = { type: ['string', 'number', 'boolean'] }
const TEXT: ValueCheck = [isFull, 'a string', FULL]
const WORDS: ValueCheck = [
  (value) => isFilled(value) && Object.values(value as object).every(isWord),
  'a mapping of each label to what it means',
  { type: 'object', additionalProperties: WORD, minProperties: 1 },
]
const COUNT: ValueCheck = [isCount, 'a whole number of at least 0', { type: 'integer', minimum: 0 }]
const FLAGS = '^(?!.*(.).*\\1)[im]*$'

/** A key means the same in every rule. Ranges and paths are checked where they are used. */
export const CHECKS: Record<string, ValueCheck> = {
  flags: [
    (value) => isText(value) && new RegExp(FLAGS).test(value as string),
    'i, m or im',
    { type: 'string', pattern: FLAGS },
  ],
  pattern: [isFull, 'a pattern whose first group is the label or number', FULL],
  patterns: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isFull),
    'a list of patterns',
    { type: 'array', items: FULL, minItems: 1 },
  ],
  first: SWITCH,
  name: TEXT,
  at: TEXT,
  example: [isText, 'a string', { type: 'string' }],
  fold: SWITCH,
  lines: SWITCH,
  weighted: SWITCH,
  fallback: [isNumber, 'a number', { type: 'number' }],
  labels: WORDS,
  strong: [
    (value) => Array.isArray(value) && value.every(isWord),
    'a list of labels',
    { type: 'array', items: WORD },
  ],
  pick: oneOf('last', 'first', 'only'),
  reason: oneOf('after'),
  tie_within: [
    (value) => isNumber(value) && value >= 0,
    'a number of at least 0',
    { type: 'number', minimum: 0 },
  ],
  min: COUNT,
  max: COUNT,
  schema: [isObject, 'a JSON Schema', { type: 'object' }],
  options: [
    (value) =>
      Array.isArray(value)
        ? value.length > 0 && value.every(isWord)
        : isFilled(value) && Object.values(value as object).every(isNumber),
    'a list of options, or a mapping of each to its score',
    {
      anyOf: [
        { type: 'array', items: WORD, minItems: 1 },
        { type: 'object', additionalProperties: { type: 'number' }, minProperties: 1 },
      ],
    },
  ],
}

/**
 * Refuses keys that the rule does not have, and values of the wrong type.
 * @param own checks of this rule, in place of the shared ones
 * @throws Fatal (configuration): file, key, what was expected
 */
export function checkKeys(
  { rule, ...config }: VerdictConfig,
  keys: readonly string[],
  judge: Judge,
  own: Record<string, ValueCheck> = {},
): void {
  const members = Object.fromEntries(keys.map((key) => [key, own[key] ?? CHECKS[key]]))
  checkMembers('verdict', config, members, judge.where, ` of rule "${rule}"`)
}

/** Keys of the rules that look for patterns. */
export const FORM = ['pattern', 'patterns', 'flags', 'pick', 'first', 'example'] as const

/** For rule `json`: the explanation is a member of the object. */
export const PATH: ValueCheck = [isText, 'a key of the JSON (a dotted path)', { type: 'string' }]
