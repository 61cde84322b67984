/** What a task file of lm-eval says of requests: model, endpoint, calls at once, names in its template. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { taskJudges } from '../../src/judges/_lm_eval.ts'
import { judgeFolder } from '../helpers/folder.ts'
import { judgeServer } from '../helpers/judge_server.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe, ROOT } from '../helpers/run.ts'
import { chatBody, chatServer } from '../stages/call/server.ts'
import { simple, task } from './_lm-eval.ts'

test('the model is gpt-4 where nothing else is said; file before environment, named before plain', async (t) => {
  const server = await judgeServer(t, () => 'Score: 1')
  const place = judgeFolder(t, {
    'plain.yaml': simple,
    'named.yaml': task('name: my-judge\nprompt_template: "Rate {{ prediction }}"'),
    'own.yaml': task(
      `name: own\nmodel: from-file\napi_base: ${server.url}\nprompt_template: "Rate {{ prediction }}"`,
    ),
  })
  const model = async (name: string, env: Record<string, string>, args = '') => {
    const ran = await pipe(`jb-render '${place}/${name}.yaml' | jb-call --no-cache ${args}`, {
      stdin: '{"prediction":"p"}\n',
      env: { LLM_JUDGE_API_BASE: server.url, ...env },
    })
    return rowOf(ran).jb.reply!.model
  }
  assert.equal(await model('plain', {}), 'gpt-4')
  assert.equal(await model('plain', { LLM_JUDGE_MODEL: 'from-env' }), 'from-env')
  assert.equal(await model('named', { LLM_JUDGE_MODEL: 'plain', LLM_JUDGE_MY_JUDGE_MODEL: 'named' }), 'named')
  assert.equal(
    await model('own', { LLM_JUDGE_OWN_MODEL: 'env', LLM_JUDGE_API_BASE: 'http://127.0.0.1:1/v1' }),
    'from-file',
  )
  assert.equal(await model('own', {}, '-m from-flag'), 'from-flag')
})

test('what a task file says of calls: as many at once as it says, its waits and retries', async (t) => {
  const server = await chatServer(t, () => ({ delay: 150, body: chatBody('Score: 4') }))
  const place = judgeFolder(t, {
    'task.yaml': task(
      `api_base: ${server.url}
model: m
concurrency: 90
retry_attempts: 7
retry_min_wait: 0.5
retry_max_wait: 9
max_error_rate: 0.3
preflight_check: false
prompt_template: "{{ prediction }}"`,
    ),
  })
  const [judge] = await taskJudges(`${place}/task.yaml`)
  assert.deepEqual(judge!.endpoint, {
    model: 'm',
    base_url: server.url,
    concurrency: 90,
    retries: 7,
    retry_min: 0.5,
    retry_max: 9,
    max_error_rate: 0.3,
    preflight: false,
  })
  const stdin = ndjson(Array.from({ length: 270 }, (_, i) => ({ id: i, prediction: `p${i}` })))
  const rendered = await jb('render', [`${place}/task.yaml`], { stdin })
  const call = (stdin: string, ...args: string[]) =>
    jb('call', ['--judge', `${place}/task.yaml`, '--no-cache', '-q', ...args], {
      stdin,
      env: { LLM_JUDGE_API_KEY: 'k' },
    })
  fine(await call(rendered.stdout.split('\n').slice(0, 20).join('\n'), '-j', '5'))
  assert.equal(server.widest, 5)
  fine(await call(rendered.stdout))
  assert.ok(server.widest > 32 && server.widest <= 90, `${server.widest} at once`)
})

test('a row cannot say where a key is sent', async (t) => {
  const server = await judgeServer(t, () => 'Score: 1')
  const thief = await judgeServer(t, () => 'Score: 10')
  const place = judgeFolder(t, { 'task.yaml': simple })
  const stdin = ndjson([
    { prediction: 'p', jb: { item: 'x', endpoint: { base_url: thief.url, model: 'm' } } },
  ])
  const ran = await pipe(`jb-render '${place}/task.yaml' | jb-call --no-cache`, {
    stdin,
    env: { LLM_JUDGE_API_BASE: server.url, LLM_JUDGE_API_KEY: 'secret' },
  })
  expect(ran, {})
  assert.equal(thief.asked.length, 0)
  assert.ok(server.asked.length > 0)
})

test('names in a template: doc’s own fields stand behind the documented ones, and before them under --compat', async (t) => {
  const place = judgeFolder(t, {
    'task.yaml': task(
      'prompt_template: "{{ prediction }}|{{ reference }}|{{ extra }}|{{ only }}|{{ doc.only }}|{{ doc.n }}|{{ mine }}"\nmine: 0.50',
      'metadata:\n  extra_llm_judge_fields: { extra: e, mine: theirs }\n',
    ),
  })
  const stdin =
    '{"doc":{"prediction":"doc-p","reference":"doc-r","extra":"doc-e","only":"o","n":8.0},"prediction":"p","reference":"r"}\n'
  const prompt = async (...args: string[]) =>
    rowsOf(await jb('render', [`${place}/task.yaml`, ...args], { stdin }))[0]!.jb.request!.messages![0]!
      .content
  // The metric's own setting comes before the task's field of the same name; numbers keep their form.
  assert.equal(await prompt(), 'p|r|e|o|o|8.0|0.50'.replace('0.50', '0.5'))
  assert.equal(await prompt('--compat', 'lm-eval'), 'doc-p|doc-r|doc-e|o|o|8.0|0.5')
})

test('any row will do: --map says where the prediction and the reference are', async (t) => {
  const place = judgeFolder(t, {
    'task.yaml': task(
      'prompt_template: "{{ doc.q }} {{ prediction }}{% if reference %} ({{ reference }}){% endif %}"',
    ),
  })
  const render = async (item: object, ...args: string[]) =>
    rowsOf(await jb('render', [`${place}/task.yaml`, ...args], { stdin: ndjson([item]) }))[0]!.jb
  const args = ['--map', 'prediction=out.text', '--map', 'reference=gold']
  assert.equal(
    (await render({ q: 'Q', out: { text: 'P' }, gold: 'G' }, ...args)).request!.messages![0]!.content,
    'Q P (G)',
  )
  // No reference is none, no prediction is a failed row.
  assert.equal((await render({ q: 'Q', prediction: 'P' })).request!.messages![0]!.content, 'Q P')
  assert.equal((await render({ q: 'Q' })).error!.code, 'missing_field')
})

test('the form of the reply stands where {{ response_format }} is, else behind the prompt', async (t) => {
  const entry = (template: string) =>
    task(`response_format: { score: 8, why: "é" }\nprompt_template: "${template}"`)
  const place = judgeFolder(t, {
    'with.yaml': entry('Rate {{ prediction }}: {{ response_format }} please'),
    'without.yaml': entry('Rate {{ prediction }} in response_format'),
  })
  const prompt = async (name: string) =>
    rowsOf(await jb('render', [`${place}/${name}.yaml`], { stdin: '{"prediction":"p"}\n' }))[0]!.jb.request!
      .messages![0]!.content
  // In ASCII, as json.dumps writes it.
  assert.equal(await prompt('with'), 'Rate p: {\n  "score": 8,\n  "why": "\\u00e9"\n} please')
  // The bare word is no placeholder: the original takes it for one.
  assert.match(await prompt('without'), /^Rate p in response_format\n\n.*\n\{\n {2}"score": 8,/)
})

const SCHEMAS: { cases: { example: string; schema: object }[] } = JSON.parse(
  readFileSync(`${ROOT}fixtures/lm_eval_schema.json`, 'utf8'),
)

test('--compat lm-eval sends the schema that lm-eval’s code sends: genson’s, closed at the top only', async (t) => {
  const cwd = judgeFolder(
    t,
    Object.fromEntries(
      SCHEMAS.cases.map(({ example }, i) => [
        `${i}.yaml`,
        task(`prompt_template: "{{ prediction }} {{ response_format }}"\nresponse_format: ${example}`),
      ]),
    ),
  )
  for (const [i, { example, schema }] of SCHEMAS.cases.entries()) {
    const ask = async (...args: string[]) => {
      const ran = await jb('render', [`${i}.yaml`, ...args], { cwd, stdin: '{"prediction":"p"}\n' })
      return rowOf(ran).jb.request!.response_format
    }
    const format = (schema: object) => ({
      type: 'json_schema',
      json_schema: { name: 'llm_judge_response', strict: true, schema },
    })
    assert.deepEqual(await ask('--compat', 'lm-eval'), format(schema), example)
    assert.notDeepEqual(await ask(), format(schema), example)
  }
})
