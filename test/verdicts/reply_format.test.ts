/** The schema of the reply, which requests to judges with a JSON rule have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILTIN_JUDGES, loadJudge } from '../../src/judges/_load.ts'

import { folder } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb } from '../helpers/run.ts'

const formatOf = (row: ReturnType<typeof rowsOf>[number]) =>
  row.jb.request!.response_format as
    | { type: string; json_schema: { strict?: boolean; schema: object } }
    | undefined

async function formats(t: Parameters<typeof folder>[0], verdict: string, more = '', ...args: string[]) {
  const text = `kind: grade\nmessages: [{ role: user, content: "{{ q }}" }]\n${more}\nverdict: ${verdict}\n`
  const path = `${folder(t, { 'j.yaml': text })}/j.yaml`
  return rowsOf(fine(await jb('render', [path, ...args], { stdin: '{"q":"x"}\n' }))).map(formatOf)
}

test('rule json: its schema, or that of its example; strict where all objects are closed', async (t) => {
  const open = '{ type: object, properties: { score: { type: number } }, required: [score] }'
  const [given] = await formats(t, `{ rule: json, schema: ${open} }`)
  assert.deepEqual(given, {
    type: 'json_schema',
    json_schema: {
      name: 'verdict',
      schema: { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] },
    },
  })
  const closed = open.replace(' }, required', ' }, additionalProperties: false, required')
  assert.equal((await formats(t, `{ rule: json, schema: ${closed} }`))[0]!.json_schema.strict, true)
  const [like] = await formats(t, '{ rule: json, like: { score: 8, why: text } }')
  assert.deepEqual(like!.json_schema.schema, {
    type: 'object',
    properties: { score: { type: 'number' }, why: { type: 'string' } },
    required: ['score', 'why'],
  })
})

test('no schema: --no-schema, a rule without one, a form of its own, a completion', async (t) => {
  const schema = '{ rule: json, schema: { type: object } }'
  assert.deepEqual(await formats(t, schema, '', '--no-schema'), [undefined])
  assert.deepEqual(await formats(t, '{ rule: json, score: score }'), [undefined])
  const own = { type: 'json_object' }
  assert.deepEqual(await formats(t, schema, `request: { response_format: ${JSON.stringify(own)} }`), [own])
})

test('the built-in judges whose replies are JSON, and no others, ask for it', async () => {
  const asking: string[] = []
  for (const name of BUILTIN_JUDGES.names()) {
    const { criteria } = await loadJudge(name)
    const args = criteria ? ['--criteria', name.includes('pairwise') ? 'better_answer' : 'conciseness'] : []
    const item = { question: 'q', response: 'x', response_A: 'x', response_B: 'y' }
    const several = { ...item, response: ['x', 'y'] }
    const ran = await jb('render', [name, ...args], { stdin: ndjson([item, several]) })
    if (rowsOf(ran).some((row) => row.jb.request && formatOf(row))) asking.push(name)
  }
  assert.deepEqual(asking, ['direct', 'pairwise', 'persona'])
})
