/*
 * Statements, compiled to closures, and the template they make up. Scoping, blocks and inheritance follow
 * Jinja2's compiler: what it decides when it compiles is decided here, too.
 */
import { given } from '../../python/calls.ts'
import { MAX_LENGTH, spend } from '../../python/limits.ts'
import { str } from '../../python/print.ts'
import { type Obj, truthy, type Value } from '../../python/values.ts'
import { locate, runtimeError } from '../error.ts'
import { costOf, needOutput } from './assignment.ts'
import { importModule, includeTemplate, isMissing, selectTemplate, withLocals } from './includes.ts'
import { MacroCompiler } from './macros.ts'
import { type Expr, findAll, node as makeNode, type Node, namesRead, type Statement } from './nodes.ts'
import { superOf, TemplateReference } from './objects.ts'
import { type Block, Context, type Execute, Frame, type Loaded, Scope } from './scope.ts'

/** A template, and the names it looks up in the context. */
export interface Compiled extends Loaded {
  readonly variables: ReadonlySet<string>
  /** The templates it names that see its context. */
  readonly refers: readonly string[]
}

/** Compiles a template. @throws TemplateError for what Jinja2 rejects before it runs */
export const compileStatements = (body: readonly Statement[], name: string | undefined): Compiled => {
  const compiler = new Compiler(name)
  return { ...compiler.template(body), variables: compiler.free, refers: referredTemplates(body) }
}

const referredTemplates = (body: readonly Statement[]): string[] => {
  const imports = [...findAll(body, 'Include'), ...findAll(body, 'Import'), ...findAll(body, 'FromImport')]
  const names = [...findAll(body, 'Extends'), ...imports.filter(({ withContext }) => withContext)]
  const texts = findAll(
    names.map(({ template }) => template),
    'Literal',
  ).map(({ value }) => value)
  return texts.filter((value) => typeof value === 'string')
}

class Compiler extends MacroCompiler {
  template(body: readonly Statement[]): Loaded {
    const blocks = new Map<string, Block>()
    const nodes = findAll(body, 'Block')
    nodes.forEach((block, i) => {
      if (nodes.findIndex(({ name }) => name === block.name) < i)
        this.fail(block, `block '${block.name}' defined twice`)
    })
    this.checked = findAll(body, 'Extends').length > 0
    const run = this.function(body, true)
    this.checked = false
    for (const block of nodes) blocks.set(block.name, this.block(block))
    const root = (context: Context): void => {
      run(context)
      const { parent } = context
      context.parent = undefined
      parent?.root(context)
    }
    return { name: this.name, blocks, root }
  }

  private block({ name, body }: Node<'Block'>): Block {
    const run: Block = this.function(body, false, (context) => {
      const stack = context.blocks.get(name) ?? []
      return superOf(name, context, stack, stack.indexOf(run) + 1)
    })
    return run
  }

  /** The template itself or a block: what has `self`, and a block `super`. */
  private function(
    body: readonly Statement[],
    toplevel: boolean,
    above?: (context: Context) => Value,
  ): Block {
    const scope = new Scope(undefined, toplevel, true)
    const used = namesRead(body, ['self', 'super'])
    const self = used.has('self') ? scope.assign('self') : -1
    const parent = above && used.has('super') ? scope.assign('super') : -1
    scope.declareAll(body)
    const run = this.body(body, scope)
    const cost = costOf(body)
    return (context) => {
      spend(cost)
      const frame = new Frame(scope.owner.slots, context)
      if (self >= 0) frame.slots[self] = new TemplateReference(context)
      if (parent >= 0) frame.slots[parent] = above!(context)
      run(frame)
    }
  }

  protected override statement(node: Statement, scope: Scope): Execute {
    switch (node.type) {
      case 'Output':
        return this.output(node, scope)
      case 'Branch':
        return this.softly(() => this.branch(node, scope))
      case 'For':
        return this.loop(node, scope)
      case 'Set':
        return this.set(node, scope)
      case 'SetBlock':
        return this.setBlock(node, scope)
      case 'Macro':
        return this.macroStatement(node, scope)
      case 'CallBlock':
        return this.callBlock(node, scope)
      case 'FilterBlock':
        return this.filterBlock(node, scope)
      case 'With':
        return this.with(node, scope)
      case 'Block':
        return this.blockStatement(node, scope)
      case 'Extends':
        return this.extends(node, scope)
      case 'Include':
        return this.include(node, scope)
      case 'Import':
      case 'FromImport':
        return this.import(node, scope)
    }
  }

  // What is printed, and `if`.

  private output({ parts }: Node<'Output'>, scope: Scope): Execute {
    const { name, checked } = this
    const steps = parts.map((part) => (typeof part === 'string' ? part : this.expr(part, scope)))
    return (frame) => {
      if (checked && frame.context.parent) return
      const { render } = frame
      let i = 0
      try {
        for (; i < steps.length; i++) {
          const step = steps[i]!
          render.text += typeof step === 'string' ? step : str(step(frame))
        }
      } catch (error) {
        throw locate(error, parts[i] as Expr, name)
      }
      if (render.text.length > MAX_LENGTH) render.write('')
    }
  }

  private condition(cond: Expr, scope: Scope): (frame: Frame) => boolean {
    const evaluate = this.expr(cond, scope)
    return this.at(cond, (frame) => truthy(evaluate(frame)))
  }

  private branch({ branches, otherwise }: Node<'Branch'>, scope: Scope): Execute {
    const conditions = branches.map(({ cond }) => this.condition(cond, scope))
    const bodies = [...branches.map(({ body }) => body), otherwise]
    const runs = scope.branches(bodies.map((body) => () => this.body(body, scope)))
    return (frame) => {
      for (let i = 0; i < conditions.length; i++) if (conditions[i]!(frame)) return runs[i]!(frame)
      runs[conditions.length]!(frame)
    }
  }

  // Macros, blocks and other templates.

  private macroStatement(node: Node<'Macro'>, scope: Scope): Execute {
    const make = this.macro(node, scope)
    const assign = this.target(makeNode('Symbol', node, { name: node.name }), scope)
    return (frame) => assign(frame, make(frame))
  }

  private callBlock(node: Node<'CallBlock'>, scope: Scope): Execute {
    const call = this.call(node.call, scope, this.macro(node, scope))
    return this.at(node, (frame) => frame.render.write(needOutput(call(frame))))
  }

  private blockStatement(node: Node<'Block'>, scope: Scope): Execute {
    const { name } = node
    const locals = node.scoped ? scope.locals() : undefined
    return this.at(node, (frame) => {
      const { context } = frame
      if (scope.toplevel && context.parent) return
      const stack = context.blocks.get(name)!
      if (node.required && stack.length <= 1) throw runtimeError(`Required block '${name}' not found`)
      const inside = locals ? new Context(context.render, context.blocks, withLocals(frame, locals)) : context
      context.render.nested(() => stack[0]!(inside))
    })
  }

  private extends(node: Node<'Extends'>, scope: Scope): Execute {
    if (!scope.toplevel) this.fail(node, 'cannot use extend from a non top-level scope')
    const template = this.expr(node.template, scope)
    return this.at(node, (frame) => {
      const { context } = frame
      if (context.parent) throw runtimeError('extended multiple times')
      context.parent = selectTemplate(context, template(frame), false)
      for (const [name, block] of context.parent.blocks) {
        const stack = context.blocks.get(name)
        if (stack) stack.push(block)
        else context.blocks.set(name, [block])
      }
    })
  }

  private include(node: Node<'Include'>, scope: Scope): Execute {
    const names = this.expr(node.template, scope)
    const locals = node.withContext ? scope.locals() : undefined
    return this.at(node, (frame) => {
      let template: Loaded
      try {
        template = selectTemplate(frame.context, names(frame), true)
      } catch (error) {
        if (node.ignoreMissing && isMissing(error)) return
        throw error
      }
      includeTemplate(frame, template, locals)
    })
  }

  private import(node: Node<'Import' | 'FromImport'>, scope: Scope): Execute {
    const names = this.expr(node.template, scope)
    const locals = node.withContext ? scope.locals() : undefined
    const pairs: [string, string][] = node.type === 'Import' ? [['', node.target]] : node.names
    const targets = pairs.map(([member, alias]) => ({ member, alias, slot: scope.assign(alias) }))
    return this.at(node, (frame) => {
      const { context } = frame
      const template = selectTemplate(context, names(frame), false)
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
}
