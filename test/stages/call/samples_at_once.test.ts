/** `--samples-at-once`: one request for the samples of a trial. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Usage } from '../../../src/rows/record.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { callOnce, privateEnv, trial } from './rows.ts'
import { type Call, chatBody, chatServer } from './server.ts'

const sampled = (id: string, samples: number, params: object = {}, name?: string) =>
  Array.from({ length: samples }, (_, sample) =>
    trial(id, `question ${id}`, {
      trial: { n: sample, of: samples, sample },
      ...(name && { name }),
      request: { messages: [{ role: 'user', content: `question ${id}` }], temperature: 0.7, ...params },
    }),
  )

/** A server with as many choices as are asked for, each another, or what `choice` makes of it. */
const several = (
  t: Parameters<typeof chatServer>[0],
  choice: (index: number, call: Call) => object = () => ({}),
) =>
  chatServer(t, (call) => ({
    body: chatBody('', 'm', {
      choices: Array.from({ length: call.body.n ?? 1 }, (_, index) => ({
        index,
        message: { role: 'assistant', content: `${call.text}: ${call.n}.${index}` },
        finish_reason: 'stop',
        ...choice(index, call),
      })),
    }),
  }))

test('samples that follow one another are one request, its usage and cost count once, and a second run makes none', async (t) => {
  const env = privateEnv(t)
  const server = await several(t)
  const rows = ndjson([...sampled('a', 3), ...sampled('b', 3), ...sampled('c', 1), ...sampled('a', 2)])
  const args = ['-m', 'm', '--base-url', server.url, '-j', '1', '--price', '1,1']
  const run = (...more: string[]) => jb('call', [...args, ...more], { stdin: rows, env })
  const plan = JSON.parse(fine(await run('--samples-at-once', '-n', '-q')).stdout)
  assert.deepEqual([plan.rows, plan.calls], [9, 4])
  const first = expect(await run('--samples-at-once'), { err: /9 rows, 4 calls, 40 \+ 20 tokens, \$0\.0001/ })
  assert.deepEqual(
    rowsOf(first).map(({ jb }) => jb.reply!.text.slice('question '.length)),
    ['a: 0.0', 'a: 0.1', 'a: 0.2', 'b: 1.0', 'b: 1.1', 'b: 1.2', 'c: 2.0', 'a: 3.0', 'a: 3.1'],
  )
  assert.deepEqual(
    rowsOf(first).map(({ jb }) => [jb.reply!.usage?.total_tokens, jb.reply!.cost]),
    [0, 3, 6, 7].reduce((all, at) => all.with(at, [15, 0.000015]), Array(9).fill([undefined, undefined])),
  )
  assert.deepEqual(
    server.calls.map(({ body }) => body.n),
    [3, 3, undefined, 2],
  )
  assert.equal(fine(await run('--samples-at-once', '-q')).stdout, first.stdout)
  const kept = await jb('call', [...args, '-q', '--samples-at-once', '--no-cache'], {
    stdin: first.stdout,
    env,
  })
  assert.equal(fine(kept).stdout, first.stdout)
  assert.equal(server.calls.length, 4)
  // Samples that are asked for one by one are other draws.
  fine(await run('-q'))
  assert.equal(server.calls.length, 4 + 8)
})

test('a failed answer is its row’s; a failed request is that of all its rows, and is paid for once', async (t) => {
  const server = await several(t, (index, { text }) => ({
    ...(index === 0 && { finish_reason: 'error' }),
    ...(text.endsWith('b') && {
      finish_reason: 'content_filter',
      message: { role: 'assistant', content: '' },
    }),
  }))
  const rows = ndjson([...sampled('a', 3), ...sampled('b', 2)])
  const ran = await callOnce(server.url, ['--samples-at-once', '--max-error-rate', '1'], rows)
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => [
      jb.error?.code,
      ((jb.error ?? jb.reply)!.usage as Usage | undefined)?.total_tokens,
    ]),
    [
      ['bad_response', undefined],
      [undefined, 15],
      [undefined, undefined],
      ['refused', 15],
      ['refused', undefined],
    ],
  )
  assert.equal(server.calls.length, 2)
})

test('a server that gives one answer, and an API that takes no n, are told', async (t) => {
  const server = await chatServer(t)
  const rows = ndjson(sampled('a', 2))
  const ran = await callOnce(server.url, ['--samples-at-once', '--max-error-rate', '1'], rows)
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.error?.message),
    [undefined, 'the server gave 1 of 2 answers (n): leave out --samples-at-once'],
  )
  expect(await callOnce(server.url, ['--samples-at-once', '--api', 'anthropic'], rows), {
    code: 2,
    err: /--samples-at-once: the API of .* gives one answer to a request/,
  })
})

test('a bad row after samples loses none of them', async (t) => {
  const server = await several(t)
  const rows = `${ndjson(sampled('a', 3))}{"bad\n`
  const ran = expect(await callOnce(server.url, ['--samples-at-once'], rows), { code: 65 })
  assert.equal(rowsOf(ran).length, 3)
})

test('as many calls are in flight as -j says, of several samples each; --repair asks for one', async (t) => {
  const server = await chatServer(t, ({ body, text }) => ({
    delay: 50,
    body: chatBody('', 'm', {
      choices: Array.from({ length: body.n ?? 1 }, (_, index) => ({
        index,
        message: { role: 'assistant', content: index === 1 ? 'no verdict' : `${text} [[A>B]]` },
        finish_reason: 'stop',
      })),
    }),
  }))
  const rows = ndjson(['a', 'b', 'c', 'd', 'e', 'f'].flatMap((id) => sampled(id, 4)))
  const ran = await callOnce(server.url, ['--samples-at-once', '-j', '3', '--repair', '1', '-q'], rows)
  assert.ok(rowsOf(fine(ran)).every(({ jb }) => jb.reply!.text.includes('[[A>B]]')))
  assert.equal(server.widest, 3)
  assert.deepEqual(server.calls.map(({ body }) => body.n ?? 1).toSorted(), [
    ...Array(6).fill(1),
    ...Array(6).fill(4),
  ])
})
