/*
 * Templates with nunjucks' meaning (autoescape off), as promptfoo's prompts have it: by nunjucks' own lexer,
 * parser, scopes, filters and tests, but without its generated code. Other templates (extends, block, include,
 * import), switch, call and filter blocks are refused.
 */
import {
  limitError,
  locate,
  located,
  START,
  syntaxError,
  TemplateError,
  typeError,
  unsupported,
} from '../../python/error.ts'
import { readPlainObject } from '../../python/json_read.ts'
import { MAX_DEPTH, Output, onOwnData, resetMeter, spend, spendItems } from '../../python/limits.ts'
import { isIdentifier } from '../../python/unicode.ts'
import type { CompiledTemplate, PlainPart, TemplateOptions } from '../template.ts'
import { type Execute, ExpressionCompiler, missing, nameOf } from './expressions.ts'
import { Frame, lex, type Node, Parser, SafeString, type Tokenizer } from './package.ts'
import * as js from './values.ts'

type Value = js.Value

/** Names that a template finds without a context. */
const GLOBALS: js.JsObject = {
  range: new js.Callable(([start, stop, step]) => {
    const [from, to] = stop === undefined ? [0, js.number(start)] : [js.number(start), js.number(stop)]
    const by = stop === undefined ? 1 : js.number(step) || 1
    const count = Math.max(0, Math.ceil((to - from) / by)) || 0
    spendItems(count)
    return Array.from({ length: count }, (_, i) => from + i * by)
  }),
}

export const compileNunjucks = (source: string, options: TemplateOptions): CompiledTemplate => {
  const { name } = options
  const nodes = parse(source, options)
  const compiler = new Compiler(name)
  const body = located(START, name, () => compiler.body(nodes))
  const plain = plainParts(nodes)
  const render = onOwnData((context: object | string, changes) => {
    resetMeter()
    return located(START, name, () => {
      const given = typeof context === 'string' ? readPlainObject(context) : context
      const data = (changes ? structuredClone(given) : given) as js.JsObject
      const resolve = (key: string) =>
        Object.hasOwn(data, key) ? data[key] : Object.hasOwn(GLOBALS, key) ? GLOBALS[key] : undefined
      const top = new Frame()
      Object.assign(compiler.run, {
        output: new Output(),
        strict: options.undefined !== 'empty',
        depth: 0,
        top,
        resolve,
      })
      body(top)
      return compiler.run.output.text
    })
  })
  const own = new Set([...compiler.assigned, 'loop', ...Object.keys(GLOBALS)])
  return {
    render,
    variables: [...compiler.free].filter((each) => !own.has(each)).sort(),
    ...(plain && { plain }),
  }
}

/**
 * Names must be names (the lexer lets quotes and more into them), and regular expressions are refused, for a
 * template could hang on one.
 */
const parse = (source: string, { trim_blocks, lstrip_blocks, name }: TemplateOptions): Node[] => {
  const tokens: Tokenizer = lex(source, { trimBlocks: trim_blocks, lstripBlocks: lstrip_blocks })
  const next = tokens.nextToken.bind(tokens)
  tokens.nextToken = () => {
    const token = next()
    if (token?.type === 'symbol' && !isIdentifier(String(token.value)))
      throw syntaxError(`'${String(token.value)}' is not a name`).at(token, name)
    if (token?.type === 'regex')
      throw new TemplateError('SecurityError', 'regular expressions are not supported').at(token, name)
    return token
  }
  try {
    return new Parser(tokens).parseAsRoot().children as Node[]
  } catch (error) {
    if (error instanceof TemplateError || error instanceof RangeError) throw locate(error, tokens, name)
    const { message, lineno, colno } = error as { message: string; lineno?: number; colno?: number }
    const place = lineno ? { lineno: lineno - 1, colno: (colno ?? 1) - 1 } : tokens
    throw syntaxError(message).at(place, name)
  }
}

class Compiler extends ExpressionCompiler {
  /** The names that the template gives values itself. */
  readonly assigned = new Set<string>()

  body(nodes: readonly Node[]): Execute {
    const steps = nodes.map((node) => {
      const compile = Object.hasOwn(STATEMENTS, node.typename) ? STATEMENTS[node.typename] : undefined
      if (!compile) throw unsupported(`${node.typename} in a nunjucks template`).at(node, this.name)
      return this.at(node, compile(this, node))
    })
    return (frame) => {
      for (const step of steps) {
        spend(1)
        step(frame)
      }
    }
  }
}

/** How each statement is compiled. */
const STATEMENTS: Record<string, (compiler: Compiler, node: Node) => Execute> = {
  Output: (compiler, { children }) => {
    const { run, name } = compiler
    const steps = children.map((child): Execute => {
      if (child.typename === 'TemplateData') return () => run.output.write(String(child.value))
      const evaluate = compiler.expr(child)
      return (frame) => {
        const value = evaluate(frame)
        if (value === undefined && run.strict) throw missing(nameOf(child)).at(startOf(child), name)
        run.output.write(js.print(value))
      }
    })
    return (frame) => {
      for (const step of steps) step(frame)
    }
  },

  If: (compiler, node) => {
    const cond = compiler.expr(node.cond)
    const body = compiler.body(node.body.children)
    const otherwise =
      node.else_ && compiler.body(node.else_.typename === 'If' ? [node.else_] : node.else_.children)
    return (frame) => (cond(frame) ? body(frame) : otherwise?.(frame))
  },

  For: (compiler, node) => {
    const list = compiler.expr(node.arr)
    const body = compiler.body(node.body.children)
    const otherwise = node.else_ && compiler.body(node.else_.children)
    const several = node.name.typename === 'Array'
    const names = (several ? node.name.children : [node.name]).map((each) => String(each.value))
    for (const name of names) compiler.assigned.add(name)
    return (outer) => {
      const frame = outer.push()
      const items = itemsOf(list(frame), several)
      items.forEach((parts, i) => {
        spend(1)
        names.forEach((name, k) => {
          frame.set(name, parts[k])
        })
        frame.set('loop', loopOf(i, items.length))
        body(frame)
      })
      if (items.length === 0) otherwise?.(frame)
    }
  },

  Set: (compiler, node) => {
    const names = node.targets.map((target) => String(target.value))
    for (const name of names) compiler.assigned.add(name)
    const block = node.value ? undefined : compiler.body(node.body.body.children)
    const value = node.value ? compiler.expr(node.value as Node) : undefined
    return (frame) => {
      const result = value ? value(frame) : compiler.run.output.capture(() => block!(frame))
      for (const name of names) frame.set(name, result, true)
    }
  },

  Macro: (compiler, node) => {
    const { run } = compiler
    const name = String(node.name.value)
    const { children } = node.args
    const last = children.at(-1)
    const defaults = last?.typename === 'KeywordArgs' || last?.typename === 'Dict' ? last.children : []
    const params = [
      ...(defaults.length > 0 ? children.slice(0, -1) : children).map(({ value }) => ({
        name: String(value),
        value: undefined,
      })),
      ...defaults.map(({ key, value }) => ({ name: String(key.value), value: compiler.expr(value as Node) })),
    ]
    for (const each of [{ name }, ...params]) compiler.assigned.add(each.name)
    const body = compiler.body(node.body.children)
    const macro = new js.Callable((args, named = {}) => {
      // A macro sees the context and what the template itself sets, no other variables.
      const frame = run.top!.push(true)
      params.forEach((param, i) => {
        const given =
          i < args.length ? args[i] : Object.hasOwn(named, param.name) ? named[param.name] : undefined
        frame.set(param.name, given === undefined ? param.value?.(frame) : given)
      })
      if (++run.depth > MAX_DEPTH) throw limitError(`macros are nested more than ${MAX_DEPTH} deep`)
      const text = run.output.capture(() => body(frame))
      run.depth--
      return new SafeString(text)
    })
    return (frame) => frame.set(name, macro)
  },
}

/** What a loop goes over: for several names the parts of each item, or keys and values. */
const itemsOf = (value: Value, several: boolean): Value[][] => {
  if (!value) return []
  const items: Value[] | undefined = Array.isArray(value) ? value : js.textOf(value)?.split('')
  if (!several) return (items ?? []).map((item) => [item])
  if (!Array.isArray(value)) return js.isObject(value) ? Object.entries(value) : []
  return value.map((item) => {
    if (item === null || item === undefined) throw typeError('cannot take parts of nothing')
    return Array.isArray(item) ? item : (js.textOf(item)?.split('') ?? [])
  })
}

const loopOf = (i: number, length: number): js.JsObject => ({
  index: i + 1,
  index0: i,
  revindex: length - i,
  revindex0: length - i - 1,
  first: i === 0,
  last: i === length - 1,
  length,
})

/** Where an expression begins. */
const startOf = (node: Node): Node => {
  const first = node.target ?? (node.typename === 'FunCall' ? node.name : node.left)
  return first ? startOf(first) : node
}

const plainParts = (nodes: readonly Node[]): PlainPart[] | undefined => {
  const children = nodes.flatMap((node) => (node.typename === 'Output' ? node.children : [node]))
  const isField = ({ typename, value }: Node) =>
    typename === 'Symbol' && value !== 'loop' && !Object.hasOwn(GLOBALS, String(value))
  if (!children.every((node) => node.typename === 'TemplateData' || isField(node))) return undefined
  return children.map((node) => (isField(node) ? { field: String(node.value) } : String(node.value)))
}
