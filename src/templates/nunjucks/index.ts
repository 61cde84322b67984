/*
 * Templates with nunjucks' meaning (autoescape off), as promptfoo's prompts have it, by nunjucks' own lexer and
 * parser but without its generated code. Other templates (extends, block, include, import), switch, call and
 * filter blocks are refused.
 */
import lexer from 'nunjucks/src/lexer.js'
import parser from 'nunjucks/src/parser.js'
import { limitError, typeError } from '../../python/error.ts'
import { readPlainObject } from '../../python/json_read.ts'
import { MAX_DEPTH, Output, resetMeter, spend, spendItems } from '../../python/limits.ts'
import { onOwnData } from '../../python/ownership.ts'
import { isIdentifier } from '../../python/unicode.ts'
import { locate, located, START, syntaxError, TemplateError } from '../error.ts'
import { ExpressionCompiler, Frame, missing, nameOf, type Run } from './expressions.ts'
import type { Node, Tokenizer } from './types.ts'
import { Callable, isObject, type JsObject, number, print, Safe, textOf, type Value } from './values.ts'

export interface NunjucksOptions {
  undefined?: 'error' | 'empty' | undefined
  name?: string | undefined
  trim_blocks?: boolean | undefined
  lstrip_blocks?: boolean | undefined
}

export interface NunjucksTemplate {
  render(context: object | string): string
  variables: string[]
  plain?: (string | { field: string })[]
}

/** Names that a template finds without a context. */
const GLOBALS: JsObject = {
  range: new Callable(([start, stop, step]) => {
    const [from, to] = stop === undefined ? [0, number(start)] : [number(start), number(stop)]
    const by = stop === undefined ? 1 : number(step) || 1
    const count = Math.max(0, Math.ceil((to - from) / by)) || 0
    spendItems(count)
    return Array.from({ length: count }, (_, i) => from + i * by)
  }),
}

export const compileNunjucks = (source: string, options: NunjucksOptions): NunjucksTemplate => {
  const { name } = options
  const nodes = parse(source, options)
  const compiler = new Compiler(name)
  const body = located(START, name, () => compiler.body(nodes))
  const plain = plainParts(nodes)
  const run = onOwnData()
  const render = (context: object | string): string =>
    run((changes) => {
      resetMeter()
      return located(START, name, () => {
        const given = typeof context === 'string' ? readPlainObject(context) : context
        const data = (changes ? structuredClone(given) : given) as JsObject
        const resolve = (key: string) =>
          Object.hasOwn(data, key) ? data[key] : Object.hasOwn(GLOBALS, key) ? GLOBALS[key] : undefined
        const each: Run = { output: new Output(), strict: options.undefined !== 'empty', depth: 0, resolve }
        each.top = new Frame(each)
        body(each.top)
        return each.output.text
      })
    })
  const own = new Set([...compiler.assigned, 'loop', ...Object.keys(GLOBALS)])
  return {
    variables: [...compiler.free].filter((each) => !own.has(each)).sort(),
    ...(plain && { plain }),
    render,
  }
}

/**
 * Names must be names (the lexer lets quotes and more into them), and regular expressions are refused, for a
 * template could hang on one.
 */
const parse = (source: string, { trim_blocks, lstrip_blocks, name }: NunjucksOptions): Node[] => {
  const tokens: Tokenizer = lexer.lex(source, { trimBlocks: trim_blocks, lstripBlocks: lstrip_blocks })
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
    return new parser.Parser(tokens).parseAsRoot().children as Node[]
  } catch (error) {
    if (error instanceof TemplateError || error instanceof RangeError) throw locate(error, tokens, name)
    const { message, lineno, colno } = error as { message: string; lineno?: number; colno?: number }
    const place = lineno ? { lineno: lineno - 1, colno: (colno ?? 1) - 1 } : tokens
    throw syntaxError(message).at(place, name)
  }
}

type Execute = (frame: Frame) => void

class Compiler extends ExpressionCompiler {
  /** The names that the template gives values itself. */
  readonly assigned = new Set<string>()

  body(nodes: readonly Node[]): Execute {
    const steps = nodes.map((node) => {
      const run = this.at(node, this.statement(node))
      return (frame: Frame) => {
        spend(1)
        run(frame)
      }
    })
    return (frame) => {
      for (const step of steps) step(frame)
    }
  }

  private statement(node: Node): Execute {
    switch (node.typename) {
      case 'Output':
        return this.output(node)
      case 'If':
        return this.if(node)
      case 'For':
        return this.for(node)
      case 'Set':
        return this.set(node)
      case 'Macro':
        return this.macro(node)
      default:
        return this.fail(node)
    }
  }

  private output(node: Node): Execute {
    const steps = node.children.map((child): Execute => {
      if (child.typename === 'TemplateData') return ({ run }) => run.output.write(String(child.value))
      const evaluate = this.expr(child)
      return (frame) => {
        const value = evaluate(frame)
        if (value === undefined && frame.run.strict)
          throw missing(nameOf(child)).at(startOf(child), this.name)
        frame.run.output.write(print(value))
      }
    })
    return (frame) => {
      for (const step of steps) step(frame)
    }
  }

  private if(node: Node): Execute {
    const cond = this.expr(node.cond)
    const body = this.body(node.body.children)
    const otherwise =
      node.else_ && this.body(node.else_.typename === 'If' ? [node.else_] : node.else_.children)
    return (frame) => (cond(frame) ? body(frame) : otherwise?.(frame))
  }

  private for(node: Node): Execute {
    const list = this.expr(node.arr)
    const body = this.body(node.body.children)
    const otherwise = node.else_ && this.body(node.else_.children)
    const several = node.name.typename === 'Array'
    const names = (several ? node.name.children : [node.name]).map((each) => String(each.value))
    for (const name of names) this.assigned.add(name)
    return (outer) => {
      const frame = new Frame(outer.run, outer)
      const items = itemsOf(list(frame), several)
      items.forEach((parts, i) => {
        spend(1)
        names.forEach((name, k) => {
          frame.variables.set(name, parts[k])
        })
        frame.variables.set('loop', loopOf(i, items.length))
        body(frame)
      })
      if (items.length === 0) otherwise?.(frame)
    }
  }

  private set(node: Node): Execute {
    const names = node.targets.map((target) => String(target.value))
    for (const name of names) this.assigned.add(name)
    const block = node.value ? undefined : this.body(node.body.body.children)
    const value = node.value ? this.expr(node.value as Node) : undefined
    return (frame) => {
      const result = value ? value(frame) : frame.run.output.capture(() => block!(frame))
      for (const name of names) frame.assign(name, result)
    }
  }

  private macro(node: Node): Execute {
    const name = String(node.name.value)
    const last = node.args.children.at(-1)
    const defaults = last?.typename === 'KeywordArgs' || last?.typename === 'Dict' ? last.children : []
    const params = (defaults.length > 0 ? node.args.children.slice(0, -1) : node.args.children).map(
      (each) => ({
        name: String(each.value),
        value: (): Value => undefined,
      }),
    )
    const optional = defaults.map((pair) => ({
      name: String(pair.key.value),
      value: this.expr(pair.value as Node),
    }))
    const all = [...params, ...optional]
    for (const each of [{ name }, ...all]) this.assigned.add(each.name)
    const body = this.body(node.body.children)
    return (outer) => {
      const { run } = outer
      const macro = new Callable((args, named) => {
        // A macro sees the context and what the template itself sets, no other variables.
        const frame = new Frame(run, run.top)
        all.forEach((param, i) => {
          const given =
            i < args.length
              ? args[i]
              : named && Object.hasOwn(named, param.name)
                ? named[param.name]
                : undefined
          frame.variables.set(param.name, given === undefined ? param.value(frame) : given)
        })
        if (++run.depth > MAX_DEPTH) throw limitError(`macros are nested more than ${MAX_DEPTH} deep`)
        const text = run.output.capture(() => body(frame))
        run.depth--
        return new Safe(text)
      })
      outer.variables.set(name, macro)
    }
  }
}

/** What a loop goes over: for several names the parts of each item, or keys and values. */
const itemsOf = (value: Value, several: boolean): Value[][] => {
  if (!value) return []
  const items: Value[] | undefined = Array.isArray(value) ? value : textOf(value)?.split('')
  if (!several) return (items ?? []).map((item) => [item])
  if (Array.isArray(value)) {
    return value.map((item) => {
      if (item === null || item === undefined) throw typeError('cannot take parts of nothing')
      return Array.isArray(item) ? item : (textOf(item)?.split('') ?? [])
    })
  }
  return isObject(value) ? Object.entries(value) : []
}

const loopOf = (i: number, length: number): JsObject => ({
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

const plainParts = (nodes: readonly Node[]): NunjucksTemplate['plain'] => {
  const children = nodes.flatMap((node) => (node.typename === 'Output' ? node.children : [node]))
  const isPlain = ({ typename, value }: Node) =>
    typename === 'TemplateData' ||
    (typename === 'Symbol' && value !== 'loop' && !Object.hasOwn(GLOBALS, String(value)))
  if (!children.every(isPlain)) return undefined
  return children.map(({ typename, value }) =>
    typename === 'Symbol' ? { field: String(value) } : String(value),
  )
}
