/** Nothing is written outside of one folder: what tries ends the process. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'

/** Functions of fs that change a file, and which of their arguments name it. */
const CHANGING: Record<string, number[]> = {
  ...Object.fromEntries(
    ['appendFile', 'mkdir', 'rm', 'rmdir', 'truncate', 'unlink', 'writeFile', 'chmod', 'utimes'].map(
      (name) => [name, [0]],
    ),
  ),
  ...{ copyFile: [1], link: [1], rename: [0, 1], symlink: [1] },
}

const DEVICES = ['/dev/null']

/** @param told gets the path */
export function guard(folder: string, told: (path: string) => never): void {
  const check = (path: unknown) => {
    if (typeof path !== 'string' && !(path instanceof URL)) return
    const full = resolve(String(path).replace(/^file:\/\//, ''))
    if (!full.startsWith(folder) && !DEVICES.includes(full)) told(full)
  }
  // biome-ignore lint/suspicious/noExplicitAny: functions of every shape
  const wrap = (owner: any, name: string, look: (args: unknown[]) => void) => {
    const original = owner[name]
    owner[name] = function (this: unknown, ...args: unknown[]) {
      look(args)
      return original.apply(this, args)
    }
  }
  const writes = (flags: unknown) =>
    typeof flags === 'number'
      ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) !== 0
      : /[wa+]/.test(String(flags ?? 'r'))
  for (const owner of [fs, fs.promises]) {
    for (const end of owner === fs ? ['', 'Sync'] : ['']) {
      for (const [name, places] of Object.entries(CHANGING))
        wrap(owner, name + end, (args) => {
          for (const place of places) check(args[place])
        })
      wrap(owner, `open${end}`, ([path, flags]) => {
        if (writes(flags)) check(path)
      })
    }
  }
  syncBuiltinESMExports()
}
