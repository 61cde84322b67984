/** A user's `.mjs` judge: its module, whose functions keep off stdout. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nativeImport } from '../files/native_import.ts'

/** What the module exports, by name or as its default. @throws what the module throws */
export async function moduleFile(path: string): Promise<Record<string, unknown>> {
  const restore = redirect()
  try {
    const module = await nativeImport(pathToFileURL(resolve(path)).href)
    const file: Record<string, unknown> = { ...module, ...(module.default as object) }
    for (const [key, value] of Object.entries(file))
      if (typeof value === 'function') file[key] = redirected(value as (...args: unknown[]) => unknown)
    return file
  } finally {
    restore()
  }
}

let toStderr: Console | undefined

/** What is printed goes to stderr until it is restored: stdout holds rows and nothing else. */
function redirect(): () => void {
  const before = globalThis.console
  toStderr ??= new before.Console(process.stderr, process.stderr)
  globalThis.console = toStderr
  return () => {
    globalThis.console = before
  }
}

/** The function, with what it prints on stderr. */
function redirected(call: (...args: unknown[]) => unknown) {
  return function (this: unknown, ...args: unknown[]) {
    const restore = redirect()
    try {
      return call.apply(this, args)
    } finally {
      restore()
    }
  }
}
