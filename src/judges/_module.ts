/** Loads a user's `.mjs` judge. Whatever it prints goes to stderr, because stdout has only rows. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nativeImport } from '../files/native_import.ts'

/** The module's named exports and the members of its default export. @throws whatever the module throws */
export async function moduleFile(path: string): Promise<Record<string, unknown>> {
  const restore = redirect()
  try {
    const { default: whole, ...named } = await nativeImport(pathToFileURL(resolve(path)).href)
    const file: Record<string, unknown> = { ...named, ...(whole as object) }
    for (const [key, value] of Object.entries(file))
      if (typeof value === 'function') file[key] = redirected(value as (...args: unknown[]) => unknown)
    return file
  } finally {
    restore()
  }
}

let toStderr: Console | undefined

/** Sends console output to stderr until the returned function is called. */
function redirect(): () => void {
  const before = globalThis.console
  toStderr ??= new before.Console(process.stderr, process.stderr)
  globalThis.console = toStderr
  return () => {
    globalThis.console = before
  }
}

/** The same function, with its console output on stderr. */
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
