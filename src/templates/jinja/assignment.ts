/* What assigns names, and what has a scope of its own: set, filter, with, autoescape. */

import { str } from '../../python/print.ts'
import { Markup, truthy, type Value } from '../../python/values.ts'
import { locate } from '../error.ts'
import type { Frame } from './context.ts'
import { needOutput } from './functions.ts'
import type { Expr, Node, Statement } from './nodes.ts'
import { OutputCompiler } from './output.ts'
import { type Execute, leaveScope, nothing, readVariable, type Scope, type WriteSlot } from './scope.ts'
import { Symbols } from './symbols.ts'
import { findAll } from './walk.ts'

export abstract class AssignmentCompiler extends OutputCompiler {
  /** Keeps what is assigned at the top level where blocks, includes and imports find it. */
  protected exporting(names: readonly string[], scope: Scope): Execute {
    if (!scope.toplevel) return nothing
    const variables = names.map((name) => ({
      name,
      read: readVariable(scope.owner, scope.symbols.find(name)!),
    }))
    return (frame) => {
      for (const { name, read } of variables) {
        frame.context.vars.set(name, read(frame)!)
        if (!name.startsWith('_')) frame.context.exported.add(name)
      }
    }
  }

  protected assignment(node: Node<'Set' | 'SetBlock'>, scope: Scope): WriteSlot {
    const assign = this.target(node.target, scope)
    const names = findAll([node.target], 'Target').map(({ value }) => value)
    const keep = this.exporting(names, scope)
    return (frame, value) => {
      assign(frame, value)
      keep(frame)
    }
  }

  protected set(node: Node<'Set'>, scope: Scope): Execute {
    const value = this.expr(node.value, scope)
    const assign = this.assignment(node, scope)
    return (frame) => {
      try {
        assign(frame, value(frame))
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  protected setBlock(node: Node<'SetBlock'>, outer: Scope): Execute {
    const scope = this.inner(outer, node.body, { outputCheck: false })
    const run = this.scoped(scope, this.body(node.body, scope))
    const filter = node.filter && this.blockFilter(node.filter, scope)
    const assign = this.assignment(node, outer)
    return (frame) => {
      try {
        const text = frame.render.capture(() => run.enter(frame))
        const value = filter ? filter(frame, text) : text
        assign(frame, frame.context.autoescape ? new Markup(str(value)) : value)
        run.leave(frame)
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  /** Filters that are put on the text of a block. */
  protected blockFilter(node: Expr, scope: Scope): (frame: Frame, text: string) => Value {
    const escaping = this.escaping()
    let current: Value = ''
    const filter = this.filter(node as Node<'Filter'>, scope, () => current)
    return (frame, text) => {
      current = escaping(frame) ? new Markup(text) : text
      return filter(frame)
    }
  }

  // Scopes.

  protected inner(outer: Scope, body: readonly (Statement | Expr)[], change: Partial<Scope> = {}): Scope {
    const symbols = new Symbols(outer.owner, outer.symbols)
    symbols.analyzeAll(body)
    return { ...outer, symbols, toplevel: false, rootlevel: false, soft: false, ...change }
  }

  protected scoped(scope: Scope, run: Execute): { enter: Execute; leave: Execute } {
    const enter = this.enter(scope) ?? nothing
    return {
      enter: (frame) => {
        enter(frame)
        run(frame)
      },
      leave: leaveScope(scope),
    }
  }

  protected filterBlock(node: Node<'FilterBlock'>, outer: Scope): Execute {
    const scope = this.inner(outer, [...node.body, node.filter])
    const run = this.scoped(scope, this.body(node.body, scope))
    const filter = this.blockFilter(node.filter, scope)
    return (frame) => {
      try {
        const text = frame.render.capture(() => run.enter(frame))
        frame.render.write(needOutput(filter(frame, text)))
        run.leave(frame)
      } catch (error) {
        throw locate(error, node, this.name)
      }
    }
  }

  protected with(node: Node<'With'>, outer: Scope): Execute {
    const values = node.values.map((value) => this.expr(value, outer))
    const scope = this.inner(outer, [...node.targets, ...node.body] as Statement[])
    const targets = node.targets.map((target) => this.target(target, scope))
    const run = this.scoped(scope, nothing)
    const body = this.body(node.body, scope)
    return (frame) => {
      run.enter(frame)
      try {
        for (let i = 0; i < targets.length; i++) targets[i]!(frame, values[i]!(frame))
      } catch (error) {
        throw locate(error, node, this.name)
      }
      body(frame)
      run.leave(frame)
    }
  }

  protected autoescapeBlock(node: Node<'Autoescape'>, outer: Scope): Execute {
    const scope = this.inner(outer, [node.value, ...node.body])
    const value = this.expr(node.value, scope)
    const before = { autoescape: this.autoescape, volatile: this.volatile }
    if (node.value.typename === 'Literal') this.autoescape = truthy(node.value.value)
    else this.volatile = true
    const run = this.body(node.body, scope)
    const enter = this.scoped(scope, nothing)
    Object.assign(this, before)
    return (frame) => {
      const { context } = frame
      const saved = context.escaping
      enter.enter(frame)
      context.escaping = value(frame)
      run(frame)
      context.escaping = saved
      enter.leave(frame)
    }
  }
}
