/*
 * The tree of a template: nunjucks' nodes, and the ones that Jinja2 has and nunjucks lacks. A node of
 * either kind tells what it is by `typename`.
 */
import library from 'nunjucks/src/nodes.js'
import type { Value } from '../../python/values.ts'
import type { Place } from '../error.ts'
import type { NunjucksNodeClass } from '../nunjucks_types.ts'

export interface Arguments {
  args: Expr[]
  kwargs: { key: string; value: Expr }[]
  /** `*list` and `**dict`. */
  spread: Expr | null
  spreadNamed: Expr | null
}

interface Binary {
  left: Expr
  right: Expr
}

interface Fields {
  Literal: { value: Value }
  /** A name whose value is read. */
  Symbol: { value: string }
  /** A name that is assigned to; `param` where it belongs to a macro, a call block, a loop or `with`. */
  Target: { value: string; param: boolean }
  /** `name.attribute` on the left of `set`. */
  NamespaceTarget: { value: string; attribute: string }
  Tuple: { children: Expr[] }
  Array: { children: Expr[] }
  Dict: { children: [Expr, Expr][] }
  /** `target.val` with a name, `target[val]` with an expression. */
  LookupVal: { target: Expr; val: string | Expr }
  Slice: { start: Expr | null; stop: Expr | null; step: Expr | null }
  FunCall: { name: Expr; args: Arguments }
  /** `target` is null in a filter block, and in `set` with a block: the filter is put on its text. */
  Filter: { name: string; target: Expr | null; args: Arguments }
  Test: { name: string; target: Expr; args: Arguments }
  InlineIf: { cond: Expr; body: Expr; else_: Expr | null }
  Compare: { expr: Expr; ops: { type: string; expr: Expr }[] }
  Not: { target: Expr }
  Neg: { target: Expr }
  Pos: { target: Expr }
  Or: Binary
  And: Binary
  Concat: { children: Expr[] }
  Add: Binary
  Sub: Binary
  Mul: Binary
  Div: Binary
  FloorDiv: Binary
  Mod: Binary
  Pow: Binary
  TemplateData: { value: string }
  Output: { children: (Expr | Node<'TemplateData'>)[] }
  If: { cond: Expr; body: Statement[]; elifs: Node<'If'>[]; else_: Statement[] }
  For: {
    name: Target
    arr: Expr
    body: Statement[]
    else_: Statement[]
    test: Expr | null
    recursive: boolean
  }
  Set: { target: Target; value: Expr }
  SetBlock: { target: Target; filter: Expr | null; body: Statement[] }
  Macro: { name: string; params: Node<'Target'>[]; defaults: Expr[]; body: Statement[] }
  CallBlock: { call: Node<'FunCall'>; params: Node<'Target'>[]; defaults: Expr[]; body: Statement[] }
  FilterBlock: { filter: Expr; body: Statement[] }
  With: { targets: Target[]; values: Expr[]; body: Statement[] }
  Autoescape: { value: Expr; body: Statement[] }
  Block: { name: string; body: Statement[]; scoped: boolean; required: boolean }
  Extends: { template: Expr }
  Include: { template: Expr; ignoreMissing: boolean; withContext: boolean }
  Import: { template: Expr; target: string; withContext: boolean }
  FromImport: { template: Expr; names: [name: string, alias: string][]; withContext: boolean }
}

export type Typename = keyof Fields
export type Node<K extends Typename = Typename> = K extends Typename
  ? Place & { readonly typename: K } & Fields[K]
  : never

export type Expr = Node<
  | 'Literal'
  | 'Symbol'
  | 'Target'
  | 'Tuple'
  | 'Array'
  | 'Dict'
  | 'LookupVal'
  | 'Slice'
  | 'FunCall'
  | 'Filter'
  | 'Test'
  | 'InlineIf'
  | 'Compare'
  | 'Not'
  | 'Neg'
  | 'Pos'
  | 'Or'
  | 'And'
  | 'Concat'
  | 'Add'
  | 'Sub'
  | 'Mul'
  | 'Div'
  | 'FloorDiv'
  | 'Mod'
  | 'Pow'
>
/** What is assigned to; a Tuple holds targets only. */
export type Target = Node<'Target' | 'NamespaceTarget' | 'Tuple'>
export type Statement = Node<
  | 'Output'
  | 'If'
  | 'For'
  | 'Set'
  | 'SetBlock'
  | 'Macro'
  | 'CallBlock'
  | 'FilterBlock'
  | 'With'
  | 'Autoescape'
  | 'Block'
  | 'Extends'
  | 'Include'
  | 'Import'
  | 'FromImport'
>

const like = (base: string, name: string) => library[base]!.extend(name)
const bare = (name: string) => library.Node!.extend(name, { fields: [] })

/** What nunjucks has no node for. */
const extra: Record<string, NunjucksNodeClass> = {
  Target: like('Symbol', 'Target'),
  NamespaceTarget: like('Symbol', 'NamespaceTarget'),
  Tuple: like('Group', 'Tuple'),
  Slice: bare('Slice'),
  Test: like('Filter', 'Test'),
  SetBlock: like('Set', 'SetBlock'),
  CallBlock: like('Macro', 'CallBlock'),
  FilterBlock: like('Capture', 'FilterBlock'),
  With: bare('With'),
  Autoescape: bare('Autoescape'),
}

/** Makes a node. */
export const node = <K extends Typename>(typename: K, at: Place, fields: Fields[K]): Node<K> => {
  const Class = extra[typename] ?? library[typename]!
  return Object.assign(new Class(at.lineno, at.colno), fields) as unknown as Node<K>
}
