/** Batches handed in, looked after and fetched. */
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, jb, type Ran } from '../../helpers/run.ts'
import { anthropic, bedrock, gemini, linesOf, mistral, openai, type Service } from './_batch_services.ts'
import { privateEnv, trials } from './rows.ts'
import { type Call, chatServer, type Deed, reply } from './server.ts'

async function setUp(t: TestContext, service: Service) {
  const server = await chatServer(t, (call) => service.act(call))
  const env = { ...privateEnv(t), ...service.env(`http://127.0.0.1:${server.port}`) }
  const prefix = `${folder(t)}/b`
  const flags = ['--batch-files', prefix, '--retry-min', '0.01', '--retry-max', '0.02']
  const run = (what: string, args: string[] = [], stdin = ''): Promise<Ran> =>
    jb('call', ['--batch', what, ...flags, ...args], { stdin, env })
  return { server, env, prefix, run }
}

const only = (ran: Ran) => JSON.parse(ran.stdout)

for (const make of [openai, anthropic, gemini, mistral, bedrock])
  test(`${make.name}: emit, submit, status, fetch and join`, async (t) => {
    const service = make()
    const { server, prefix, run } = await setUp(t, service)
    const rows = trials(3)
    const model = ['-m', service.model]
    assert.equal((await run('emit', model, rows)).code, 0)
    const submitted = await run('submit')
    expect(submitted, {})
    assert.match(only(submitted).batch, /1$/)
    const posts = () => server.calls.filter(({ method }) => method !== 'GET').length
    const made = posts()
    assert.equal(only(await run('submit')).batch, only(submitted).batch, 'it is not submitted again')
    assert.equal(posts(), made)
    assert.match(only(await run('status')).status, /progress|running/)
    const done = only(expect(await run('fetch'), {}))
    assert.equal(done.results, `${prefix}-001.results.jsonl`)
    assert.equal(done.completed, 2)
    const looked = server.calls.length
    expect(await run('fetch'), {})
    assert.equal(server.calls.length, looked, 'what was fetched is not fetched again')
    const joined = await run('join', [...model, '--price', '2,4', '--max-error-rate', '1'], rows)
    assert.deepEqual(
      rowsOf(joined).map(({ jb }) => jb.reply?.text ?? jb.error!.code),
      [
        reply('question 0'),
        reply('question 1'),
        make === openai || make === mistral ? 'rate_limited' : 'unavailable',
      ],
    )
    assert.equal(rowsOf(joined)[0]!.jb.reply!.cost, (10 * 2 + 5 * 4) / 2e6, 'at half the price')
    expect(await run('emit', model, rows), {
      code: 78,
      err: /batches that were submitted: choose another PREFIX/,
    })
  })

test('a run that was killed between asking for a batch and its answer does not ask again by itself', async (t) => {
  const service = openai()
  const { server, prefix, run } = await setUp(t, service)
  await run('emit', ['-m', service.model], trials(2))
  const [line] = linesOf(readFileSync(`${prefix}-batches.ndjson`, 'utf8'))
  appendFileSync(`${prefix}-batches.ndjson`, `${JSON.stringify({ ...line, starting: true })}\n{"file":"torn`)
  expect(await run('submit'), { code: 78, err: /the provider may have a batch of it already: .*--refresh/ })
  assert.equal(server.calls.length, 0)
  expect(await run('fetch'), { code: 78, err: /is not submitted/ })
})

test('uploads are tried again, a refused batch may be submitted again, other settings are refused', async (t) => {
  const service = openai()
  let refused = 0
  const act = (call: Call): Deed | undefined => {
    if (call.path === '/v1/files' && ++refused === 1) return { status: 503 }
    if (call.path === '/v1/batches' && ++refused === 3)
      return { status: 400, body: { error: { message: 'no such endpoint, sk-test-1234' } } }
    return service.act(call)
  }
  const { server, prefix, run } = await setUp(t, { ...service, act })
  await run('emit', ['-m', service.model], trials(2))
  const first = await run('submit')
  expect(first, { code: 78, err: /HTTP 400: no such endpoint, \[key\]/ })
  expect(await run('submit', ['-m', 'openai/gpt-4o-mini']), {
    code: 78,
    err: /give the same -m, --api and --base-url/,
  })
  expect(await run('submit', ['--base-url', 'http://127.0.0.1:9/v1']), { code: 78, err: /was written for/ })
  expect(await run('submit'), {})
  assert.equal(server.calls.filter(({ path }) => path === '/v1/files').length, 3)
  appendFileSync(`${prefix}-001.jsonl`, '\n')
  expect(await run('submit', ['--refresh']), { code: 78, err: /and --batch emit wrote/ })
})

test('a batch that failed says why, and ids that lead elsewhere are no ids', async (t) => {
  const service = openai()
  const answers: Record<string, Deed> = {
    'GET /v1/batches/batch_1': {
      body: { id: 'batch_1', status: 'failed', errors: { data: [{ message: 'line 1 is not valid' }] } },
    },
  }
  const act = (call: Call) => answers[`${call.method} ${call.path}`] ?? service.act(call)
  const { prefix, run } = await setUp(t, { ...service, act })
  await run('emit', ['-m', service.model], trials(2))
  await run('submit')
  expect(await run('fetch'), { code: 1, err: /the batch is failed: line 1 is not valid[\s\S]*emitted again/ })
  answers['GET /v1/batches/batch_1'] = {
    body: { id: 'batch_1', status: 'completed', output_file_id: '../../../elsewhere' },
  }
  expect(await run('fetch'), { code: 78, err: /the answer has no output_file_id/ })
  assert.ok(!existsSync(`${prefix}-001.results.jsonl`))
})

test('Bedrock’s batches want a bucket, a role and keys that sign; a refusal of S3 is shown', async (t) => {
  const service = bedrock()
  const { server, env, prefix, run } = await setUp(t, service)
  await run('emit', ['-m', service.model], trials(1))
  const submit = (more: Record<string, string>) =>
    jb('call', ['--batch', 'submit', '--batch-files', prefix, '--retries', '0'], { env: { ...env, ...more } })
  expect(await submit({ AWS_BATCH_ROLE_ARN: '' }), { code: 78, err: /need AWS_BATCH_ROLE_ARN in the/ })
  expect(await submit({ AWS_S3_BUCKET_NAME: '' }), { code: 78, err: /need AWS_S3_BUCKET_NAME in the/ })
  expect(await submit({ AWS_ENDPOINT_URL_S3: '' }), { code: 78, err: /is not AWS: set AWS_ENDPOINT_URL_S3/ })
  expect(await submit({ AWS_BEARER_TOKEN_BEDROCK: 'b-key-1', AWS_ACCESS_KEY_ID: '' }), {
    code: 77,
    err: /AWS_ACCESS_KEY_ID is not set/,
  })
  assert.equal(server.calls.length, 0)
  service.act = () => ({
    status: 404,
    body: '<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>The bucket does not exist</Message><RequestId>4B</RequestId></Error>',
  })
  expect(await submit({}), { code: 78, err: /HTTP 404: NoSuchBucket: The bucket does not exist\n/ })
})

test('status and fetch want the files of a batch', async (t) => {
  const env = privateEnv(t)
  expect(await jb('call', ['--batch', 'status'], { env }), { code: 2, err: /--batch-files PREFIX names/ })
})
