/** Grades in general: other scales, samples, probabilities, what a task file says of retries and errors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { judgeServer } from '../helpers/judge_server.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, jb, pipe } from '../helpers/run.ts'

const item = { question: 'Why?', answer: 'Because.' }

test('three samples of one question: a call each, their mean and spread', async (t) => {
  let count = 0
  const server = await judgeServer(t, () => `Rating: [[${[5, 4, 3][count++ % 3]}]]`)
  const ran = await pipe(
    `jb-render rating --samples 3 | jb-call -m m --base-url ${server.url} --no-cache -j 1 | jb-parse | jb-score`,
    { stdin: ndjson([item]) },
  )
  const { result, trials } = rowsOf(ran)[0]!.jb
  assert.equal(trials!.length, 3)
  assert.deepEqual([result!.score, result!.min, result!.max, result!.range], [4, 3, 5, [1, 5]])
  assert.equal(result!.std, Math.sqrt(2 / 3))
  assert.equal(server.asked.length, 3)
})

test('a judge of the user’s own with a scale of its own', async (t) => {
  const place = judgeFolder(t, {
    'stars.yaml': [
      'about: Stars.',
      'kind: grade',
      'fields: { text: answer }',
      'messages: [{ role: user, content: "Stars, 0 to 100, for {{ text }}" }]',
      'verdict: { rule: number, name: Stars, range: [0, 100] }',
    ].join('\n'),
  })
  const row = (text: string) => ({ ...item, said: text })
  const ran = await jb('parse', ['--judge', `${place}/stars.yaml`, '--text', 'said'], {
    stdin: ndjson([row('Stars: 80'), row('**Stars:** 40/100'), row('Stars: 101')]),
  })
  const rows = rowsOf(ran)
  assert.deepEqual(
    rows.map(({ jb }) => jb.verdict?.score ?? jb.error?.code),
    [80, 40, 'out_of_range'],
  )
  const report = JSON.parse((await jb('aggregate', ['--format', 'json'], { stdin: ran.stdout })).stdout)
  assert.deepEqual([report.score, report.utility, report.range], [60, 0.6, [0, 100]])
})

test('a score weighted by the probabilities a server gives', async (t) => {
  const top = [
    ['4', 0.5],
    ['5', 0.3],
    ['3', 0.2],
  ] as const
  const server = await judgeServer(t, (asked) => ({
    text: '4',
    logprobs: asked.logprobs
      ? {
          content: [
            {
              token: '4',
              logprob: Math.log(0.5),
              top_logprobs: top.map(([token, p]) => ({ token, logprob: Math.log(p) })),
            },
          ],
        }
      : undefined,
  }))
  const ran = await pipe(
    `jb-render rating_weighted | jb-call -m m --base-url ${server.url} --no-cache | jb-parse`,
    {
      stdin: ndjson([item]),
    },
  )
  const { verdict } = rowsOf(ran)[0]!.jb
  assert.ok(Math.abs(verdict!.score! - 4.1) < 1e-12)
  assert.deepEqual([verdict!.said, verdict!.label], [4, '4'])
  assert.equal(server.asked.at(-1)!.top_logprobs, 20)
})

const task = (url: string, more: string) =>
  `task: t\nmetric_list:\n  - metric: llm_judge\n    model: m\n    api_base: ${url}\n    preflight_check: false\n    prompt_template: "{{ prediction }}"\n    ${more}\n`

test('a task file says how often to try again and how many may fail', async (t) => {
  const server = await judgeServer(t, (asked) =>
    asked.messages[0]!.content === 'bad' ? { status: 500 } : 'Score: 5',
  )
  const place = judgeFolder(t, {
    'strict.yaml': task(
      server.url,
      'retry_attempts: 1\n    retry_min_wait: 0.01\n    retry_max_wait: 0.02\n    max_error_rate: 0.2',
    ),
    'loose.yaml': task(server.url, 'retry_attempts: 0\n    max_error_rate: 1.0'),
  })
  const stdin = ndjson(['good', 'bad', 'good', 'good'].map((prediction) => ({ prediction })))
  const call = (name: string) => pipe(`jb-render '${place}/${name}.yaml' | jb-call --no-cache`, { stdin })
  const strict = expect(await call('strict'), { code: 1, err: /1 of 4 rows failed \(25/ })
  assert.equal(rowsOf(strict).filter(({ jb }) => jb.reply).length, 3)
  assert.equal(server.asked.filter((asked) => asked.messages[0]!.content === 'bad').length, 2)
  const loose = expect(await call('loose'), { code: 0 })
  assert.equal(rowsOf(loose)[1]!.jb.error!.code, 'unavailable')
  assert.equal(server.asked.filter((asked) => asked.messages[0]!.content === 'bad').length, 3)
})

test('retry_attempts are further attempts, as documented', async (t) => {
  let status = 500
  const server = await judgeServer(t, () => ({ status }))
  const waits = 'retry_min_wait: 0.01\n    retry_max_wait: 0.02\n    max_error_rate: 1.0'
  const named = (attempts: number) => `retry_attempts: ${attempts}\n    ${waits}`
  const place = judgeFolder(t, {
    'none.yaml': task(server.url, waits),
    '0.yaml': task(server.url, named(0)),
    '1.yaml': task(server.url, named(1)),
    '2.yaml': task(server.url, named(2)),
  })
  const attempts = async (name: string, call = '') => {
    const before = server.asked.length
    await pipe(`jb-render '${place}/${name}.yaml' | jb-call -q --no-cache ${call}`, {
      stdin: ndjson([{ prediction: 'p' }]),
    })
    return server.asked.length - before
  }
  for (const [name, calls] of [
    ['none', 4],
    ['0', 1],
    ['1', 2],
    ['2', 3],
  ] as const)
    assert.deepEqual([name, await attempts(name)], [name, calls])
  assert.equal(await attempts('0', '--retries 1'), 2)
  // Refusals, too, where the file writes the number.
  for (const refused of [429, 503]) {
    status = refused
    assert.deepEqual([refused, await attempts('1')], [refused, 2])
  }
})

test('a structured reply that is no JSON is asked for again with the error and the schema', async (t) => {
  const server = await judgeServer(t, (asked) =>
    asked.messages.length > 1 ? '```json\n{"score": 7.5, "accuracy": 8,}\n```' : 'I would say 7.5.',
  )
  const place = judgeFolder(t, {
    'task.yaml': task(server.url, 'response_format: { score: 8.5, accuracy: 9.0 }'),
  })
  const ran = await pipe(`jb-render '${place}/task.yaml' | jb-call --no-cache --repair 1 | jb-parse`, {
    stdin: ndjson([{ prediction: 'p' }]),
  })
  const { verdict } = rowsOf(ran)[0]!.jb
  assert.deepEqual([verdict!.score, verdict!.dimensions, verdict!.repaired], [7.5, { accuracy: 8 }, true])
  assert.match(server.asked.at(-1)!.messages.at(-1)!.content, /no JSON object.*"additionalProperties":false/s)
})
