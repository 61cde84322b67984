/* Templates with what Jinja2 itself printed, recorded by scripts/oracles/jinja.py; and what is refused by name. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { TemplateError } from '../../src/templates/index.ts'
import { folder } from '../helpers/folder.ts'
import { compiled, type JinjaOptions } from './_compiled.ts'

interface Case {
  template: string
  options?: JinjaOptions
  ok?: string
  error?: string
  refused?: string
}

const file = new URL('../../fixtures/jinja.jsonl', import.meta.url)
const [head, ...cases] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line)) as [{ context: string; files: Record<string, string> }, ...Case[]]

test('templates print what Jinja2 printed, or are refused by name', (t) => {
  const dir = folder(t, head.files)
  const failures: string[] = []
  for (const { template, options, ok, error, refused } of cases) {
    let ours: { ok?: string; error?: string }
    try {
      ours = { ok: compiled(template, options, dir)(head.context) }
    } catch (thrown) {
      assert.ok(thrown instanceof TemplateError, `${template}: ${String((thrown as Error).stack)}`)
      ours = { error: thrown.kind === 'not-supported' ? thrown.reason : thrown.exception }
    }
    const agrees =
      refused === undefined
        ? error === undefined
          ? ours.ok === ok
          : ours.error !== undefined
        : ours.error === refused
    if (!agrees)
      failures.push(`${template}: ${JSON.stringify(ours)} not ${JSON.stringify({ ok, error, refused })}`)
  }
  assert.deepEqual(failures, [])
})
