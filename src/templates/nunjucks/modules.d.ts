/* The parts of nunjucks that are used, as far as they are used: its own types cover none of them. */

declare module 'nunjucks/src/lexer.js' {
  type Tokenizer = import('./types.ts').Tokenizer

  const lexer: { lex(source: string, options?: object): Tokenizer }
  export default lexer
}

declare module 'nunjucks/src/parser.js' {
  type Tokenizer = import('./types.ts').Tokenizer

  const parser: { Parser: new (tokens: Tokenizer) => { parseAsRoot(): { children: unknown[] } } }
  export default parser
}

declare module 'nunjucks/src/runtime.js' {
  const runtime: typeof import('./types.ts').Runtime
  export default runtime
}

declare module 'nunjucks/src/filters.js' {
  const filters: Record<string, (...args: unknown[]) => unknown>
  export default filters
}

declare module 'nunjucks/src/tests.js' {
  const tests: Record<string, (...args: unknown[]) => boolean>
  export default tests
}
