/** Files of others as they are: a question and an answer under other usual names than the judge's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe, type Ran } from '../../helpers/run.ts'

const JUDGE = `kind: grade
fields: { question: question, answer: answer }
prompt: 'Q {{ question }} A {{ answer }}'
verdict: { rule: number, range: [1, 5] }
`

const prompts = (ran: Ran) => rowsOf(ran).map(({ jb: { request } }) => request!.prompt)

test('alpaca_eval’s files: instruction and output are the question and the answer, said once', async (t) => {
  const dir = judgeFolder(t, { 'j.yaml': JUDGE })
  const rows = ['a', 'b'].map((one) => ({ instruction: `i ${one}`, output: `o ${one}`, generator: 'm' }))
  const ran = await jb('render', [`${dir}/j.yaml`], { stdin: ndjson(rows) })
  expect(ran, {
    err: 'jb-render: read as with --map question=instruction --map answer=output (--map names other fields)\n',
  })
  assert.deepEqual(prompts(ran), ['Q i a A o a', 'Q i b A o b'])
  assert.deepEqual(rowsOf(ran)[0]!.jb.map, { question: 'instruction', answer: 'output' })
})

test('each usual name of a question and of an answer', async (t) => {
  const dir = judgeFolder(t, { 'j.yaml': JUDGE })
  for (const question of ['prompt', 'instruction', 'input', 'query'])
    for (const answer of ['response', 'output', 'completion']) {
      const ran = await jb('render', [`${dir}/j.yaml`], {
        stdin: ndjson([{ [question]: 'x', [answer]: 'y' }]),
      })
      assert.deepEqual(prompts(ran), ['Q x A y'], `${question}, ${answer}`)
    }
})

test('in doubt nothing is guessed, and what --map says holds', async (t) => {
  const dir = judgeFolder(t, { 'j.yaml': JUDGE })
  const stdin = ndjson([{ instruction: 'i', input: 'x', output: 'o' }])
  const failed = await jb('render', [`${dir}/j.yaml`], { stdin })
  assert.match(failed.stderr, /field "question" is missing.*--map question=FIELD names another/)
  const mapped = await jb('render', [`${dir}/j.yaml`, '--map', 'question=input'], { stdin })
  assert.deepEqual(prompts(mapped), ['Q x A o'])
  const given = ndjson([{ question: 'q', prompt: 'p', answer: 'a', output: 'o' }])
  assert.deepEqual(prompts(fine(await jb('render', [`${dir}/j.yaml`], { stdin: given }))), ['Q q A a'])
})

test('two answers of alpaca_eval’s annotations', async () => {
  const stdin = ndjson([{ instruction: 'i', output_1: 'first', output_2: 'second' }])
  const ran = await pipe('jb-render vanilla | jb-call -q -m baseline:longer | jb-parse', { stdin })
  const made = rowsOf(ran)[0]!.jb
  assert.deepEqual(made.map, { question: 'instruction', answer_a: 'output_1', answer_b: 'output_2' })
  assert.equal(made.verdict!.decision, 'B>A')
})

test('a judge that shows a question where there is one says that it shows none', async () => {
  const none =
    /^jb-render: pass_fail is shown the answer alone: no field is called question \(--map question=FIELD names one\)\n$/
  const ask = async (row: object, ...args: string[]) =>
    jb('render', ['pass_fail', '--set', 'criterion=x', ...args], { stdin: ndjson([row, row]) })
  expect(await ask({ id: 1, 'Customer message': 'q', answer: 'a' }), { err: none })
  expect(await ask({ id: 1, response: 'a' }), { err: /is shown the answer alone.*\n.*--map answer=response/ })
  // Of several nothing is guessed.
  expect(await ask({ id: 1, prompt: 'p', query: 'q', answer: 'a' }), { err: none })
  fine(await ask({ id: 1, 'Customer message': 'q', answer: 'a' }, '--map', 'question=Customer message'))
  fine(await ask({ id: 1, answer: 'a' }, '--set', 'question=q'))
  const chat = [{ role: 'user', content: 'q' }]
  fine(await ask({ id: 1, messages: chat }, '--map', 'answer=messages'))
  fine(await ask({ id: 1, question: 'q', answer: 'a' }))
  // A judge that must have a question fails the row instead.
  expect(await jb('render', ['relevance'], { stdin: ndjson([{ id: 1, answer: 'a' }]) }), {
    err: /missing_field/,
  })
})
