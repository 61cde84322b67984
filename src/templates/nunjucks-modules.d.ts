/* The parts of nunjucks that are used, as far as they are used: its own types cover none of them. */

declare module 'nunjucks/src/lexer.js' {
  type NunjucksTokenizer = import('./nunjucks_types.ts').NunjucksTokenizer

  const lexer: { lex(source: string, options?: object): NunjucksTokenizer }
  export default lexer
}

declare module 'nunjucks/src/nodes.js' {
  type NunjucksNodeClass = import('./nunjucks_types.ts').NunjucksNodeClass

  const nodes: Record<string, NunjucksNodeClass>
  export default nodes
}

declare module 'nunjucks/src/parser.js' {
  type NunjucksNode = import('./nunjucks_types.ts').NunjucksNode
  type NunjucksToken = import('./nunjucks_types.ts').NunjucksToken
  type NunjucksTokenizer = import('./nunjucks_types.ts').NunjucksTokenizer

  class Parser {
    constructor(tokens: NunjucksTokenizer)
    tokens: NunjucksTokenizer
    breakOnBlocks: string[] | null
    extensions: unknown[]
    nextToken(withWhitespace?: boolean): NunjucksToken
    peekToken(): NunjucksToken
    pushToken(token: NunjucksToken): void
    skip(type: string): boolean
    skipValue(type: string, value: string): boolean
    skipSymbol(value: string): boolean
    error(message: string, lineno?: number, colno?: number): Error
    fail(message: string, lineno?: number, colno?: number): never
    parseUntilBlocks(...names: string[]): { children: NunjucksNode[] }
    parseNodes(): NunjucksNode[]
    parseAsRoot(): { children: NunjucksNode[] }
    parseStatement(): NunjucksNode | null
    parseExpression(): NunjucksNode
    parseInlineIf(): NunjucksNode
    parseOr(): NunjucksNode
    parseAnd(): NunjucksNode
    parseNot(): NunjucksNode
    parseIn(): NunjucksNode
    parseUnary(noFilters?: boolean): NunjucksNode
    parsePrimary(noPostfix?: boolean): NunjucksNode
  }
  const parser: {
    Parser: typeof Parser
    parse(source: string, extensions?: unknown[], options?: object): NunjucksNode
  }
  export default parser
}
