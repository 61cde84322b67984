/* nunjucks' tree as its own parser makes it: what of it is read here. */
import lexer from 'nunjucks/src/lexer.js'
import parser from 'nunjucks/src/parser.js'
import { isIdentifier } from '../../python/unicode.ts'
import { locate, syntaxError, TemplateError } from '../error.ts'
import type { NunjucksNode, NunjucksTokenizer } from '../nunjucks_types.ts'

/** A node; which fields it has depends on `typename`. */
export interface Node extends NunjucksNode {
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
  template: Node
  ignoreMissing: boolean | null
  withContext: boolean | null
  names: Node
  key: Node
  expr: Node
  ops: { expr: Node; type: string }[]
  cases: Node[]
  default: Node | null
}

export interface ParseOptions {
  trim_blocks?: boolean | undefined
  lstrip_blocks?: boolean | undefined
}

/**
 * Reads a template with nunjucks' own lexer and parser. Names must be names (its lexer lets quotes and more
 * into them), and regular expressions are refused, for a template could hang on one.
 */
export const parseNunjucks = (source: string, options: ParseOptions, name: string | undefined): Node[] => {
  const tokens = lexer.lex(source, { trimBlocks: options.trim_blocks, lstripBlocks: options.lstrip_blocks })
  const next = tokens.nextToken.bind(tokens)
  tokens.nextToken = () => {
    const token = next()
    if (token?.type === 'symbol' && !isIdentifier(String(token.value))) {
      throw syntaxError(`'${String(token.value)}' is not a name`).at(token, name)
    }
    if (token?.type === 'regex') {
      throw new TemplateError('forbidden', 'regular expressions are not supported').at(token, name)
    }
    return token
  }
  try {
    return new parser.Parser(tokens).parseAsRoot().children as Node[]
  } catch (error) {
    throw asSyntaxError(error, tokens, name)
  }
}

/** An error of nunjucks' parser; where it says no place, it is where the lexer stands. */
const asSyntaxError = (
  error: unknown,
  tokens: NunjucksTokenizer,
  name: string | undefined,
): TemplateError => {
  if (error instanceof TemplateError || error instanceof RangeError) return locate(error, tokens, name)
  const { message, lineno, colno } = error as { message: string; lineno?: number; colno?: number }
  const place = lineno ? { lineno: lineno - 1, colno: (colno ?? 1) - 1 } : tokens
  return syntaxError(message).at(place, name)
}

/** All nodes of a kind, also within others. */
export const findAll = (nodes: readonly Node[], typename: string): Node[] => {
  const found: Node[] = []
  const seen = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (Array.isArray(value)) for (const each of value) visit(each)
    else if ('typename' in value) {
      if (value.typename === typename) found.push(value as Node)
      for (const each of Object.values(value)) visit(each)
    } else for (const each of Object.values(value)) visit(each)
  }
  visit(nodes)
  return found
}
