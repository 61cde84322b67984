/*
 * Statements, compiled to closures, and the template they make up. Scoping, blocks and inheritance follow
 * Jinja2's compiler: what it decides when it compiles is decided here, too.
 */

import { given } from '../../python/calls.ts'
import type { Value } from '../../python/values.ts'
import { locate } from '../error.ts'
import { spend } from '../limits.ts'
import { AssignmentCompiler } from './assignment.ts'
import { type BlockFunction, Frame, type Loaded, runtimeError } from './context.ts'
import { importModule, includeTemplate, isMissing, selectTemplate } from './inheritance.ts'
import type { Expr, Node, Statement } from './nodes.ts'
import { superOf, TemplateReference } from './objects.ts'
import { unlessExtended } from './output.ts'
import { type Execute, inOrder, nothing, readVariable, type Scope, soften } from './scope.ts'
import { FunctionScope, Symbols } from './symbols.ts'
import { countNodes, findAll, findUndeclared } from './walk.ts'

/** Thrown where Jinja2 stops compiling a block, because nothing behind is ever reached. */
class Unreachable extends Error {
  readonly node: Node<'Extends'>

  constructor(node: Node<'Extends'>) {
    super('extended twice')
    this.node = node
  }
}

/** Compiles a template; throws a TemplateError for what Jinja2 rejects before it runs. */
export const compileStatements = (
  body: readonly Statement[],
  name: string | undefined,
  strict: boolean,
): Compiled => {
  const compiler = new Compiler(name, strict)
  const template = compiler.template(body)
  return { ...template, variables: compiler.free, refers: referredTemplates(body) }
}

/** A template, and the names it looks up in the context. */
export interface Compiled extends Loaded {
  readonly variables: ReadonlySet<string>
  /** The templates it names that see its context. */
  readonly refers: readonly string[]
}

const referredTemplates = (body: readonly Statement[]): string[] => {
  const inContext = [...findAll(body, 'Include'), ...findAll(body, 'Import'), ...findAll(body, 'FromImport')]
  const names = [...findAll(body, 'Extends'), ...inContext.filter(({ withContext }) => withContext)]
  return names.flatMap(({ template }) => literalNames(template))
}

const literalNames = (node: Expr): string[] => {
  if (node.typename === 'Array' || node.typename === 'Tuple') return node.children.flatMap(literalNames)
  return node.typename === 'Literal' && typeof node.value === 'string' ? [node.value] : []
}

class Compiler extends AssignmentCompiler {
  private extendsSoFar = 0

  template(body: readonly Statement[]): Loaded {
    const blockNodes = new Map<string, Node<'Block'>>()
    for (const block of findAll(body, 'Block')) {
      if (blockNodes.has(block.name)) this.fail(block, `block '${block.name}' defined twice`)
      blockNodes.set(block.name, block)
    }
    const root = this.root(body)
    const blocks = new Map<string, BlockFunction>()
    for (const [name, block] of blockNodes) blocks.set(name, this.blockFunction(block))
    return { name: this.name, blocks, root }
  }

  private root(body: readonly Statement[]): BlockFunction {
    const owner = new FunctionScope()
    const symbols = new Symbols(owner)
    const self = findUndeclared(body, ['self']).size > 0 ? symbols.param('self') : undefined
    symbols.analyzeAll(body)
    const hasExtends = findAll(body, 'Extends').length > 0
    const scope: Scope = {
      symbols,
      owner,
      toplevel: true,
      rootlevel: true,
      soft: false,
      outputCheck: hasExtends,
    }
    const run = this.body(body, scope)
    const enter = this.enter(scope) ?? nothing
    const cost = 1 + (countNodes(body) >> 3)
    return (context) => {
      spend(cost)
      const frame = new Frame(owner.slots, context)
      if (self) frame.slots[self.slot] = new TemplateReference(context)
      enter(frame)
      run(frame)
      frame.extended?.root(context)
    }
  }

  private blockFunction(node: Node<'Block'>): BlockFunction {
    const owner = new FunctionScope()
    const symbols = new Symbols(owner)
    const used = findUndeclared(node.body, ['self', 'super'])
    const self = used.has('self') ? symbols.param('self') : undefined
    const superVariable = used.has('super') ? symbols.param('super') : undefined
    symbols.analyzeAll(node.body)
    const scope: Scope = {
      symbols,
      owner,
      toplevel: false,
      rootlevel: false,
      soft: false,
      outputCheck: false,
    }
    const run = this.body(node.body, scope)
    const enter = this.enter(scope) ?? nothing
    const cost = 1 + (countNodes(node.body) >> 3)
    const block: BlockFunction = (context) => {
      spend(cost)
      const frame = new Frame(owner.slots, context)
      if (self) frame.slots[self.slot] = new TemplateReference(context)
      if (superVariable) {
        const stack = context.blocks.get(node.name) ?? []
        frame.slots[superVariable.slot] = superOf(node.name, context, stack, stack.indexOf(block) + 1)
      }
      enter(frame)
      run(frame)
    }
    return block
  }

  override body(statements: readonly Statement[], scope: Scope): Execute {
    const steps: Execute[] = []
    try {
      for (const statement of statements) {
        const step = this.statement(statement, scope)
        if (step) steps.push(step)
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      const { node } = error
      steps.push(() => {
        throw extendedTwice().at(node, this.name)
      })
    }
    return inOrder(steps) ?? nothing
  }

  private statement(node: Statement, scope: Scope): Execute | undefined {
    switch (node.typename) {
      case 'Output':
        return this.output(node, scope)
      case 'If':
        return this.if(node, soften(scope))
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
      case 'Autoescape':
        return this.autoescapeBlock(node, scope)
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

  // Macros, blocks and other templates.

  private macroStatement(node: Node<'Macro'>, scope: Scope): Execute {
    const make = this.macro(node, scope)
    const { slot } = scope.symbols.find(node.name)!
    const keep = this.exporting([node.name], scope)
    return (frame) => {
      frame.slots[slot] = make(frame)
      keep(frame)
    }
  }

  private blockStatement(node: Node<'Block'>, scope: Scope): Execute | undefined {
    if (scope.toplevel && this.hasKnownExtends) return undefined
    const { name } = node
    const locals = this.locals(scope)
    const run: Execute = (frame) => {
      const { context } = frame
      const stack = context.blocks.get(name)!
      if (node.required && stack.length <= 1) {
        throw runtimeError(`Required block '${name}' not found`).at(node, this.name)
      }
      const inside = node.scoped ? context.derived(locals(frame)) : context
      context.render.nested(() => stack[0]!(inside))
    }
    return scope.toplevel && this.extendsSoFar > 0 ? unlessExtended(run) : run
  }

  private extends(node: Node<'Extends'>, scope: Scope): Execute {
    if (!scope.toplevel) this.fail(node, 'cannot use extend from a non top-level scope')
    if (this.hasKnownExtends) throw new Unreachable(node)
    const template = this.expr(node.template, scope)
    const again = this.extendsSoFar > 0
    if (scope.rootlevel) this.hasKnownExtends = true
    this.extendsSoFar++
    return (frame) => {
      const { context } = frame
      try {
        if (again && frame.extended) throw extendedTwice()
        const parent = selectTemplate(context, template(frame), false)
        frame.extended = parent
        for (const [name, block] of parent.blocks) {
          const stack = context.blocks.get(name)
          if (stack) stack.push(block)
          else context.blocks.set(name, [block])
        }
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  /** The local variables where the code stands, by name. */
  private locals(scope: Scope): (frame: Frame) => [string, Value | undefined][] {
    const variables = [...scope.symbols.assigned()].map(([name, variable]) => ({
      name,
      read: readVariable(scope.owner, variable),
    }))
    return (frame) => variables.map(({ name, read }) => [name, read(frame)])
  }

  private include(node: Node<'Include'>, scope: Scope): Execute {
    const names = this.expr(node.template, scope)
    const locals = this.locals(scope)
    return (frame) => {
      let template: Loaded
      try {
        template = selectTemplate(frame.context, names(frame), true)
      } catch (error) {
        if (node.ignoreMissing && isMissing(error)) return
        throw locate(error, node, this.name)
      }
      includeTemplate(frame, template, node.withContext ? locals(frame) : undefined)
    }
  }

  private import(node: Node<'Import' | 'FromImport'>, scope: Scope): Execute {
    const names = this.expr(node.template, scope)
    const locals = this.locals(scope)
    const pairs: [string, string][] = node.typename === 'Import' ? [['', node.target]] : node.names
    const targets = pairs.map(([member, alias]) => ({ member, alias, slot: scope.symbols.find(alias)!.slot }))
    return (frame) => {
      const { context } = frame
      try {
        const template = selectTemplate(context, names(frame), false)
        const module = importModule(frame, template, node.withContext ? locals(frame) : undefined)
        for (const { member, alias, slot } of targets) {
          const found = node.typename === 'Import' ? module : module.attr(member)
          const value = given(found, context.undefined({ hint: notExported(template, member), name: member }))
          frame.slots[slot] = value
          if (!scope.toplevel) continue
          context.vars.set(alias, value)
          context.exported.delete(alias)
        }
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }
}

const notExported = ({ name }: Loaded, member: string): string =>
  `the template '${name}' does not export the requested name '${member}'`

const extendedTwice = () => runtimeError('extended multiple times')
