/*
 * Statements, compiled to closures, and the template they make up. Scoping, blocks and inheritance follow
 * Jinja2's compiler: what it decides when it compiles is decided here, too.
 */
import { given } from '../../python/calls.ts'
import { locate, TemplateError } from '../../python/error.ts'
import { MAX_LENGTH, spend } from '../../python/limits.ts'
import type { Obj } from '../../python/values.ts'
import { compileMacro, needOutput, StatementCompiler, type Statements, stepsOf } from './bodies.ts'
import { compileCall, JINJA } from './expressions.ts'
import { compileLoop } from './loops.ts'
import { type Expr, findAll, node as makeNode, type Node, type Statement, targetNames } from './nodes.ts'
import { importModule, includeTemplate, selectTemplate } from './objects.ts'
import { type Execute, Frame, type Loaded, Scope, type TemplateContext } from './scope.ts'

/** A template, and the names it looks up in the context. */
export interface Compiled extends Loaded {
  readonly variables: ReadonlySet<string>
  /** The templates it names that see its context. */
  readonly refers: readonly string[]
}

/** A compiler of Jinja2's statements. */
export const jinjaCompiler = (name: string | undefined) => new StatementCompiler(name, JINJA, STATEMENTS)

/** Compiles a template. @throws TemplateError for what Jinja2 rejects before it runs */
export const compileStatements = (body: readonly Statement[], compiler: StatementCompiler): Compiled => {
  const scope = new Scope(undefined, true, true)
  scope.declareAll(body)
  const run = compiler.body(body, scope)
  const cost = stepsOf(body)
  const root = (context: TemplateContext): void => {
    spend(cost)
    run(new Frame(scope.owner.slots, context))
  }
  return { name: compiler.name, root, variables: compiler.free, refers: referredTemplates(body) }
}

const referredTemplates = (body: readonly Statement[]): string[] => {
  const imports = [...findAll(body, 'Include'), ...findAll(body, 'Import'), ...findAll(body, 'FromImport')]
  const seeing = imports.filter(({ withContext }) => withContext)
  const literals = seeing.flatMap(({ template }) => findAll(template, 'Literal'))
  return literals.map(({ value }) => value).filter((value) => typeof value === 'string')
}

/** How each kind of statement is compiled. */
export const STATEMENTS: Statements = {
  Output: (compiler, { parts }, scope) => {
    const { name, meaning } = compiler
    const { print } = meaning
    const steps = parts.map((part) => (typeof part === 'string' ? part : compiler.expr(part, scope)))
    return (frame) => {
      const { render } = frame
      let i = 0
      try {
        for (; i < steps.length; i++) {
          const step = steps[i]!
          render.text += typeof step === 'string' ? step : print(step(frame), parts[i] as Expr, render)
        }
      } catch (error) {
        throw locate(error, parts[i] as Expr, name)
      }
      if (render.text.length > MAX_LENGTH) render.write('')
    }
  },

  Branch: (compiler, { branches, otherwise }, scope) => {
    const { truthy } = compiler.meaning
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

  Include: (compiler, node, scope) => {
    const path = compiler.expr(node.template, scope)
    const locals = node.withContext ? scope.locals() : undefined
    return compiler.at(node, (frame) => {
      let template: Loaded
      try {
        template = selectTemplate(frame.context, path(frame))
      } catch (error) {
        if (node.ignoreMissing && error instanceof TemplateError && error.kind === 'not-found') return
        throw error
      }
      includeTemplate(frame, template, locals)
    })
  },

  Import: (compiler, node, scope) => compileImport(compiler, node, scope, [['', node.target]]),
  FromImport: (compiler, node, scope) => compileImport(compiler, node, scope, node.names),
}

/** Imports a module, whose member is named '', or members of it, under the names that stand with them. */
const compileImport = (
  compiler: StatementCompiler,
  node: Node<'Import' | 'FromImport'>,
  scope: Scope,
  names: readonly [member: string, alias: string][],
): Execute => {
  const path = compiler.expr(node.template, scope)
  const locals = node.withContext ? scope.locals() : undefined
  const targets = names.map(([member, alias]) => ({ member, alias, slot: scope.assign(alias) }))
  return compiler.at(node, (frame) => {
    const { context } = frame
    const template = selectTemplate(context, path(frame))
    const module = importModule(frame, template, locals)
    for (const { member, alias, slot } of targets) {
      const hint = `the template '${template.name}' does not export the requested name '${member}'`
      const found = member === '' ? module : (module as Obj).attr(member)
      const value = given(found, context.undefined({ hint, name: member }))
      frame.slots[slot] = value
      if (!scope.toplevel) continue
      context.vars.set(alias, value)
      context.exported.delete(alias)
    }
  })
}
