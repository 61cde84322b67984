/* The syntax tree of a template. */
import type { Place } from '../../python/error.ts'
import type { Value } from '../../python/values.ts'

export interface Arguments {
  args: Expr[]
  kwargs: { key: string; value: Expr }[]
}

interface Body {
  body: Statement[]
}

interface Signature extends Body {
  params: string[]
  defaults: Expr[]
}

interface Fields {
  Literal: { value: Value }
  Symbol: { name: string }
  /** `name.attribute` on the left of `set`. */
  NamespaceTarget: { name: string; attribute: string }
  Tuple: { items: Expr[] }
  List: { items: Expr[] }
  Dict: { pairs: [Expr, Expr][] }
  /** `target.name`. */
  Attribute: { target: Expr; name: string }
  /** `target[key]`. */
  Item: { target: Expr; key: Expr }
  Slice: { target: Expr; bounds: (Expr | undefined)[] }
  Call: { callee: Expr; args: Arguments }
  Filter: { name: string; target: Expr; args: Arguments }
  Test: { name: string; target: Expr; args: Arguments }
  If: { cond: Expr; value: Expr; otherwise: Expr | undefined }
  Compare: { first: Expr; ops: { op: string; expr: Expr }[] }
  Unary: { op: string; target: Expr }
  Binary: { op: string; left: Expr; right: Expr }
  Concat: { items: Expr[] }
}

interface Statements {
  /** Texts and printed expressions. */
  Output: { parts: (string | Expr)[] }
  Branch: { branches: ({ cond: Expr } & Body)[]; otherwise: Statement[] }
  For: Body & {
    target: AssignTarget
    iterable: Expr
    otherwise: Statement[]
    test?: Expr
    recursive: boolean
  }
  Set: { target: AssignTarget; value: Expr }
  SetBlock: Body & { target: AssignTarget; filter: Expr }
  Macro: Signature & { name: string }
  CallBlock: Signature & { call: Node<'Call'> }
  FilterBlock: Body & { filter: Expr }
  With: Body & { targets: AssignTarget[]; values: Expr[] }
  Include: { template: Expr; ignoreMissing: boolean }
}

type All = Fields & Statements
export type Node<K extends keyof All = keyof All> = K extends keyof All
  ? Place & { readonly type: K } & All[K]
  : never
export type Expr = Node<keyof Fields>
export type Statement = Node<keyof Statements>
/** The target of an assignment; a Tuple contains only targets. */
export type AssignTarget = Node<'Symbol' | 'NamespaceTarget' | 'Tuple'>

export const node = <K extends keyof All>(type: K, { lineno, colno }: Place, fields: All[K]): Node<K> =>
  ({ type, lineno, colno, ...fields }) as unknown as Node<K>

/** Visits all nodes. */
export const walk = (value: unknown, visit: (node: Node) => void): void => {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value) visit(value as Node)
  for (const each of Object.values(value)) walk(each, visit)
}

export const findAll = <K extends keyof All>(nodes: unknown, type: K): Node<K>[] => {
  const found: Node<K>[] = []
  walk(nodes, (each) => {
    if (each.type === type) found.push(each as Node<K>)
  })
  return found
}

/** Those of the names that a body reads. */
export const namesRead = (body: unknown, names: readonly string[]): Set<string> =>
  new Set(findAll(body, 'Symbol').flatMap(({ name }) => (names.includes(name) ? [name] : [])))

/** The names that a target assigns. */
export const targetNames = (target: AssignTarget): string[] => {
  if (target.type === 'Tuple') return target.items.flatMap((item) => targetNames(item as AssignTarget))
  return target.type === 'Symbol' ? [target.name] : []
}

/** The path of a lookup as in the template, for messages: `item.title`. */
export const pathOf = (at: Expr): string | undefined => {
  if (at.type === 'Symbol') return at.name
  if (at.type !== 'Attribute' && at.type !== 'Item') return undefined
  const target = pathOf(at.target)
  if (target === undefined) return undefined
  if (at.type === 'Attribute') return `${target}.${at.name}`
  if (at.key.type !== 'Literal') return undefined
  return typeof at.key.value === 'string' ? `${target}.${at.key.value}` : `${target}[${at.key.value}]`
}
