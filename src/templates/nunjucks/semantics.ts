/* nunjucks' semantics: JavaScript's values and operators, and its own scopes. */
import { syntaxError, TemplateError, typeError, unsupported } from '../../python/error.ts'
import { spend } from '../../python/limits.ts'
import { Float, Obj, type PlainDict, type Value } from '../../python/values.ts'
import { StatementCompiler, type Statements, stepsOf } from '../jinja/bodies.ts'
import { STATEMENTS } from '../jinja/compiler.ts'
import { compileArguments, JINJA } from '../jinja/expressions.ts'
import { type AssignTarget, type Expr, pathOf, targetNames } from '../jinja/nodes.ts'
import { type Evaluate, type Frame, Scope } from '../jinja/scope.ts'
import type { Semantics } from '../jinja/semantics.ts'
import { jsFilter, jsTest } from './filters.ts'
import * as js from './values.ts'

const numeric =
  (compute: (a: number, b: number) => number) =>
  (a: Value, b: Value): Value =>
    compute(js.number(a), js.number(b))

const relation = (holds: (a: never, b: never) => boolean) => (a: Value, b: Value) =>
  holds(js.primitive(a) as never, js.primitive(b) as never)

const missing = (path: string) => new TemplateError('UndefinedError', `'${path}' is undefined`, path)

const shown = (of: Expr): string => pathOf(of) ?? 'an expression'

const SEMANTICS: Semantics = {
  expressions: {
    Binary: JINJA.expressions.Binary,
    Compare: JINJA.expressions.Compare,
    If: JINJA.expressions.If,
    List: JINJA.expressions.List,
    Unary: JINJA.expressions.Unary,
    Literal: (_, { value }) => {
      const own = value instanceof Float ? value.value : typeof value === 'bigint' ? Number(value) : value
      return () => own
    },
    Symbol: (compiler, { name }, scope) => {
      if (!scope.isAssigned(name)) compiler.free.add(name)
      return scope.reader(name) as Evaluate
    },
    Tuple: (compiler, node, scope) => {
      const items = compiler.all(node.items, scope)
      return (frame) => items.map((item) => item(frame)).at(-1)!
    },
    Dict: (compiler, node, scope) => {
      const pairs = node.pairs.map(([key, value]) => {
        if (key.type !== 'Symbol' && key.type !== 'Literal')
          throw syntaxError('Dict keys must be strings or names').at(key, compiler.name)
        const name = key.type === 'Symbol' ? key.name : String(key.value)
        return [name, compiler.expr(value, scope)] as const
      })
      return (frame) => Object.fromEntries(pairs.map(([name, value]) => [name, value(frame)]))
    },
    Attribute: (compiler, node, scope) => {
      const target = compiler.expr(node.target, scope)
      return (frame) => js.member(target(frame), node.name) as Value
    },
    Item: (compiler, node, scope) => {
      const [target, key] = [compiler.expr(node.target, scope), compiler.expr(node.key, scope)]
      return (frame) => js.member(target(frame), key(frame)) as Value
    },
    Call: (compiler, node, scope) => {
      const callee = compiler.expr(node.callee, scope)
      const { positional, named } = compileArguments(compiler, node.args, scope)
      return compiler.at(node, (frame) => {
        const value = callee(frame)
        spend(1)
        if (!(value instanceof Obj && value.call)) throw typeError(`${shown(node.callee)} is not a function`)
        return value.call(positional(frame, []), named(frame))
      })
    },
    Filter: (compiler, node, scope) => {
      const target = compiler.expr(node.target, scope)
      const { positional, named } = compileArguments(compiler, node.args, scope)
      return compiler.at(node, (frame) => {
        const run = jsFilter(node.name)
        if (!run) throw new TemplateError('ValueError', `filter not found, or not supported: ${node.name}`)
        const value = target(frame)
        const needed = frame.render.strict && node.name !== 'default' && node.name !== 'd'
        if (needed && value === undefined) throw missing(shown(node.target))
        const kwargs = named(frame)
        return run(positional(frame, [value]), kwargs && Object.fromEntries(kwargs)) as Value
      })
    },
    Test: (compiler, node, scope) => {
      const target = compiler.expr(node.target, scope)
      const { positional } = compileArguments(compiler, node.args, scope)
      const name = node.name === 'none' ? 'null' : node.name
      return compiler.at(node, (frame) => jsTest(name)(target(frame), positional(frame, [])[0]))
    },
  },
  binary: {
    '==': js.looselyEqual,
    '!=': (a, b) => !js.looselyEqual(a, b),
    '===': (a, b) => a === b,
    '!==': (a, b) => a !== b,
    '<': relation((a, b) => a < b),
    '>': relation((a, b) => a > b),
    '<=': relation((a, b) => a <= b),
    '>=': relation((a, b) => a >= b),
    '+': js.plus,
    '~': (a, b) => js.plus(js.plus(a, ''), b),
    '-': numeric((a, b) => a - b),
    '*': numeric((a, b) => a * b),
    '/': numeric((a, b) => a / b),
    '%': numeric((a, b) => a % b),
    '//': numeric((a, b) => Math.floor(a / b)),
    '**': numeric((a, b) => a ** b),
  },
  compare: { in: js.isIn, not: (key, container) => !js.isIn(key, container) },
  unary: { not: (value) => !value, '-': (value) => -js.number(value), '+': js.number },
  truthy: Boolean,
  print: (value, of, render) => {
    if (value === undefined && render.strict) throw missing(shown(of))
    return js.printText(value)
  },
  noElse: '',
}

/** Each name is assigned the whole value, in the enclosing scope where it has one already. */
class NunjucksCompiler extends StatementCompiler {
  override target(target: AssignTarget, scope: Scope): (frame: Frame, value: Value) => void {
    const places = targetNames(target).map((name) => {
      scope.assign(name)
      return scope.slotsOf(name)
    })
    return (frame, value) => {
      for (const slots of places)
        frame.slots[slots.find((slot) => frame.slots[slot] !== undefined) ?? slots[0]!] = value
    }
  }
}

export const nunjucksCompiler = (name: string | undefined) => new NunjucksCompiler(name, SEMANTICS, OWN)

const OWN: Partial<Statements> = {
  Branch: STATEMENTS.Branch,
  Output: STATEMENTS.Output,
  Set: STATEMENTS.Set,
  SetBlock: STATEMENTS.SetBlock,

  For: (compiler, node, outer) => {
    if (node.test || node.recursive)
      throw unsupported('for … if and recursive in a nunjucks template').at(node)
    const list = compiler.expr(node.iterable, outer)
    const names = targetNames(node.target)
    const scope = new Scope(outer, false)
    const loop = scope.assign('loop')
    const slots = names.map((name) => scope.assign(name))
    const clear = scope.declareAll(node.body)
    const body = compiler.body(node.body, scope)
    const otherwise = compiler.inner(node.otherwise, outer).run
    const cost = stepsOf(node.body)
    return compiler.at(node, (frame) => {
      const items = itemsOf(list(frame), names.length > 1)
      // Variables set in the loop are kept until it ends.
      clear?.(frame)
      items.forEach((parts, i) => {
        spend(cost)
        slots.forEach((slot, k) => {
          frame.slots[slot] = parts[k] as Value
        })
        frame.slots[loop] = loopOf(i, items.length)
        body(frame)
      })
      if (items.length === 0) otherwise(frame)
    })
  },
}

/** The items of a loop; for several names the parts of each item, or keys and values. */
const itemsOf = (value: js.JsValue, several: boolean): readonly js.JsValue[][] => {
  if (!value) return []
  const items: js.JsValue[] | undefined = Array.isArray(value) ? value : js.jsText(value)?.split('')
  if (!several) return (items ?? []).map((item) => [item])
  if (!Array.isArray(value)) return js.isJsObject(value) ? Object.entries(value) : []
  return value.map((item) => {
    if (item === null || item === undefined) throw typeError('cannot take parts of nothing')
    return Array.isArray(item) ? item : (js.jsText(item)?.split('') ?? [])
  })
}

const loopOf = (i: number, length: number): PlainDict => ({
  index: i + 1,
  index0: i,
  revindex: length - i,
  revindex0: length - i - 1,
  first: i === 0,
  last: i === length - 1,
  length,
})
