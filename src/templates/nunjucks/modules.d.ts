/* Modules that @types/nunjucks lacks; package.ts has their types. */
declare module 'nunjucks/src/*.js' {
  const module: unknown
  export default module
}
