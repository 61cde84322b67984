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

/** Variables of a scope; `set` with `resolveUp` sets a variable where it is already known. */
export interface Frame {
  set(name: string, value: unknown, resolveUp?: boolean): void
  lookup(name: string): unknown
  /** A scope within; with `isolated`, what is set in it stays in it. */
  push(isolated?: boolean): Frame
}

/** Text that is not to be escaped (again). */
export interface SafeString {
  readonly val: string
  readonly length: number
}

export declare const Runtime: {
  Frame: new () => Frame
  SafeString: new (text: string) => SafeString
}
