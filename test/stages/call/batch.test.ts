/** Batch files: out by custom_id, back by custom_id. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { provider as anthropic } from '../../../src/providers/anthropic.ts'
import { provider as chat } from '../../../src/providers/chat.ts'
import { BatchFiles } from '../../../src/stages/call/batch/emit.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { linesOf, result } from './_batch.ts'
import { privateEnv, trial, trials } from './rows.ts'
import { reply } from './server.ts'

test('emit writes the provider’s lines, each request once; join gives each row its answer', async (t) => {
  const env = privateEnv(t)
  const verdict = { label: 'A>B' }
  const stdin = trials(30) + ndjson([trial(30, 'question 3', { verdict })])
  const emitted = await jb('call', ['-m', 'gpt-6-luna', '--batch', 'emit'], { stdin, env })
  expect(emitted, { err: /^jb-call: 30 requests, 1 the same as another\n$/ })
  const lines = linesOf(emitted.stdout)
  assert.equal(new Set(lines.map(({ custom_id }) => custom_id)).size, 30)
  assert.ok(lines.every(({ custom_id }) => /^[a-zA-Z0-9_-]{1,64}$/.test(custom_id)))
  const { custom_id, ...first } = lines[0]!
  assert.deepEqual(first, {
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gpt-6-luna', messages: [{ role: 'user', content: 'question 0' }], temperature: 0 },
  })
  const results = lines.toReversed().map((line) => result(line))
  const path = `${folder(t, { 'out.jsonl': ndjson(results) })}/out.jsonl`
  const joined = expect(await jb('call', ['-m', 'gpt-6-luna', '--batch', 'join', path], { stdin, env }), {
    err: /31 rows, 31 answers joined/,
  })
  const rows = rowsOf(joined)
  assert.deepEqual(
    rows.slice(0, 30).map(({ jb }) => jb.reply!.text),
    Array.from({ length: 30 }, (_, i) => reply(`question ${i}`)),
  )
  assert.equal(rows[30]!.jb.reply!.text, reply('question 3'))
  assert.equal(rows[30]!.jb.verdict, undefined, 'of another reply')
  assert.deepEqual(rows[0]!.jb.reply!.usage, {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    service_tier: 'batch',
  })
  assert.equal(rows[0]!.jb.reply!.cost, 0.00000175, 'half of the list price')
  // What was joined is in the cache: nothing is left to emit or to call.
  expect(await jb('call', ['-m', 'gpt-6-luna', '--batch', 'emit'], { stdin, env }), {
    out: '',
    err: /0 requests, 31 in the cache already/,
  })
  expect(await jb('call', ['-m', 'gpt-6-luna', '--base-url', 'https://api.openai.com/v1'], { stdin, env }), {
    out: joined.stdout,
    err: /31 from the cache/,
  })
})

test('files are split at the provider’s limits, of requests and of bytes, and by model', (t) => {
  const place = folder(t)
  const files = new BatchFiles(`${place}/b`)
  const limits = { requests: 3, bytes: 25 }
  for (let i = 0; i < 5; i++) files.write(Buffer.from(`{"n":${i}}\n`), 'one', limits)
  files.write(Buffer.from('{"other":1}\n'), 'two', limits)
  files.write(Buffer.from('{"longer":11111}\n'), 'one', limits)
  assert.deepEqual(files.close(), [
    { file: `${place}/b-001.jsonl`, model: 'one', requests: 3, bytes: 24 },
    { file: `${place}/b-002.jsonl`, model: 'one', requests: 2, bytes: 16 },
    { file: `${place}/b-003.jsonl`, model: 'two', requests: 1, bytes: 12 },
    { file: `${place}/b-004.jsonl`, model: 'one', requests: 1, bytes: 17 },
  ])
  assert.equal(readFileSync(`${place}/b-002.jsonl`, 'utf8'), '{"n":3}\n{"n":4}\n')
  // OpenAI's and Anthropic's, as their documentation has them.
  assert.deepEqual([chat.batch!.requests, chat.batch!.bytes], [50_000, 200_000_000])
  assert.deepEqual([anthropic.batch!.requests, anthropic.batch!.bytes], [100_000, 256_000_000])
})

test('--batch-files: a file a model; join reads a whole folder of results', async (t) => {
  const env = { ...privateEnv(t), LLM_JUDGE_MODEL: 'one', LLM_JUDGE_OTHER_MODEL: 'two' }
  const place = folder(t)
  const stdin = ndjson([trial(0), trial(1), trial('o', 'small', { name: 'other' })])
  const ran = fine(await jb('call', ['-q', '--batch', 'emit', '--batch-files', `${place}/b`], { stdin, env }))
  const files = ran.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    files.map(({ file, model, requests }) => [file, model, requests]),
    [
      [`${place}/b-001.jsonl`, 'one', 2],
      [`${place}/b-002.jsonl`, 'two', 1],
    ],
  )
  const results = readdirSync(place)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => [
      name,
      ndjson(linesOf(readFileSync(`${place}/${name}`, 'utf8')).map((line) => result(line))),
    ])
  const joined = await jb('call', ['--batch', 'join', folder(t, Object.fromEntries(results))], { stdin, env })
  expect(joined, { err: /3 answers joined/ })
  assert.deepEqual(
    rowsOf(joined).map(({ jb }) => jb.reply!.model),
    ['one', 'one', 'two'],
  )
  const mixed = await jb('call', ['--batch', 'emit', '--no-cache'], { stdin, env })
  expect(mixed, { err: /requests to one, two in one file: a batch takes one model/ })
})

test('Anthropic’s batches: params in, messages out', async (t) => {
  const env = privateEnv(t)
  const stdin = trials(3)
  const args = ['-m', 'claude', '--api', 'anthropic', '-q']
  const lines = linesOf((await jb('call', [...args, '--batch', 'emit'], { stdin, env })).stdout)
  assert.deepEqual(lines[0]!.params, {
    model: 'claude',
    temperature: 0,
    messages: [{ role: 'user', content: 'question 0' }],
    max_tokens: 4096,
  })
  const results = [
    {
      custom_id: lines[1]!.custom_id,
      result: {
        type: 'succeeded',
        message: {
          model: 'claude',
          content: [{ type: 'text', text: 'one' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      },
    },
    {
      custom_id: lines[0]!.custom_id,
      result: {
        type: 'errored',
        error: { type: 'error', error: { type: 'invalid_request', message: 'too long' } },
      },
    },
    { custom_id: lines[2]!.custom_id, result: { type: 'expired' } },
  ]
  const path = `${folder(t, { r: ndjson(results) })}/r`
  const rows = rowsOf(await jb('call', [...args, '--batch', 'join', path], { stdin, env }))
  assert.deepEqual(
    rows.map(({ jb }) => jb.reply?.text ?? jb.error!.message),
    ['the batch did not answer: too long', 'one', 'the batch did not answer: expired'],
  )
})

test('--record, --replay and --repair are not for batches: they are refused, not ignored', async (t) => {
  const results = folder(t, { 'r.jsonl': '' })
  for (const [option, value] of [
    ['record', `${results}/rec`],
    ['replay', `${results}/r.jsonl`],
    ['repair', '1'],
  ] as const) {
    const args = ['-m', 'm', '--no-cache', '--batch', 'join', `--${option}`, value, `${results}/r.jsonl`]
    expect(await jb('call', args, { stdin: trials(1) }), {
      code: 2,
      err: new RegExp(`--${option}: --batch join makes no calls`),
    })
  }
  const env = { JB_REPAIR: '1' }
  const emitted = await jb('call', ['-m', 'm', '--no-cache', '--batch', 'emit'], { stdin: trials(1), env })
  expect(emitted, { err: /JB_REPAIR is ignored: --batch emit makes no calls/ })
})

test('emit refuses rows that ask one model at two endpoints: a batch is made at one', async (t) => {
  const env = {
    ...privateEnv(t),
    LLM_JUDGE_A_API_BASE: 'http://127.0.0.1:1/v1',
    LLM_JUDGE_B_API_BASE: 'http://127.0.0.1:2/v1',
  }
  const stdin = ndjson([trial(0, 'one', { name: 'a' }), trial(1, 'two', { name: 'b' })])
  const ran = await jb('call', ['-m', 'm', '--batch', 'emit', '--max-error-rate', '1'], { stdin, env })
  assert.equal(linesOf(ran.stdout).length, 1)
  expect(ran, {
    err: /other rows ask m at http:\/\/127\.0\.0\.1:1\/v1\/chat\/completions, this one at .*:2\/v1.*\n.*1 requests, 1 rows without one/,
  })
})

test('emit exits with 1 where more rows than --max-error-rate have no request', async (t) => {
  const stdin = ndjson([{ id: 0 }, trial(1)])
  const ran = await jb('call', ['-m', 'm', '--batch', 'emit'], { stdin, env: privateEnv(t) })
  expect(ran, { code: 1, err: /1 of 2 rows have no request \(more than --max-error-rate 0\.1\)/ })
})
