/* Compiles statements and templates to closures. Scopes are resolved at compile time, as in Jinja2. */
import { locate, unless, unsupported } from '../../python/error.ts'
import { MAX_LENGTH, spend } from '../../python/limits.ts'
import { textOf, typeName } from '../../python/values.ts'
import { compileMacro, needOutput, StatementCompiler, type Statements, stepsOf } from './bodies.ts'
import { compileCall, JINJA } from './expressions.ts'
import { compileLoop } from './loops.ts'
import { type Expr, findAll, node as makeNode, namesRead, type Statement, targetNames } from './nodes.ts'
import { Frame, type Loaded, type Resolve, Scope } from './scope.ts'

/** A template, and the names that it looks up in the context. */
export interface Compiled extends Loaded {
  readonly variables: ReadonlySet<string>
  /** The templates that it includes by name. */
  readonly refers: readonly string[]
}

/** A compiler of Jinja2's statements. */
export const jinjaCompiler = (name: string | undefined) => new StatementCompiler(name, JINJA, STATEMENTS)

/** Compiles a template. @throws TemplateError if Jinja2 rejects it before it runs */
export const compileStatements = (body: readonly Statement[], compiler: StatementCompiler): Compiled => {
  const scope = new Scope(undefined, true)
  if (namesRead(body, ['self']).size > 0) throw unsupported('self')
  scope.declareAll(body)
  const run = compiler.body(body, scope)
  const cost = stepsOf(body)
  const root: Loaded['root'] = (render, resolve) => {
    spend(cost)
    run(new Frame(scope.owner.slots, render, resolve))
  }
  return { root, variables: compiler.free, refers: referredTemplates(body) }
}

const referredTemplates = (body: readonly Statement[]): string[] => {
  const literals = findAll(body, 'Include').flatMap(({ template }) => findAll(template, 'Literal'))
  return literals.map(({ value }) => value).filter((value) => typeof value === 'string')
}

/** Compilers by type of statement. */
const STATEMENTS: Statements = {
  Output: (compiler, { parts }, scope) => {
    const { name, semantics } = compiler
    const { print } = semantics
    const steps = parts.map((part) => (typeof part === 'string' ? part : compiler.expr(part, scope)))
    return (frame) => {
      const { render } = frame
      let i = 0
      try {
        for (; i < steps.length; i++) {
          const step = steps[i]!
          if (typeof step === 'string') render.text += step
          else {
            const value = step(frame)
            const readable = typeof value === 'object' ? render.readable?.(value) : undefined
            render.text += readable ?? print(value, parts[i] as Expr, render)
          }
        }
      } catch (error) {
        throw locate(error, parts[i] as Expr, name)
      }
      if (render.text.length > MAX_LENGTH) render.write('')
    }
  },

  Branch: (compiler, { branches, otherwise }, scope) => {
    const { truthy } = compiler.semantics
    const conditions = branches.map(({ cond }) => {
      const evaluate = compiler.expr(cond, scope)
      return compiler.at(cond, (frame) => truthy(evaluate(frame)))
    })
    const bodies = [...branches.map(({ body }) => body), otherwise]
    const runs = scope.branches(bodies.map((body) => () => compiler.body(body, scope)))
    return (frame) => {
      for (let i = 0; i < conditions.length; i++) if (conditions[i]!(frame)) return runs[i]!(frame)
      runs[conditions.length]!(frame)
    }
  },

  For: compileLoop,

  Set: (compiler, node, scope) => {
    const value = compiler.expr(node.value, scope)
    const assign = compiler.target(node.target, scope)
    return compiler.at(node, (frame) => assign(frame, value(frame)))
  },

  SetBlock: (compiler, node, scope) => {
    const text = compiler.filtered(node, scope)
    const assign = compiler.target(node.target, scope)
    return compiler.at(node, (frame) => assign(frame, text(frame)))
  },

  FilterBlock: (compiler, node, scope) => {
    const text = compiler.filtered(node, scope)
    return compiler.at(node, (frame) => frame.render.write(needOutput(text(frame))))
  },

  With: (compiler, node, outer) => {
    const values = compiler.all(node.values, outer)
    const { scope, run } = compiler.inner(node.body, outer, node.targets.flatMap(targetNames))
    const targets = node.targets.map((target) => compiler.target(target, scope))
    const assign = compiler.at(node, (frame) => {
      const found = values.map((value) => value(frame))
      targets.forEach((write, i) => {
        write(frame, found[i]!)
      })
    })
    return (frame) => {
      assign(frame)
      run(frame)
    }
  },

  Macro: (compiler, node, scope) => {
    const make = compileMacro(compiler, node, scope)
    const assign = compiler.target(makeNode('Symbol', node, { name: node.name }), scope)
    return (frame) => assign(frame, make(frame))
  },

  CallBlock: (compiler, node, scope) => {
    const call = compileCall(compiler, node.call, scope, compileMacro(compiler, node, scope))
    return compiler.at(node, (frame) => frame.render.write(needOutput(call(frame))))
  },

  /** Renders another template, which sees all variables of this one. */
  Include: (compiler, node, scope) => {
    const path = compiler.expr(node.template, scope)
    const locals = [...scope.locals()]
    return compiler.at(node, (frame) => {
      const { render } = frame
      const find = () => {
        const value = path(frame)
        const name = textOf(value)
        if (name === undefined) throw unsupported(`a template's name of type ${typeName(value)}`)
        return render.load(name)
      }
      const template = node.ignoreMissing ? unless('TemplateNotFound', find) : find()
      if (!template) return
      spend(1)
      const known = new Map(locals.map(([name, read]) => [name, read(frame)]))
      const resolve: Resolve = (name) => {
        const value = known.get(name)
        return value === undefined ? frame.resolve(name) : value
      }
      render.nested(() => template.root(render, resolve))
    })
  },
}
