/** What the toolkit uses of WebAssembly: Node's types leave it to the browser's. */
declare namespace WebAssembly {
  class Module {
    constructor(code: Uint8Array)
  }
  class Instance {
    constructor(module: Module)
    readonly exports: unknown
  }
  interface Memory {
    readonly buffer: ArrayBuffer
  }
}
