/* All tests of Jinja2 3.1, by name: what can stand behind `is`. */

import { type Arg, type Method, named } from '../../python/calls.ts'
import { isLowered, isUppered } from '../../python/casing.ts'
import { contains, equal, ordered } from '../../python/compare.ts'
import { checkHashable, isDict } from '../../python/dicts.ts'
import { isIterable, lengthOf } from '../../python/iterate.ts'
import { modulo } from '../../python/operators.ts'
import { str } from '../../python/print.ts'
import { Range } from '../../python/range.ts'
import { Undefined } from '../../python/undefined.ts'
import { Float, floatOf, isInt, Markup, Obj, Tuple, textOf, type Value } from '../../python/values.ts'
import { TemplateError } from '../error.ts'
import type { Context } from './context.ts'
import { filterNamed } from './filters/index.ts'

/** A test: the first argument is the value in question. */
export type Test = Method<Context>

/** A test without arguments. */
const plain = (name: string, holds: (value: Value) => boolean): Test =>
  named(name, ['value'], 1, (_, value) => holds(value!))

/** A test with one argument. */
const against = (name: string, param: string, holds: (value: Value, other: Value) => boolean): Test =>
  named(name, ['value', param], 2, (_, value, other: Arg) => holds(value!, other!))

const equals = against('eq', 'b', equal)
const differs = against('ne', 'b', (value, other) => !equal(value, other))
const less = against('lt', 'b', (value, other) => ordered(value, '<', other))
const lessOrEqual = against('le', 'b', (value, other) => ordered(value, '<=', other))
const greater = against('gt', 'b', (value, other) => ordered(value, '>', other))
const greaterOrEqual = against('ge', 'b', (value, other) => ordered(value, '>=', other))

const isNumber = (value: Value): boolean => isInt(value) || floatOf(value) !== undefined

/** Python's `is`: for values that have no identity in JavaScript, the same type and value. */
const sameAs = (value: Value, other: Value): boolean => {
  if (value instanceof Float) return other instanceof Float && Object.is(value.value, other.value)
  return Object.is(value, other) || (typeof value === 'bigint' && value === other)
}

const isSequence = (value: Value): boolean => {
  try {
    lengthOf(value)
  } catch (error) {
    if (error instanceof TemplateError && error.kind !== 'limit') return false
    throw error
  }
  const indexable = textOf(value) !== undefined || Array.isArray(value) || isDict(value)
  return indexable || value instanceof Tuple || value instanceof Range || value instanceof Undefined
}

const isNamed = (value: Value, find: (name: string) => unknown): boolean => {
  checkHashable(value)
  const name = textOf(value)
  return name !== undefined && find(name) !== undefined
}

const TESTS: Record<string, Test> = {
  odd: plain('odd', (value) => equal(modulo(value, 2), 1)),
  even: plain('even', (value) => equal(modulo(value, 2), 0)),
  divisibleby: against('divisibleby', 'num', (value, num) => equal(modulo(value, num), 0)),
  defined: plain('defined', (value) => !(value instanceof Undefined)),
  undefined: plain('undefined', (value) => value instanceof Undefined),
  filter: plain('filter', (value) => isNamed(value, filterNamed)),
  test: plain('test', (value) => isNamed(value, testNamed)),
  none: plain('none', (value) => value === null),
  boolean: plain('boolean', (value) => typeof value === 'boolean'),
  false: plain('false', (value) => value === false),
  true: plain('true', (value) => value === true),
  integer: plain('integer', (value) => isInt(value) && typeof value !== 'boolean'),
  float: plain('float', (value) => floatOf(value) !== undefined),
  lower: plain('lower', (value) => isLowered(str(value))),
  upper: plain('upper', (value) => isUppered(str(value))),
  string: plain('string', (value) => textOf(value) !== undefined),
  mapping: plain('mapping', (value) => isDict(value)),
  number: plain('number', isNumber),
  sequence: plain('sequence', isSequence),
  iterable: plain('iterable', isIterable),
  callable: plain('callable', (value) => value instanceof Obj && value.callable),
  sameas: against('sameas', 'other', sameAs),
  escaped: plain(
    'escaped',
    (value) => value instanceof Markup || (value instanceof Obj && value.html !== undefined),
  ),
  in: against('in', 'seq', (value, seq) => contains(seq, value)),
  '==': equals,
  eq: equals,
  equalto: equals,
  '!=': differs,
  ne: differs,
  '>': greater,
  gt: greater,
  greaterthan: greater,
  ge: greaterOrEqual,
  '>=': greaterOrEqual,
  '<': less,
  lt: less,
  lessthan: less,
  '<=': lessOrEqual,
  le: lessOrEqual,
}

/** The test of a name, if there is one. */
export const testNamed = (name: string): Test | undefined =>
  Object.hasOwn(TESTS, name) ? TESTS[name] : undefined
