/** Options of jb-call: its help, parameters of requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expect, fine, jb, sh } from '../../helpers/run.ts'
import { callOnce, trials } from './rows.ts'
import { chatServer } from './server.ts'

test('options are over the judge’s own parameters, and take one away', async (t) => {
  const server = await chatServer(t)
  const args = [
    '-q',
    '--temperature',
    '0.7',
    '--max-tokens',
    '9',
    '--param',
    'top_p=0.5',
    '--param',
    'stop=END',
    '--param',
    'stop2=["a"]',
  ]
  fine(
    await callOnce(
      server.url,
      [...args, '--param', 'chat_template_kwargs={"enable_thinking":false}'],
      trials(1),
    ),
  )
  const { messages: _, ...body } = server.calls[0]!.body
  assert.deepEqual(body, {
    model: 'm',
    temperature: 0.7,
    max_tokens: 9,
    top_p: 0.5,
    stop: 'END',
    stop2: ['a'],
    chat_template_kwargs: { enable_thinking: false },
  })
  fine(await callOnce(server.url, ['-q', '--param', 'temperature='], trials(1)))
  assert.equal('temperature' in server.calls[1]!.body, false)
  expect(await callOnce(server.url, ['--param', 'nothing'], trials(1)), { code: 2, err: /expected KEY=JSON/ })
  expect(await callOnce(server.url, ['--param', 'stream=true'], trials(1)), {
    code: 2,
    err: /replies are read whole/,
  })
})

test('the help names every option, and wrong ones are answered with the nearest', async () => {
  const { stdout } = fine(await jb('call', ['--help-all']))
  for (const option of [
    '--model',
    '--base-url',
    '--api',
    '--param',
    '--concurrency',
    '--rpm',
    '--tpm',
    '--retries',
    '--retry-min',
    '--retry-max',
    '--timeout',
    '--max-error-rate',
    '--preflight',
    '--no-preflight',
    '--repair',
    '--cache',
    '--no-cache',
    '--refresh',
    '--record',
    '--replay',
    '--unordered',
    '--max-cost',
    '--price',
    '--dry-run',
  ])
    assert.ok(stdout.includes(option), option)
  assert.deepEqual(
    stdout.split('\n').filter((line) => [...line].length > 80),
    [],
    'a line is wider than 80 columns',
  )
  expect(await jb('call', ['--modle', 'x'], { stdin: '' }), { code: 2, err: /did you mean --model\?/ })
  expect(await jb('call', ['-j', '0'], { stdin: '' }), { code: 2, err: /--concurrency: at least 1/ })
  fine(await sh('jb-call -q -m m < /dev/null'))
})

test('--param: what begins as JSON must be JSON', async (t) => {
  const server = await chatServer(t)
  expect(await callOnce(server.url, ['--param', 'response_format={type:json_object}'], trials(1)), {
    code: 2,
    err: /--param response_format: not valid JSON/,
  })
  fine(await callOnce(server.url, ['-q', '--param', 'stop=END'], trials(1)))
  assert.equal(server.calls.at(-1)!.body.stop, 'END')
})
