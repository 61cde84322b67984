/* nunjucks' own types say nothing of the modules that are used: package.ts says what is in them. */
declare module 'nunjucks/src/*.js' {
  const module: unknown
  export default module
}
