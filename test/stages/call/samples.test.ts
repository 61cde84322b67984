/** Several replies to one prompt: samples, seeds, and n. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine } from '../../helpers/run.ts'
import { callOnce, trial, trials } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

test('samples at temperature 0 without a seed are noted once, before the first call', async (t) => {
  const server = await chatServer(t)
  const stdin = ndjson([0, 1, 2].map((sample) => trial(sample, 'q', { trial: { n: sample, of: 3, sample } })))
  const note =
    'will all be the same, and each is paid for: their temperature is 0 (--temperature 1 raises it)'
  const { stderr } = await callOnce(server.url, [], stdin)
  assert.equal(stderr.split(note).length, 2)
  // Where the first call ends the run, it has been said.
  const refusing = await chatServer(t, () => ({ status: 401 }))
  assert.ok((await callOnce(refusing.url, [], stdin)).stderr.includes(note))
  for (const args of [
    ['--temperature', '1'],
    ['--param', 'temperature='],
    ['--param', 'seed=1'],
  ])
    assert.ok(!(await callOnce(server.url, args, stdin)).stderr.includes(note))
})

test('samples with a seed have seeds of their own, and so have the draws of a repair', async (t) => {
  const server = await chatServer(t, () => ({ body: chatBody('hm') }))
  const request = { messages: [{ role: 'user', content: 'q' }], temperature: 1, seed: '@' }
  const rows = [0, 1, 2].map((sample) => trial(sample, 'q', { request, trial: { n: sample, of: 3, sample } }))
  const stdin = ndjson(rows).replaceAll('"@"', '9007199254740989')
  const judge = `${folder(t, { 'j.yaml': 'kind: pairwise\nmessages: [{ role: user, content: q }]\nverdict: { rule: label, pattern: "\\\\[(.)\\\\]", labels: { a: A>B, b: B>A } }\nagain: { times: 2 }\n' })}/j.yaml`
  const seeds = () =>
    server.calls
      .splice(0)
      .map(({ raw }) => /"seed":(-?[^,}]+)/.exec(raw)?.[1])
      .sort()
  await callOnce(server.url, ['-j', '1'], stdin)
  assert.deepEqual(seeds(), ['9007199254740989', '9007199254740990', '9007199254740991'])
  await callOnce(server.url, ['--param', 'seed=-1'], stdin)
  assert.deepEqual(seeds(), ['-1', '0', '1'])
  const named = stdin.replaceAll('"arena_hard"', JSON.stringify(judge))
  await callOnce(server.url, ['--judge', judge, '--repair', '2', '--param', 'seed=5'], named.split('\n')[1]!)
  assert.deepEqual(seeds(), ['1006', '2006', '6'])
  await callOnce(server.url, ['--param', 'seed="x"'], stdin)
  assert.deepEqual(seeds(), ['"x"', '"x"', '"x"'])
})

test('n above 1 is refused, with what to do in its place', async (t) => {
  const server = await chatServer(t)
  const err = /"?n"?:.* a row has one reply: jb-render --samples N makes rows for more/
  expect(await callOnce(server.url, ['--param', 'n=2'], trials(1)), { code: 2, err })
  const request = { messages: [{ role: 'user', content: 'q' }], n: 3 }
  const [row] = rowsOf(
    expect(await callOnce(server.url, [], ndjson([trial(0, 'q', { request })])), { code: 1, err }),
  )
  assert.equal(row!.jb.error!.code, 'bad_request')
  assert.equal(server.calls.length, 0)
  fine(await callOnce(server.url, ['-q', '--param', 'n=1'], trials(1)))
})
