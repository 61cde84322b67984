/* A list of cases (fixtures/jinja_cases.jsonl), each with what Jinja2 3.1.2 prints or that it fails. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { TemplateError } from '../../src/templates/index.ts'
import { compiled, type JinjaOptions } from './_compiled.ts'

interface Case {
  id: number
  group: string
  template: string
  options: JinjaOptions
  expect: { ok?: string; error?: string }
}

/** The context as it stands in the line: numbers keep their form. */
const contextText = (line: string): string => /"context": (\{.*\}), "options": /.exec(line)![1]!

/** What only Python's objects print, and pprint, are refused. */
const REFUSED = /<built-in|<list_reverse|<class|\|pprint|__proto__/

const outcome = ({ template, options }: Case, context: string): { ok?: string; error?: string } => {
  try {
    return { ok: compiled(template, options)(context) }
  } catch (error) {
    assert.ok(error instanceof TemplateError, String((error as Error).stack))
    return { error: error.exception }
  }
}

test('348 cases', () => {
  const file = new URL('../../fixtures/jinja_cases.jsonl', import.meta.url)
  const failures: string[] = []
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const row = JSON.parse(line) as Case
    const { ok, error } = outcome(row, contextText(line))
    const expected = row.expect.ok
    const random = row.template.includes('|random') && ['1', '2', '3'].includes(ok ?? '')
    const refused = REFUSED.test(row.template + expected) && error === 'NotSupported'
    const agrees = expected === undefined ? error !== undefined : ok === expected || random || refused
    if (!agrees)
      failures.push(
        `${row.id} ${row.template}: ${JSON.stringify({ ok, error })} not ${JSON.stringify(row.expect)}`,
      )
  }
  assert.deepEqual(failures, [])
})
