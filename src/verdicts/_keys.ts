/** Checks the keys of a judge's `verdict`, so that mistakes are reported before any call is made. */
import { checkMembers, type ValueCheck } from '../judges/_check.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { isObject } from '../rows/record.ts'

const isText = (value: unknown) => typeof value === 'string'
const isWord = (value: unknown) => isText(value) || typeof value === 'number' || typeof value === 'boolean'
const isFull = (value: unknown) => isText(value) && value !== ''
const isFilled = (value: unknown) => isObject(value) && Object.keys(value).length > 0
const isNumber = (value: unknown): value is number => Number.isFinite(value)
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

const oneOf = (...words: unknown[]): ValueCheck => [
  (value) => words.includes(value),
  words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or '),
]
const SWITCH: ValueCheck = oneOf(true, false)
const TEXT: ValueCheck = [isFull, 'a string']
const WORDS: ValueCheck = [
  (value) => isFilled(value) && Object.values(value as object).every(isWord),
  'a mapping of each label to what it means',
]

/** A key means the same in every rule. Patterns, ranges and paths are checked where they are used. */
const CHECKS: Record<string, ValueCheck> = {
  flags: [(value) => isText(value) && /^(?!.*(.).*\1)[im]*$/.test(value as string), 'i, m or im'],
  pattern: [isFull, 'a pattern whose first group is the label or number'],
  patterns: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isFull),
    'a list of patterns',
  ],
  after: TEXT,
  name: TEXT,
  at: TEXT,
  split: TEXT,
  example: [isText, 'a string'],
  line: oneOf('first', 'last'),
  strip: SWITCH,
  fold: SWITCH,
  lines: SWITCH,
  literal: SWITCH,
  weighted: SWITCH,
  plain: SWITCH,
  drop: SWITCH,
  brackets: oneOf(true, 'rating'),
  labels: WORDS,
  strong: [(value) => Array.isArray(value) && value.every(isWord), 'a list of labels'],
  replace: [
    (value) => isObject(value) && Object.values(value).every(isText),
    'a mapping of strings to strings',
  ],
  distinct: oneOf('label'),
  pick: oneOf('last', 'first', 'only'),
  reason: oneOf('after', 'below'),
  tie_within: [(value) => isNumber(value) && value >= 0, 'a number of at least 0'],
  least: [(value) => isNumber(value) && value >= 0 && value <= 1, 'a number from 0 to 1'],
  min: [isCount, 'a whole number of at least 0'],
  max: [isCount, 'a whole number of at least 0'],
  repair: oneOf(true, false, 'strict'),
  numbers: oneOf('python'),
  schema: [isObject, 'a JSON Schema'],
  options: [
    (value) =>
      Array.isArray(value)
        ? value.length > 0 && value.every(isWord)
        : isFilled(value) && Object.values(value as object).every(isNumber),
    'a list of options, or a mapping of each to its score',
  ],
  sanitize: oneOf('evalassist'),
}

/**
 * Refuses keys that the rule does not have, and values of the wrong type.
 * @param own checks of this rule, in place of the shared ones
 * @throws Fatal (configuration): file, key, what was expected
 */
export function checkKeys(
  { rule, ...config }: VerdictConfig,
  keys: string[],
  judge: Judge,
  own: Record<string, ValueCheck> = {},
): void {
  const members = Object.fromEntries(keys.map((key) => [key, own[key] ?? CHECKS[key]]))
  checkMembers('verdict', config, members, judge.where, ` of rule "${rule}"`)
}

/** Keys of the rules that look for patterns. */
export const MATCHING = ['pattern', 'patterns', 'flags', 'pick', 'otherwise', 'example']

/** An original's value for a reply it cannot read: JudgeBench's null, RM-Gallery's empty text, or a decision. */
export const UNDECIDED: ValueCheck = oneOf('A>B', 'B>A', 'A=B', '', null)

/** For a rule that can only read the first line. */
export const FIRST_LINE = oneOf('first')

/** For rule `json`: the explanation is a member of the object. */
export const PATH: ValueCheck = [isText, 'a key of the JSON (a dotted path)']
