/** A workflow's Makefile, run by make with stand-ins for the filters: what make decides need not wait for them. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { has, type Ran, ROOT } from '../../helpers/ran.ts'
import { jb } from '../../helpers/run.ts'

/** For tests that run a workflow's Makefile: why they are skipped. */
export const withoutGzip = has('gzip') ? false : 'NOT RUN: gzip is not there'

/** Passes on what it reads and adds what it was asked for, so that each file says how it was made. */
const STAND_IN = `#!/bin/sh
line="\${0##*/} $*"
while [ $# -gt 0 ]; do case $1 in -o | config) exec > "$2" ;; esac; shift; done
cat
echo "$line"
`

/** Puts the stand-ins into a folder. */
export function standIns(cwd: string): void {
  mkdirSync(join(cwd, 'stand-in'))
  for (const name of readdirSync(join(ROOT, 'bin'))) {
    const path = join(cwd, 'stand-in', name)
    writeFileSync(path, STAND_IN)
    chmodSync(path, 0o755)
  }
}

/** Compiles a workflow, in this process. */
export const compiled = (cwd: string, args: string[], env: Record<string, string> = {}): Promise<Ran> =>
  jb('workflow', args, { cwd, env })

/** Runs make on a Makefile, with the stand-ins. */
export const make = (cwd: string, makefile: string, ...args: string[]) => makeIn(cwd, makefile, {}, ...args)

/** The same with an environment. */
export function makeIn(cwd: string, makefile: string, more: Record<string, string>, ...args: string[]) {
  writeFileSync(join(cwd, 'Makefile'), makefile)
  const PATH = `${join(cwd, 'stand-in')}:${process.env.PATH}`
  const env = { ...process.env, ...more, PATH }
  const { status, stdout, stderr } = spawnSync('make', args, { cwd, env, input: '', encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

/** When each file of a folder was made, but for stamps. */
export function times(folder: string): Map<string, number> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
  return new Map(names.map((name) => [name, statSync(join(folder, name)).mtimeMs]))
}

/** A file's text, out of its gzip where it is in one. */
export function textOf(path: string): string {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}
