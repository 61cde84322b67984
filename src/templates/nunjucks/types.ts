/* What nunjucks' modules give: a module of its own, for types that say more stand in what the package exports. */

export interface Token {
  type: string
  value: unknown
  lineno: number
  colno: number
}

export interface Tokenizer {
  lineno: number
  colno: number
  nextToken(): Token | null
}

/** A node; which fields it has depends on `typename`. */
export interface Node {
  readonly typename: string
  lineno: number
  colno: number
  children: Node[]
  value: unknown
  target: Node
  val: Node
  name: Node
  args: Node
  left: Node
  right: Node
  cond: Node
  body: Node
  else_: Node | null
  arr: Node
  targets: Node[]
  key: Node
  expr: Node
  ops: { expr: Node; type: string }[]
}
