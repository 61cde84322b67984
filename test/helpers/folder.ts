/** Files of a test, and the shared data it reads where they lie. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { judgeFiles, ROOT } from './run.ts'

/** A folder that is gone when the test is over, with these files in it. Its path ends without a slash. */
export function folder(t: TestContext, files: Record<string, string | Uint8Array> = {}): string {
  const path = filled(join(tmpdir(), 'jb-test-'), files)
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

let lasting: string | undefined

/** The same, for all tests of a process: it is gone when they are over. */
export function lastingFolder(files: Record<string, string | Uint8Array> = {}): string {
  if (lasting === undefined) {
    const all = (lasting = mkdtempSync(join(tmpdir(), 'jb-tests-')))
    process.on('exit', () => rmSync(all, { recursive: true, force: true }))
  }
  return filled(join(lasting, 'f-'), files)
}

/** A new folder with these files in it. */
function filled(prefix: string, files: Record<string, string | Uint8Array>): string {
  const path = mkdtempSync(prefix)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), content)
  }
  return path
}

/** The same, with judge files in it that filters may open: these, and others that the test makes there. */
export function judgeFolder(
  t: TestContext,
  files: Record<string, string | Uint8Array> = {},
  others: string[] = [],
): string {
  const path = folder(t, files)
  const names = [...Object.keys(files), ...others]
  judgeFiles.set(
    path,
    names.filter((name) => /\.(ya?ml|jsonl?|mjs|j2|jinja2|txt|njk)$/.test(name)),
  )
  t.after(() => judgeFiles.delete(path))
  return path
}

/** The path of a file of the shared data, which stands beside the project; skips the test where it is absent. */
export function sharedData(t: TestContext, name: string): string | undefined {
  const path = `${ROOT}../shared/data/${name}`
  if (existsSync(path)) return path
  t.skip(`NOT RUN: ../shared/data/${name} is not there`)
  return undefined
}
