/* nunjucks' own types lack the modules that are used: package.ts has their types. */
declare module 'nunjucks/src/*.js' {
  const module: unknown
  export default module
}
