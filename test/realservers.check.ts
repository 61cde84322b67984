/**
 * jb-call against servers and checks that nobody here wrote: LiteLLM's proxy through three of its APIs, moto's check of AWS
 * signatures, and the providers' own Python packages for what requests may hold. `make realservers` installs them.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { before, test } from 'node:test'
import { parse } from 'yaml'
import { folder } from './helpers/folder.ts'
import { SCRIPTS, start, VENV } from './helpers/real_server.ts'
import { rowsOf } from './helpers/rows.ts'
import { expect, jb, ROOT, sh } from './helpers/run.ts'

const KEY = 'sk-master-of-the-test'
const SAID = 'So: [[A>B]]'
const installed = existsSync(`${VENV}/litellm`) && existsSync(`${VENV}/moto_server`)
const skip = installed ? false : 'SKIPPED: .realservers has no servers (make realservers installs them)'
if (skip) process.stderr.write(`realservers: ${skip}\n`)

const urls = { litellm: '', moto: '' }

before(async () => {
  if (skip) return
  const quiet = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MASTER_KEY: KEY }
  const config = ['--config', `${SCRIPTS}/litellm.yaml`, '--host', '127.0.0.1', '--port']
  urls.litellm = await start('litellm', (port) => [...config, String(port)], '/health/liveliness', quiet)
  urls.moto = await start('moto_server', (port) => ['-H', '127.0.0.1', '-p', String(port)], '/moto-api/', {
    INITIAL_NO_AUTH_ACTION_COUNT: '4',
  })
})

const rendered = async (judge: string) =>
  (await jb('render', [judge, '--limit', '4', `${ROOT}fixtures/pairs.jsonl`])).stdout

const FLAGS = ['--no-cache', '--retry-min', '0.05', '--retry-max', '0.1']

for (const [api, args] of [
  ['chat', ['-m', 'litellm/judge']],
  ['chat with --base-url', ['-m', 'judge', '--base-url', 'URL/v1']],
  ['responses', ['-m', 'litellm/judge', '--api', 'responses']],
  ['anthropic', ['-m', 'judge', '--api', 'anthropic', '--base-url', 'URL']],
] as const)
  test(`LiteLLM’s proxy by ${api}`, { skip }, async () => {
    const env = {
      LITELLM_BASE_URL: `${urls.litellm}/v1`,
      LITELLM_API_KEY: KEY,
      LLM_JUDGE_API_KEY: KEY,
    }
    const words = args.map((word) => word.replace('URL', urls.litellm))
    const ran = await jb('call', [...words, ...FLAGS], { stdin: await rendered('arena_hard'), env })
    expect(ran, { err: /4 rows, 4 calls, \d+(\.\d+k)? \+ \d+ tokens/ })
    const rows = rowsOf(ran)
    assert.deepEqual(
      rows.map(({ jb }) => [
        jb.reply?.text,
        jb.reply?.finish_reason,
        Number(jb.reply?.usage?.prompt_tokens) > 0,
      ]),
      Array(4).fill([SAID, 'stop', true]),
    )
    const parsed = await jb('parse', [], { stdin: ran.stdout })
    assert.deepEqual(
      rowsOf(parsed).map(({ jb }) => jb.verdict?.label),
      Array(4).fill('A>B'),
    )
  })

test('LiteLLM’s proxy: another key, a rate limit, a model that it has not got', { skip }, async () => {
  const stdin = await rendered('arena_hard')
  const env = { LITELLM_BASE_URL: `${urls.litellm}/v1`, LITELLM_API_KEY: KEY }
  // Without a database it knows its master key alone, and says so of any other.
  const other = { ...env, LITELLM_API_KEY: 'sk-somebody-elses' }
  const refused = await jb('call', ['-m', 'litellm/judge', ...FLAGS], { stdin, env: other })
  expect(refused, { code: 1, err: /bad_request: HTTP 400: No connected db/ })
  assert.doesNotMatch(refused.stderr + refused.stdout, /sk-somebody/)
  const busy = await jb(
    'call',
    ['-m', 'litellm/busy', '--refused-for', '1', '--max-error-rate', '1', ...FLAGS],
    {
      stdin,
      env,
    },
  )
  expect(busy, { err: /4 rows, 4 failed here \(rate_limited 4\)/ })
  const unknown = await jb('call', ['-m', 'litellm/none', ...FLAGS], { stdin, env })
  expect(unknown, { code: 78, err: /no model "litellm\/none" at .*: it has (judge, busy|busy, judge)/ })
})

/** A user of moto's, who is made once. */
let user: { key: string; secret: string } | undefined
const motoUser = (): { key: string; secret: string } => {
  user ??= JSON.parse(
    execFileSync(`${VENV}/python`, [`${SCRIPTS}/moto_user.py`, urls.moto], { encoding: 'utf8' }),
  )
  return user!
}

test('moto takes the signature of a Bedrock request, and refuses one made with another secret', {
  skip,
}, async () => {
  const { key, secret } = motoUser()
  const stdin = await rendered('vanilla')
  const ask = (AWS_SECRET_ACCESS_KEY: string, AWS_ACCESS_KEY_ID = key) =>
    jb('call', ['-m', 'bedrock/anthropic.claude-haiku-4-5-20251001-v1:0', '--retries', '0', ...FLAGS], {
      stdin,
      env: {
        AWS_REGION: 'us-east-1',
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: urls.moto,
        AWS_ACCESS_KEY_ID,
        AWS_SECRET_ACCESS_KEY,
      },
    })
  // moto has no Converse: past the signature it ends with an error of its own.
  expect(await ask(secret), { code: 1, err: /unavailable: HTTP 500/ })
  expect(await ask('another-secret-of-somebody'), { code: 77, err: /HTTP 403: SignatureDoesNotMatch/ })
  expect(await ask(secret, 'AKIAUNKNOWNUNKNOWN00'), { code: 77, err: /HTTP 403/ })
})

test('a batch’s file goes to moto’s S3 and results come from there; AWS’s model has the job asked for', {
  skip,
}, async (t) => {
  const { key, secret } = motoUser()
  const prefix = `${folder(t)}/b`
  const asked: object[] = []
  // moto has no batch jobs.
  const control = createHttpServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    if (text) asked.push({ api: 'bedrock job', body: JSON.parse(text) })
    const arn = 'arn:aws:bedrock:us-east-1:123456789012:model-invocation-job/abcdefghijk1'
    response.end(JSON.stringify(text ? { jobArn: arn } : { status: 'Completed' }))
  })
  await new Promise<void>((ready) => control.listen(0, '127.0.0.1', ready))
  t.after(() => control.close())
  const env = {
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: urls.moto,
    AWS_ENDPOINT_URL_S3: urls.moto,
    AWS_ENDPOINT_URL_BEDROCK: `http://127.0.0.1:${(control.address() as { port: number }).port}`,
    AWS_ACCESS_KEY_ID: key,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_S3_BUCKET_NAME: 'judges.eu',
    AWS_BATCH_ROLE_ARN: 'arn:aws:iam::123456789012:role/batch',
  }
  const stdin = await rendered('arena_hard')
  const model = ['-m', 'bedrock/amazon.nova-lite-v1:0', '--no-cache']
  const run = (what: string, args: string[] = [], rows = '', more = {}) =>
    jb('call', ['--batch', what, '--batch-files', prefix, '--retries', '0', ...args], {
      stdin: rows,
      env: { ...env, ...more },
    })
  expect(await run('emit', model, stdin), { err: /4 requests/ })
  expect(await run('submit', [], '', { AWS_SECRET_ACCESS_KEY: 'another-secret' }), {
    code: 77,
    err: /HTTP 403: SignatureDoesNotMatch/,
  })
  expect(await run('submit', [], '', { AWS_S3_BUCKET_NAME: 'nobodys' }), { code: 78, err: /NoSuchBucket/ })
  expect(await run('submit'), {})
  const checked = await sh(`${VENV}/python ${SCRIPTS}/check_requests.py`, {
    stdin: `${JSON.stringify(asked[0])}\n`,
  })
  assert.equal(checked.stdout, '1 requests, 0 wrong\n', checked.stderr)
  execFileSync(`${VENV}/python`, [`${SCRIPTS}/moto_answers.py`, urls.moto, key, secret, SAID])
  expect(await run('fetch'), {})
  const joined = rowsOf(await run('join', model, stdin))
  assert.deepEqual(
    joined.map(({ jb }) => jb.reply?.text),
    Array(4).fill(SAID),
  )
})

test('requests hold what the providers’ own packages allow: OpenAI’s types, AWS’s model of Converse', {
  skip,
}, async () => {
  const list = await jb('render', ['--list'])
  const judges = list.stdout
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([name, kind]) => kind === 'pairwise' && name !== 'panda_lm')
    .map(([name]) => name!)
  const env = {
    OPENAI_API_KEY: 'sk-none-1234',
    AWS_REGION: 'us-east-1',
    AWS_BEARER_TOKEN_BEDROCK: 'none-1234',
  }
  const format = '{"type":"json_schema","json_schema":{"name":"verdict","schema":{"type":"object"}}}'
  const more = ['--param', `response_format=${format}`, '--param', 'service_tier=flex']
  const requests: object[] = []
  for (const judge of judges) {
    const rows = await jb('render', [judge, '--limit', '1', `${ROOT}fixtures/pairs.jsonl`])
    if (rows.code !== 0) continue
    for (const [api, model] of [
      ['chat', 'openai/gpt-4o'],
      ['responses', 'responses/gpt-4o'],
      ['bedrock', 'bedrock/amazon.nova-lite-v1:0'],
    ] as const)
      for (const args of [[], more]) {
        const ran = await jb('call', ['--batch', 'emit', '-q', '--no-cache', '-m', model, ...args], {
          stdin: rows.stdout,
          env,
        })
        for (const line of ran.stdout.split('\n').filter(Boolean)) {
          const { body, modelInput } = JSON.parse(line)
          const spoken = body?.prompt === undefined ? api : 'completions'
          // What is asked for beyond OpenAI's completions goes to vLLM's as it stands.
          if (spoken !== 'completions' || args.length === 0)
            requests.push({ api: spoken, body: body ?? modelInput })
        }
      }
  }
  assert.ok(requests.length > 40, `${requests.length} requests`)
  const checked = await sh(`${VENV}/python ${SCRIPTS}/check_requests.py`, {
    stdin: requests.map((request) => `${JSON.stringify(request)}\n`).join(''),
  })
  assert.equal(checked.stdout, `${requests.length} requests, 0 wrong\n`, checked.stderr)
})

test('list prices are those that LiteLLM carries', { skip }, async () => {
  const script = [
    'import json, litellm, pathlib',
    'path = pathlib.Path(litellm.__file__).parent / "model_prices_and_context_window_backup.json"',
    'print(path.read_text())',
  ].join('\n')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LITELLM_LOCAL_MODEL_COST_MAP: 'True' }
  const options = { encoding: 'utf8', env, maxBuffer: 2 ** 28 } as const
  const theirs = JSON.parse(execFileSync(`${VENV}/python`, ['-c', script], options))
  const { models } = parse(readFileSync(`${ROOT}src/providers/prices.yaml`, 'utf8'))
  const dollars = (perToken: number | undefined) =>
    perToken === undefined ? undefined : Number((perToken * 1e6).toFixed(6))
  for (const [name, own] of Object.entries(models) as [string, Record<string, number | string>][]) {
    const its = theirs[name] ?? theirs[name.slice(name.indexOf('/') + 1)]
    if (own.seen !== 'litellm') continue
    assert.ok(its, `LiteLLM has no ${name}`)
    const listed = {
      input: dollars(its.input_cost_per_token),
      output: dollars(its.output_cost_per_token),
      cached: dollars(its.cache_read_input_token_cost),
      written: dollars(its.cache_creation_input_token_cost),
      written_1h: dollars(its.cache_creation_input_token_cost_above_1hr),
    }
    const { above: _, seen: __, ...flat } = own
    for (const [key, price] of Object.entries(flat))
      assert.equal(listed[key as keyof typeof listed], price, `${name}: ${key}`)
  }
})
