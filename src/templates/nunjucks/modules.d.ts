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
