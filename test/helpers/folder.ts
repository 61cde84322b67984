/** Files of a test, and the shared data it reads where they lie. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { judgeFiles, ROOT } from './run.ts'

/** A folder that is gone when the test is over, with these files in it. Its path ends without a slash. */
export function folder(t: TestContext, files: Record<string, string | Uint8Array> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'jb-test-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
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
