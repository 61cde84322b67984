/** Options of jb-call: its help, parameters of requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { expect, fine, jb, pipe, sh } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
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

test('the report names the parameters that were sent, not those that jb-render wrote', async (t) => {
  const server = await chatServer(t)
  const cache = `${folder(t)}/cache`
  const call = async (options: string, stdin: string) =>
    fine(
      await pipe(`jb-call -q -m m --base-url ${server.url} --cache ${cache} ${options}`, {
        stdin,
      }),
    ).stdout
  const made = async (stdin: string, how = 'jb-aggregate') =>
    JSON.parse((await pipe(`jb-parse -q | ${how}`, { stdin })).stdout).made.parameters
  const plain = await call('', trials(2))
  assert.deepEqual(await made(plain), { temperature: 0 })
  const options = '--temperature 1 --param \'top_p=0.5\' --param \'messages=[{"role":"user","content":"x"}]\''
  const given = await call(options, trials(2))
  assert.deepEqual(objects(given)[0].jb.reply.parameters, { temperature: 1, top_p: 0.5 })
  for (const how of ['jb-aggregate', 'jb-score | jb-aggregate'])
    assert.deepEqual(await made(given, how), { temperature: 1, top_p: 0.5 })
  // Without a call the row stays as it is; from the cache it gets the same bytes.
  assert.equal(await call(options, given), given)
  assert.equal(await call(options, trials(2)), given)
  assert.equal(await call('', given), plain)
  const cost = objects(await call(`${options} --price 1,1`, given))[0].jb.reply
  assert.deepEqual([cost.parameters, typeof cost.fingerprint], [{ temperature: 1, top_p: 0.5 }, 'string'])
  assert.equal(await made(await call('--param temperature=', trials(2))), undefined)
  // Rows of both in one report.
  const other = given.replaceAll('"item":"', '"item":"x')
  assert.deepEqual(await made(plain + other), [{ temperature: 0 }, { temperature: 1, top_p: 0.5 }])
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

test('a parameter that is a number in every API is one: 0,5 is refused', async () => {
  expect(await jb('call', ['-m', 'baseline:longer', '--param', 'temperature=0,5'], { stdin: '' }), {
    code: 2,
    err: 'jb-call: --param temperature: expected a number, not "0,5"\n',
  })
})

test('a prefix that is nearly a provider’s is refused, unless the server is the user’s own', async (t) => {
  const server = await chatServer(t)
  const args = ['-q', '-m', 'antropic/claude']
  expect(await jb('call', args, { stdin: trials(1) }), {
    code: 2,
    err: /no provider is called antropic: did you mean anthropic\/claude\?/,
  })
  fine(await callOnce(server.url, args, trials(1)))
})

test('a parameter with two values is refused: which is meant is not known', async () => {
  const called = (...args: string[]) => jb('call', ['-m', 'baseline:longer', ...args], { stdin: '' })
  expect(await called('--temperature', '1', '--param', 'temperature=0'), {
    code: 2,
    err: 'jb-call: temperature is given twice, as 1 and as 0: give it once\n',
  })
  fine(await called('--temperature', '1', '--param', 'temperature=1'))
})
