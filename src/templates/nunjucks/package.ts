/* The parts of nunjucks that are used, with their types as far as they are used. */
import filtersModule from 'nunjucks/src/filters.js'
import lexerModule from 'nunjucks/src/lexer.js'
import parserModule from 'nunjucks/src/parser.js'
import runtimeModule from 'nunjucks/src/runtime.js'
import testsModule from 'nunjucks/src/tests.js'

interface Token {
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

type Run<Result> = (...args: unknown[]) => Result

export const filters = filtersModule as Record<string, Run<unknown>>
export const tests = testsModule as Record<string, Run<boolean>>
export const { lex } = lexerModule as { lex(source: string, options?: object): Tokenizer }
export const { Parser } = parserModule as {
  Parser: new (tokens: Tokenizer) => { parseAsRoot(): { children: unknown[] } }
}
export const { Frame, SafeString } = runtimeModule as {
  Frame: new () => Frame
  SafeString: new (text: string) => SafeString
}
