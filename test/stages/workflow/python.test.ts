/** Judges that are Python classes: what a run starts and says, with a script in Python's place. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { JsonObject } from '../../../src/rows/record.ts'
import type { Context } from '../../../src/rows/stage.ts'
import { PythonHost } from '../../../src/stages/workflow/python_host.ts'
import { pythonStep } from '../../../src/stages/workflow/python_step.ts'
import { lastingFolder } from '../../helpers/folder.ts'
import { has } from '../../helpers/run.ts'
import { callEnv, kiddie, sh } from '../../trec/_cli.ts'
import { chatBody, chatServer } from '../call/server.ts'
import { plan } from './_plan.ts'

/** Answers as bridge.py does: with its environment, with a chat completion, or with the error that is asked for. */
const SCRIPT = `#!${process.execPath}
const post = (body) => fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST', body: JSON.stringify(body), headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY } })
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { error, die, env, parent, ...body } = JSON.parse(line)
  if (die) process.exit(3)
  let message = line
  if (env) message = JSON.stringify(process.env)
  if (parent) message = require('node:fs').readFileSync('/proc/' + process.ppid + '/environ', 'utf8')
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
    assert.match(await run(chat('b', { n: 0 })), /^400 .*n.": 0/)
    const [port] = way.split(' ')
    for (const path of ['/judge', '/v1/chat/completions'])
      assert.equal(await status(`http://127.0.0.1:${port}${path}`, 'wrong'), 401)
    await host.close()
  })
  it('logprobs are passed on; n choices are as many samples, and the sum of what they took', async (t) => {
    const logprobs = { content: [{ token: '2', logprob: -0.1, top_logprobs: [] }] }
    const server = await chatServer(t, ({ attempt }) => {
      const { choices, ...body } = chatBody(`try ${attempt}`) as { choices: object[] }
      return { body: { ...body, choices: [{ ...choices[0], logprobs }], usage: { prompt_tokens: 3 } } }
    })
    const host = new PythonHost({ ...callEnv(folder), OPENAI_API_KEY: 'k', PATH: process.env.PATH })
    await host.open()
    const call = ['--base-url', server.url, '--no-cache', '-q', '-j', '1']
    const ask = chat('a', { n: 3, temperature: 1, logprobs: true })
    const outcome = await host.run({ python, call, ask, pass: [] })
    await host.close()
    const body = JSON.parse(outcome!.message.replace(/^200 /, ''))
    assert.deepEqual(
      body.choices.map(({ index, message, logprobs }: JsonObject) => [index, message, logprobs]),
      [1, 2, 3].map((n) => [n - 1, { role: 'assistant', content: `try ${n}` }, logprobs]),
    )
    assert.deepEqual(body.usage, { prompt_tokens: 9 })
    assert.deepEqual(
      server.calls.map(({ body }) => [body.logprobs, body.n]),
      Array(3).fill([true, undefined]),
    )
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
      // A shell adds its own.
      Object.keys(seen)
        .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))
        .sort(),
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
  it('nor does its parent hold a key', { skip: process.platform !== 'linux' && 'NOT RUN: no /proc' }, () => {
    const { stdout, stderr } = sh(`jb-workflow python --python ${python} -- ask 'parent:=true'`, {
      env: { OPENAI_API_KEY: 'run-secret', LC_ALL: 'C' },
    })
    assert.match(stdout + stderr, /LC_ALL=C/)
    assert.doesNotMatch(stdout + stderr, /run-secret/)
  })
  it('failures end a step with a code of their own', async () => {
    const context = { env: { PATH: process.env.PATH }, note() {} } as unknown as Context
    const step = (ask: string, by = python) => pythonStep([ask], { python: by, passEnv: [] }, context)
    await assert.rejects(step('phase=x'), { exitCode: 78 })
    await assert.rejects(step('error=failed'), { exitCode: 70 })
    await assert.rejects(step('die:=true'), /has ended \(exit code 3\)/)
    await assert.rejects(step('phase=x', join(folder, 'nowhere')), {
      exitCode: 78,
      message: /nowhere cannot be started/,
    })
    await assert.rejects(pythonStep([], { python, passEnv: [] }, context), { exitCode: 2 })
  })
  const none = has('python3') ? false : 'NOT RUN: python3 is not there'
  it('a module that cannot be imported is named with the error’s own words, and no traceback for a missing package', {
    skip: none,
  }, () => {
    const frame = '*'.repeat(30)
    writeFileSync(
      join(folder, 'broken.py'),
      `raise LookupError(${JSON.stringify(`\n${frame}\n  Resource 'stopwords' not found.\n${frame}`)})\n`,
    )
    writeFileSync(join(folder, 'bare.py'), 'import trec_auto_judge\n')
    const step = (name: string) =>
      sh(`jb-workflow python --python 'python3' -- ask phase=judge class=${name}:X`, { cwd: folder })
    const broken = step('broken')
    assert.equal(broken.code, 78)
    assert.match(
      broken.stderr,
      /broken:X cannot be imported by \S+: LookupError: Resource 'stopwords' not found\.\n$/,
    )
    assert.match(broken.stderr, /Traceback/)
    const bare = step('bare')
    assert.match(
      bare.stderr,
      /bare:X cannot be imported .*No module named '(trec_auto_judge|autojudge_base)': install/,
    )
    assert.doesNotMatch(bare.stderr, /Traceback/)
  })
  it('a Python without the package that runs judges, as a new user’s is, is named', {
    skip: none,
  }, async () => {
    const context = { env: { PATH: process.env.PATH }, note() {} } as unknown as Context
    const bare = join(folder, 'bare')
    writeFileSync(bare, '#!/bin/sh\nexec python3 -E -S "$@"\n', { mode: 0o755 })
    const ran = pythonStep(
      ['phase=judge', 'class=types:SimpleNamespace'],
      { python: bare, passEnv: [] },
      context,
    )
    await assert.rejects(ran, {
      exitCode: 78,
      message: /neither autojudge_base nor trec_auto_judge.*another Python with --python/,
    })
  })
})

describe('the classes of both generations', {
  skip: has('python3') ? false : 'NOT RUN: python3 is not there',
}, () => {
  const stub = 'test/documents/autojudge'
  /** What the judge of a module is given, and makes of it. */
  const judge = (imports: string, made: string) => `${imports}
import json
class Judge:
    def create_nuggets(self, **given):
        return None
    def judge(self, rag_responses, rag_topics, llm_config, nugget_banks=None, **given):
        print("GIVEN", json.dumps(given, default=str), llm_config.model)
        builder = LeaderboardBuilder(LeaderboardSpec(measures=(${made.includes('mean') ? 'MeasureSpec("M", mean_of_floats)' : 'MeasureSpec("M")'},)))
        for report in rag_responses:
            builder.add(run_id=report.metadata.run_id, topic_id=report.metadata.topic_id, values={"M": 0.5})
        spec = QrelsSpec(topic_id=lambda r: r.metadata.topic_id, doc_id=lambda r: r.metadata.run_id, grade=lambda r: 1, on_duplicate="keep_max")
        board, qrels = builder.build(), build_qrels(records=rag_responses, spec=spec)
        return ${made}
`
  const NAMES = 'LeaderboardBuilder, LeaderboardSpec, MeasureSpec, QrelsSpec, build_qrels'
  const first = (made: string) => judge(`from trec_auto_judge import ${NAMES}, mean_of_floats`, made)
  const cwd = kiddie()
  for (const [name, text] of Object.entries({
    first: first('(board, qrels if mean_of_floats else None)'),
    bare: judge(`from autojudge_base import ${NAMES}`, 'board, qrels'),
    alone: judge(`from autojudge_base import ${NAMES}`, 'board'),
    none: judge(`from autojudge_base import ${NAMES}`, 'None'),
  }))
    writeFileSync(join(cwd, `${name}.py`), text)
  for (const name of ['_stub', 'trec_auto_judge', 'autojudge_base'])
    writeFileSync(join(cwd, `${name}.py`), readFileSync(`${stub}/${name}.py`))
  const run = (module: string, ...more: string[]) => {
    const out = `${module}${more.join('')}`
    const line = `jb-workflow run --judge ${module}:Judge --rag-topics topics.jsonl --rag-responses runs --out-dir ${out} ${more.join(' ')}`
    const { code, stderr } = sh(line, { cwd, env: { PYTHONPATH: cwd } })
    const files = existsSync(join(cwd, out))
      ? readdirSync(join(cwd, out)).filter((name) => !name.startsWith('.'))
      : []
    return { code, stderr, files, text: (name: string) => readFileSync(join(cwd, out, name), 'utf8') }
  }
  it('a workflow without settings; a judge that returns leaderboard and qrels, in the files of its generation', () => {
    const { code, stderr, files, text } = run('first', '--compat', 'seed')
    assert.equal(code, 0, stderr)
    assert.deepEqual(files, ['default.config.yml', 'default.judgment.json', 'default.judgment.qrels'])
    assert.match(text('default.judgment.json'), /^a\tM\tt1\t0\.5\n/)
    assert.match(text('default.judgment.qrels'), /^t1 0 a 1\n/)
    assert.match(stderr, /GIVEN \{"filebase": ".*default"\} $/m)
  })
  it('the same judge under present names', () => {
    const { code, stderr, files, text } = run('first', '--compat', 'none')
    assert.equal(code, 0, stderr)
    assert.deepEqual(files, ['default.config.yml', 'default.eval.txt', 'default.qrels.txt'])
    assert.match(text('default.eval.txt'), /^a\tt1\tM\t0\.5\n/)
  })
  it('a tuple, a leaderboard, None, of the present package', () => {
    const [tuple, board, none] = ['bare', 'alone', 'none'].map((module) => run(module)) as unknown as [
      Made,
      Made,
      Made,
    ]
    assert.deepEqual([tuple.code, board.code, none.code], [0, 0, 0], none.stderr)
    const made = ['default.config.yml', 'default.eval.measures.yml', 'default.eval.txt']
    assert.deepEqual(board.files, made)
    assert.deepEqual(tuple.files, [...made, 'default.qrels.txt'])
    assert.deepEqual(none.files, ['default.config.yml'])
    assert.match(none.stderr, /none:Judge: judge\(\) returned None: .*default\.eval\.txt is not written/)
    assert.match(
      board.stderr,
      /GIVEN \{"corpus": null, "filebase": "alone\/default", "outdir": "alone", "qrels": null\}/,
    )
  })
  it('a class that is not there is never another', () => {
    const { code, stderr } = run('judges.naive.naive_baseline')
    assert.equal(code, 1)
    assert.match(stderr, /judges\.naive\.naive_baseline:Judge cannot be imported/)
  })
})

type Made = { code: number | null; stderr: string; files: string[] }

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
