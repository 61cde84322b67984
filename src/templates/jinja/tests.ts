/* The tests of Jinja2 3.1, by name, but for `filter` and `test`. */
import { contains, equal, modulo, type Order, ordered } from '../../python/arithmetic.ts'
import { isDict } from '../../python/dict.ts'
import { isIterable, Range } from '../../python/sequences.ts'
import { isLowered, isUppered } from '../../python/strings.ts'
import { Float, floatOf, isInt, Markup, Obj, Tuple, textOf, type Value } from '../../python/values.ts'
import { type Filter, filter, textFrom } from './filters/filter.ts'
import { Undefined } from './undefined.ts'

const plain = (holds: (value: Value) => boolean): Filter => filter('value', (_, value) => holds(value))
const against = (param: string, holds: (value: Value, other: Value) => boolean): Filter =>
  filter(`value ${param}`, (_, value, other) => holds(value, other))

/** A test under several names. */
const named = (names: string, test: Filter) =>
  Object.fromEntries(names.split(' ').map((name) => [name, test]))
const order = (names: string, op: Order) =>
  named(
    `${op} ${names}`,
    against('b', (value, other) => ordered(value, op, other)),
  )

const isDivisible = (value: Value, by: Value): boolean => equal(modulo(value, by), 0)

/** Python's `is`; for values without identity in JavaScript, the same type and value. */
const sameAs = (value: Value, other: Value): boolean =>
  value instanceof Float
    ? other instanceof Float && Object.is(value.value, other.value)
    : Object.is(value, other)

/** Jinja2's default Undefined is a sequence, too: it has a length. */
const isSequence = (value: Value): boolean =>
  textOf(value) !== undefined ||
  Array.isArray(value) ||
  isDict(value) ||
  value instanceof Tuple ||
  value instanceof Range ||
  (value instanceof Undefined && !value.strict)

export const PLAIN_TESTS: Record<string, Filter> = {
  odd: plain((value) => equal(modulo(value, 2), 1)),
  even: plain((value) => isDivisible(value, 2)),
  divisibleby: against('num', isDivisible),
  defined: plain((value) => !(value instanceof Undefined)),
  undefined: plain((value) => value instanceof Undefined),
  none: plain((value) => value === null),
  boolean: plain((value) => typeof value === 'boolean'),
  false: plain((value) => value === false),
  true: plain((value) => value === true),
  integer: plain((value) => isInt(value) && typeof value !== 'boolean'),
  float: plain((value) => floatOf(value) !== undefined),
  lower: plain((value) => isLowered(textFrom(value))),
  upper: plain((value) => isUppered(textFrom(value))),
  string: plain((value) => textOf(value) !== undefined),
  mapping: plain(isDict),
  number: plain((value) => isInt(value) || floatOf(value) !== undefined),
  sequence: plain(isSequence),
  iterable: plain(isIterable),
  callable: plain((value) => value instanceof Obj && value.call !== undefined),
  sameas: against('other', sameAs),
  escaped: plain((value) => value instanceof Markup),
  in: against('seq', (value, seq) => contains(seq, value)),
  ...named('== eq equalto', against('b', equal)),
  ...named(
    '!= ne',
    against('b', (value, other) => !equal(value, other)),
  ),
  ...order('gt greaterthan', '>'),
  ...order('ge', '>='),
  ...order('lt lessthan', '<'),
  ...order('le', '<='),
}
