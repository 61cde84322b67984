/* Shared by all statements: bodies with scopes of their own, and targets of assignments. */
import { runtimeError, typeError, unsupported } from '../../python/error.ts'
import { spend } from '../../python/limits.ts'
import { unpackInto } from '../../python/sequences.ts'
import { textOf, typeName, type Value } from '../../python/values.ts'
import { type AssignTarget, type Node, namesRead, type Statement, walk } from './nodes.ts'
import { macro, Namespace } from './objects.ts'
import { type Evaluate, type Execute, Frame, Scope } from './scope.ts'
import { ExpressionCompiler, type Semantics } from './semantics.ts'

type Compile<N> = (compiler: StatementCompiler, node: N, scope: Scope) => Execute
export type Statements = { [K in Statement['type']]: Compile<Node<K>> }

/** The cost of running statements once, in steps. */
export const stepsOf = (body: readonly Statement[]): number => {
  let count = 8
  walk(body, () => count++)
  return count >> 3
}

export class StatementCompiler extends ExpressionCompiler {
  private readonly statements: Partial<Statements>

  constructor(name: string | undefined, semantics: Semantics, statements: Partial<Statements>) {
    super(name, semantics)
    this.statements = statements
  }

  body(nodes: readonly Statement[], scope: Scope): Execute {
    const steps = nodes.map((node) => {
      const compile = this.statements[node.type] as Compile<Statement> | undefined
      if (!compile) throw unsupported(`${node.type} in this language`).at(node, this.name)
      return compile(this, node, scope)
    })
    if (steps.length === 1) return steps[0]!
    return (frame) => {
      for (let i = 0; i < steps.length; i++) steps[i]!(frame)
    }
  }

  /** Statements in a scope of their own, in which the caller assigns `names`. */
  inner(
    body: readonly Statement[],
    outer: Scope,
    names: readonly string[] = [],
  ): { scope: Scope; run: Execute } {
    const scope = new Scope(outer, false)
    for (const name of names) scope.assign(name)
    const clear = scope.declareAll(body)
    const run = this.body(body, scope)
    return {
      scope,
      run: (frame) => {
        clear?.(frame)
        run(frame)
      },
    }
  }

  /** The text of a block after its filters. */
  filtered(node: Node<'SetBlock' | 'FilterBlock'>, outer: Scope): Evaluate {
    const { scope, run } = this.inner(node.body, outer)
    const text = scope.assign('')
    const filter = this.expr(node.filter, scope)
    return (frame) => {
      frame.slots[text] = frame.render.capture(() => run(frame))
      return filter(frame)
    }
  }

  /** Assigns to a name, a tuple of names or an attribute of a namespace. */
  target(target: AssignTarget, scope: Scope): (frame: Frame, value: Value) => void {
    if (target.type === 'Tuple') {
      const parts = target.items.map((item) => this.target(item as AssignTarget, scope))
      return (frame, value) => {
        const items = unpackInto(value, parts.length)
        for (let i = 0; i < parts.length; i++) parts[i]!(frame, items[i]!)
      }
    }
    const { name } = target
    if (target.type === 'Symbol') {
      const slot = scope.assign(name)
      return (frame, value) => {
        frame.slots[slot] = value
      }
    }
    if (!scope.isAssigned(name)) this.free.add(name)
    const read = scope.reader(name)
    return (frame, value) => {
      const namespace = read(frame)
      if (!(namespace instanceof Namespace))
        throw runtimeError('cannot assign attribute on non-namespace object')
      namespace.values.set(target.attribute, value)
    }
  }
}

/** The text of a filter block or call block; Jinja2 requires a str. */
export const needOutput = (value: Value): string => {
  const text = textOf(value)
  if (text === undefined) throw typeError(`expected str instance, ${typeName(value)} found`)
  return text
}

// macro and the body of a call block.

const SPECIAL = ['caller', 'kwargs', 'varargs']

/** Compiles a macro to a function that creates it in a frame. */
export const compileMacro = (
  compiler: StatementCompiler,
  node: Node<'Macro' | 'CallBlock'>,
  outer: Scope,
): Evaluate => {
  const { params, defaults } = node
  const used = namesRead(node.body, SPECIAL)
  const required = params.slice(0, params.length - defaults.length)
  const special = new Set(SPECIAL.filter((name) => used.has(name) && !params.includes(name)))
  const scope = new Scope(outer, true)
  const slots = [...params, ...special].map((name) => scope.assign(name))
  const fallbacks = params.map((name, i): Evaluate => {
    const fallback = defaults[i - required.length]
    if (fallback && namesRead([fallback], params.slice(i)).size > 0)
      throw unsupported('a default that reads itself or a later parameter').at(node, compiler.name)
    if (fallback) return compiler.expr(fallback, scope)
    return ({ render }) => render.undefined({ hint: `parameter '${name}' was not provided`, name })
  })
  scope.declareAll(node.body)
  const body = compiler.body(node.body, scope)
  // A call takes as long as several iterations of a loop.
  const cost = 4 + stepsOf(node.body)
  const run = (outerFrame: Frame, values: (Value | undefined)[]): string => {
    spend(cost)
    const { render, resolve } = outerFrame
    const frame = new Frame(scope.owner.slots, render, resolve, outerFrame)
    return render.nested(() => {
      slots.forEach((slot, i) => {
        frame.slots[slot] = values[i]
      })
      fallbacks.forEach((fallback, i) => {
        if (values[i] === undefined) frame.slots[slots[i]!] = fallback(frame)
      })
      return render.capture(() => body(frame))
    })
  }
  const name = node.type === 'Macro' ? node.name : undefined
  return (frame) => macro({ name, params, special, run: (values) => run(frame, values) }, frame.render)
}
