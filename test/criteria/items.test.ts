/** Items in the shapes they come in, and the fields a criterion takes from them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, pipe } from '../helpers/run.ts'
import { asked, PLAIN, prompt } from './_criteria.ts'

test('fields have the roles the criterion gives them', async (t) => {
  const item = { fields: { docs: ['one', 'two'], response: 'the answer', q: 'why', n: 3 } }
  const context = async (fields: unknown, more: object = {}) => {
    const row = rowOf(await asked(t, { ...PLAIN, context_fields: fields, ...more }, item))
    return /# Context\n\n([\s\S]*?)\n\n#/.exec(prompt(row))?.[1]
  }
  assert.equal(
    await context(null),
    '- docs: ["one","two"]\n- q: why\n- n: 3',
    'null: all others, as the item has them',
  )
  assert.equal(await context([]), undefined, 'none')
  assert.equal(await context(['q', 'docs']), '- q: why\n- docs: ["one","two"]', 'those named, in that order')
  const other = rowOf(
    fine(await asked(t, { ...PLAIN, to_evaluate_field: 'q', context_fields: ['response'] }, item)),
  )
  assert.match(prompt(other), /# The q to judge\n\nwhy/)
  assert.match(prompt(other), /- response: the answer/)
})

test('a field that is missing is named before any call', async (t) => {
  const cases: [criterion: object, item: object, message: RegExp][] = [
    [
      {},
      { fields: { response: 'r', Q: 'why' } },
      /field "q" is missing: context_fields of criterion "c"; there is "Q": --map 'q=Q'/,
    ],
    [{ context_fields: ['the_q'] }, { fields: { response: 'r', 'The q': 'why' } }, /there is "The q"/],
    [
      {},
      { fields: { q: 'why' } },
      /field "response" is missing: to_evaluate_field of criterion "c" \(there are: q\)/,
    ],
    [
      {},
      { fields: { response: null, q: 'why' } },
      /field "response" is null: to_evaluate_field of criterion "c" \(there are: response, q\): --map 'response=FIELD' names another/,
    ],
    [{ context_fields: [] }, { response: ['x', 'y'] }, /"response" is a list of 2/],
  ]
  for (const [criterion, item, message] of cases) {
    const row = rowOf(expect(await asked(t, { ...PLAIN, ...criterion }, item), { err: /missing_field/ }))
    assert.equal(row.jb.error!.code, 'missing_field')
    assert.match(row.jb.error!.message, message)
    assert.equal(row.jb.request, undefined)
  }
  const mapped = rowOf(fine(await asked(t, PLAIN, { fields: { response: 'r', Q: 'why' } }, ['--map', 'q=Q'])))
  assert.match(prompt(mapped), /- q: why/)
})

test('items: instances, the older shape, plain texts, flat rows', async (t) => {
  const shown = async (item: object, criterion: object = { ...PLAIN, context_fields: null }) => {
    const text = prompt(rowOf(fine(await asked(t, criterion, item))))
    return [/# Context\n\n([\s\S]*?)\n\n#/.exec(text)?.[1], /to judge\n\n([\s\S]*)$/.exec(text)![1]]
  }
  assert.deepEqual(await shown({ fields: { response: 'r', q: 'why' } }), ['- q: why', 'r'])
  assert.deepEqual(await shown({ context: { q: 'why' }, response: 'r', expected_result: 'Yes' }), [
    '- q: why',
    'r',
  ])
  const mail = { ...PLAIN, to_evaluate_field: 'email response', context_fields: ['original email'] }
  assert.deepEqual(await shown({ context: { 'original email': 'hi' }, response: 'r' }, mail), [
    '- original email: hi',
    'r',
  ])
  // Of a flat row only what the criterion or --map names: its label must not reach the judge.
  const flat = { response: 'r', q: 'why', label: 'Yes', score: 1 }
  const open = { ...PLAIN, context_fields: null }
  const said = await asked(t, open, flat)
  assert.match(said.stderr, /fields not shown, because the criterion names no context_fields: q, label \(/)
  assert.doesNotMatch(prompt(rowOf(said)), /why|Yes\n\n#/)
  assert.match(prompt(rowOf(await asked(t, open, flat, ['--map', 'q=q']))), /- q: why/)
  const read = await pipe(`jb-read evalassist | jb-render direct --criteria 'Is it so?'`, {
    stdin: '["first text", {"fields": {"response": "second"}}]',
  })
  assert.deepEqual(
    rowsOf(fine(read)).map((row) => /to judge\n\n([\s\S]*)$/.exec(prompt(row))![1]),
    ['first text', 'second'],
  )
})
