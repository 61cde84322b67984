/** Judges that are Python classes: what a run starts and says, with a script in Python's place. */
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Context } from '../../../src/rows/stage.ts'
import { PythonHost } from '../../../src/stages/workflow/python_host.ts'
import { pythonStep } from '../../../src/stages/workflow/python_step.ts'
import { lastingFolder } from '../../helpers/folder.ts'
import { has } from '../../helpers/run.ts'
import { callEnv } from '../../trec/_cli.ts'
import { chatBody, chatServer } from '../call/server.ts'
import { plan } from './_plan.ts'

/** Answers as bridge.py does: with its environment, with a chat completion, or with the error that is asked for. */
const SCRIPT = `#!${process.execPath}
const post = (body) => fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST', body: JSON.stringify(body), headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY } })
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { error, die, env, ...body } = JSON.parse(line)
  if (die) process.exit(3)
  let message = line
  if (env) message = JSON.stringify(process.env)
  if (body.model) { const response = await post(body); message = response.status + ' ' + (await response.text()) }
  console.log(JSON.stringify({ error: { kind: error ?? 'refused', message } }))
})
`
const folder = lastingFolder({ python: SCRIPT })
const python = join(folder, 'python')
chmodSync(python, 0o755)

const chat = (text: string, more: object = {}) =>
  JSON.stringify({ model: 'm', temperature: 0, messages: [{ role: 'user', content: text }], ...more })

describe('a judge’s process and the server of its calls', () => {
  it('a judge’s calls go through jb-call, whose key it does not see; a request that no reply can hold is refused', async (t) => {
    const server = await chatServer(t, () => ({ body: chatBody('2') }))
    const env = {
      ...callEnv(folder),
      OPENAI_API_KEY: 'run-secret',
      MY_KEY: 'other-secret',
      PATH: process.env.PATH,
    }
    const host = new PythonHost(env)
    const { JB_PYTHON_JUDGES: way } = await host.open()
    const call = [
      '--base-url',
      server.url,
      '--cache',
      join(folder, 'cache.ndjson'),
      '--api-key-env',
      'MY_KEY',
      '-q',
    ]
    const run = async (ask: string) => (await host.run({ python, call, ask, pass: [] }))?.message ?? ''
    const seen = await run('{"env":true}')
    assert.doesNotMatch(seen, /run-secret|other-secret/)
    assert.match(seen, /"OPENAI_BASE_URL":"http:\/\/127\.0\.0\.1:\d+\/v1"/)
    assert.match(await run(chat('a')), /^200 .*"content":"2"/)
    assert.match(await run(chat('a')), /^200 /)
    assert.equal(server.calls.length, 1, 'the second is in the cache')
    assert.equal(server.calls[0]!.headers.authorization, 'Bearer other-secret')
    assert.match(await run(chat('b', { stream: true })), /^400 .*stream/)
    const [port] = way.split(' ')
    for (const path of ['/judge', '/v1/chat/completions'])
      assert.equal(await status(`http://127.0.0.1:${port}${path}`, 'wrong'), 401)
    await host.close()
  })
  it('a judge gets the variables of a list and those that the user names, whatever else is called', async () => {
    const kept = { HOME: '/h', LC_ALL: 'C', PYTHONPATH: 'p', CUDA_VISIBLE_DEVICES: '0', CACHE_DIR: 'c' }
    const others = [
      'HF_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'OPENAI_API_KEY_2',
      'MY_CREDENTIAL',
      'JB_HEADER',
      'XPATH',
    ]
    const env = { ...kept, ...Object.fromEntries(others.map((name) => [name, 'secret'])), NAMED: 'n' }
    const host = new PythonHost(env)
    await host.open()
    const outcome = await host.run({ python, call: [], ask: '{"env":true}', pass: ['NAMED'] })
    await host.close()
    const seen = JSON.parse(outcome!.message) as Record<string, string>
    assert.deepEqual(
      Object.keys(seen).sort(),
      [
        ...Object.keys(kept),
        ...[
          'NAMED',
          'NO_PROXY',
          'OPENAI_API_BASE',
          'OPENAI_API_KEY',
          'OPENAI_BASE_URL',
          'PYTHONUNBUFFERED',
          'no_proxy',
        ],
      ].sort(),
    )
    assert.doesNotMatch(outcome!.message, /secret/)
  })
  it('failures end a step with a code of their own', async () => {
    const context = { env: { PATH: process.env.PATH }, note() {} } as unknown as Context
    const step = (ask: string, by = python) => pythonStep([ask], { python: by, passEnv: [] }, context)
    await assert.rejects(step('phase=x'), { exitCode: 78 })
    await assert.rejects(step('error=failed'), { exitCode: 70 })
    await assert.rejects(step('die:=true'), /has ended \(exit code 3\)/)
    await assert.rejects(step('phase=x', join(folder, 'nowhere')), /nowhere cannot be started: .*ENOENT/)
    await assert.rejects(pythonStep([], { python, passEnv: [] }, context), { exitCode: 2 })
  })
  const none = has('python3') ? false : 'NOT RUN: python3 is not there'
  it('a Python without the package that runs judges, as a new user’s is, is named', {
    skip: none,
  }, async () => {
    const context = { env: { PATH: process.env.PATH }, note() {} } as unknown as Context
    const bare = join(folder, 'bare')
    writeFileSync(bare, '#!/bin/sh\nexec python3 -I -S "$@"\n', { mode: 0o755 })
    const ran = pythonStep(['phase=judge'], { python: bare, passEnv: [] }, context)
    await assert.rejects(ran, {
      exitCode: 78,
      message: /has no package autojudge_base.*another Python with --python/,
    })
  })
})

const status = (url: string, key: string) =>
  new Promise((resolve) =>
    request(url, { method: 'POST', headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).end('{}'),
  )

describe('the plan', () => {
  it('a class is a judge of all phases that name no other', async () => {
    const { judges, flags } = await plan('judge_class: "my.pkg:Judge"')
    assert.deepEqual(
      [judges.judge, judges.nugget, judges.qrels].map(({ kind, name }) => [kind, name]),
      Array(3).fill(['python', 'my.pkg:Judge']),
    )
    assert.deepEqual([flags.create_nuggets, flags.create_qrels], [true, true])
    const mixed = await plan('judge_class: my.pkg.Judge\nnugget_class: nuggetize\ncreate_qrels: no\n')
    assert.deepEqual([mixed.judges.nugget.kind, mixed.judges.judge.kind], ['list', 'python'])
    assert.equal((await plan('judge_class: my.pkg.Judge', { judge: 'relevance' })).judges.judge.kind, 'grade')
  })
})
