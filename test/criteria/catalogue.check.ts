/** EvalAssist’s catalogue and its test cases: every criterion is read and asked about. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sharedData } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb } from '../helpers/run.ts'
import { prompt } from './_criteria.ts'

test('EvalAssist’s catalogue: every criterion is read and asked about', async (t) => {
  const path = sharedData(t, 'evalassist/criteria-catalog.jsonl')
  if (!path) return
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const type of ['direct', 'pairwise']) {
    const items = rows
      .filter((row) => row.type === type)
      .map(({ id, criteria }) => {
        const value = type === 'direct' ? 'a text' : ['one', 'two']
        const context = Object.fromEntries(
          (criteria.context_fields ?? []).map((name: string) => [name, `the ${name}`]),
        )
        return { id, criteria, fields: { ...context, [criteria.to_evaluate_field]: value } }
      })
    const asked = rowsOf(
      fine(await jb('render', [type, '--criteria', '@criteria'], { stdin: ndjson(items) })),
    )
    assert.equal(asked.length, items.length)
    for (const [i, row] of asked.entries()) {
      const { options, description } = items[i]!.criteria
      if (type === 'direct')
        assert.deepEqual(
          row.jb.trial!.options,
          options.map(({ name }: { name: string }) => name),
        )
      assert.ok(prompt(row).includes(description))
    }
  }
})

test('EvalAssist’s test cases, by the name of their criterion; its page’s labels are names in another case', async (t) => {
  const cases = sharedData(t, 'evalassist/test-case-library.jsonl')
  const catalogue = sharedData(t, 'evalassist/criteria-catalog.jsonl')
  if (!cases || !catalogue) return
  const items = readFileSync(cases, 'utf8')
    .trim()
    .split('\n')
    .map((line, i) => ({ id: `t${i}`, ...JSON.parse(line) }))
  for (const type of ['direct', 'pairwise']) {
    const of = items.filter((one) => one.type === type && one.criteria_in_catalog)
    const ran = await jb('render', [type, '--criteria', `${catalogue}#@criteria`], { stdin: ndjson(of) })
    const rows = rowsOf(ran)
    assert.equal(rows.length, of.length)
    for (const {
      jb: { criterion, request, error },
    } of rows)
      assert.ok(request?.messages?.at(-1)?.content.includes(criterion!.description!), error?.message)
  }
})
