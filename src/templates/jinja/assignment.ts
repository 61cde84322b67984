/* What assigns names, and what has a scope of its own: set, filter, with. */
import { typeError } from '../../python/error.ts'
import { unpack } from '../../python/sequences.ts'
import { textOf, typeName, type Value } from '../../python/values.ts'
import { runtimeError } from '../error.ts'
import { ExpressionCompiler } from './expressions.ts'
import { type Node, type Statement, type Target, targetNames, walk } from './nodes.ts'
import { Namespace } from './objects.ts'
import { type Context, type Evaluate, type Execute, type Frame, Scope } from './scope.ts'

export type Write = (frame: Frame, value: Value) => void

/** What running statements once costs, in steps. */
export const costOf = (body: readonly Statement[]): number => {
  let count = 8
  walk(body, () => count++ > 0)
  return count >> 3
}

export abstract class AssignmentCompiler extends ExpressionCompiler {
  /** Within the template itself where that may extend another: its output counts only while it doesn't. */
  protected checked = false

  protected abstract statement(node: Statement, scope: Scope): Execute

  protected body(statements: readonly Statement[], scope: Scope): Execute {
    const steps = statements.map((each) => this.statement(each, scope))
    if (steps.length === 1) return steps[0]!
    return (frame) => {
      for (let i = 0; i < steps.length; i++) steps[i]!(frame)
    }
  }

  /** Statements in a scope of their own, whose `names` the caller assigns. */
  protected inner(body: readonly Statement[], outer: Scope, names: readonly string[] = []) {
    const scope = new Scope(outer, false, false)
    for (const name of names) scope.assign(name)
    scope.declareAll(body)
    const run = this.body(body, scope)
    const clear = scope.clearer()
    return { scope, run, clear: clear ?? (() => undefined) }
  }

  /** Assigns to a name, a tuple of names or an attribute of a namespace. */
  protected target(target: Target, scope: Scope): Write {
    if (target.type === 'Tuple') {
      const parts = target.items.map((item) => this.target(item as Target, scope))
      return (frame, value) => {
        const items = unpack(value, parts.length)
        for (let i = 0; i < parts.length; i++) parts[i]!(frame, items[i]!)
      }
    }
    const { name } = target
    if (target.type === 'Symbol') {
      const slot = scope.assign(name)
      const keep = scope.toplevel
      return (frame, value) => {
        frame.slots[slot] = value
        if (keep) this.keep(frame.context, name, value)
      }
    }
    if (!scope.isSure(name)) this.free.add(name)
    const read = scope.reader(name)
    return (frame, value) => {
      const namespace = read(frame)
      if (!(namespace instanceof Namespace))
        throw runtimeError('cannot assign attribute on non-namespace object')
      namespace.values.set(target.attribute, value)
    }
  }

  /** Keeps what is assigned at the top level where blocks, includes and importers find it. */
  protected keep({ vars, exported }: Context, name: string, value: Value): void {
    vars.set(name, value)
    if (!name.startsWith('_')) exported.add(name)
  }

  protected set(node: Node<'Set'>, scope: Scope): Execute {
    const value = this.expr(node.value, scope)
    const assign = this.target(node.target, scope)
    return this.at(node, (frame) => assign(frame, value(frame)))
  }

  protected setBlock(node: Node<'SetBlock'>, scope: Scope): Execute {
    const text = this.filtered(node, scope)
    const assign = this.target(node.target, scope)
    return this.at(node, (frame) => assign(frame, text(frame)))
  }

  /** The text of a block, with the filters that are put on it. */
  private filtered(node: Node<'SetBlock' | 'FilterBlock'>, outer: Scope): Evaluate {
    const { checked } = this
    this.checked = checked && node.type === 'FilterBlock'
    const { scope, run, clear } = this.inner(node.body, outer)
    this.checked = checked
    let current: Value = ''
    const filter = node.filter ? this.filter(node.filter as Node<'Filter'>, scope, () => current) : undefined
    return (frame) => {
      clear(frame)
      const text = frame.render.capture(() => run(frame))
      current = text
      return filter ? filter(frame) : text
    }
  }

  protected filterBlock(node: Node<'FilterBlock'>, scope: Scope): Execute {
    const text = this.filtered(node, scope)
    return this.at(node, (frame) => frame.render.write(needOutput(text(frame))))
  }

  protected with(node: Node<'With'>, outer: Scope): Execute {
    const values = this.all(node.values, outer)
    const { scope, run, clear } = this.inner(node.body, outer, node.targets.flatMap(targetNames))
    const targets = node.targets.map((target) => this.target(target, scope))
    const assign = this.at(node, (frame) => {
      const given = values.map((value) => value(frame))
      clear(frame)
      targets.forEach((write, i) => {
        write(frame, given[i]!)
      })
    })
    return (frame) => {
      assign(frame)
      run(frame)
    }
  }
}

/** The text of a filter block or call block: Jinja2 joins it as it is, so it must be a str. */
export const needOutput = (value: Value): string => {
  const text = textOf(value)
  if (text === undefined) throw typeError(`expected str instance, ${typeName(value)} found`)
  return text
}
