/** Runs filters: in this process, or as processes of their own. */
export * from './pipe.ts'
export * from './process.ts'
export * from './ran.ts'
