/** Batches handed in, looked after and fetched, as the references of OpenAI, Anthropic, Gemini, Mistral and AWS have them. */
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, jb, type Ran } from '../../helpers/run.ts'
import { privateEnv, trials } from './rows.ts'
import { type Call, chatBody, chatServer, type Deed, reply } from './server.ts'

interface Service {
  model: string
  env: (url: string) => Record<string, string>
  act(call: Call): Deed | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: lines of any provider's file
type Line = any

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line))

/** What stands in the one file of a multipart body. */
const fileIn = (body: string): Line[] =>
  linesOf(body).filter((line) => 'custom_id' in line || 'key' in line || 'recordId' in line)

/** Its batch is under way when it is looked at first, and has ended the next time. */
function openai(): Service {
  let lines: Line[] = []
  let looks = 0
  return {
    model: 'openai/gpt-4o',
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-test-1234' }),
    act({ method, path, body }) {
      if (path === '/v1/files') {
        lines = fileIn(body)
        return { body: { id: 'file-in', object: 'file', purpose: 'batch' } }
      }
      if (method === 'POST') return { body: { id: 'batch_1', status: 'validating' } }
      if (path === '/v1/batches/batch_1') {
        const status = ++looks > 1 ? 'completed' : 'in_progress'
        const counts = { total: 3, completed: looks > 1 ? 2 : 0, failed: looks > 1 ? 1 : 0 }
        const files = looks > 1 ? { output_file_id: 'file-out', error_file_id: 'file-err' } : {}
        return { body: { id: 'batch_1', status, request_counts: counts, ...files } }
      }
      const answers = lines.map(({ custom_id, body }, n) => {
        const said = chatBody(reply(body.messages.at(-1).content), body.model)
        return n === 2
          ? {
              custom_id,
              response: { status_code: 429, body: { error: { message: 'slow down' } } },
              error: null,
            }
          : { custom_id, response: { status_code: 200, body: said }, error: null }
      })
      const kept = path.includes('file-out') ? answers.slice(0, 2) : answers.slice(2)
      return { body: kept.map((line) => JSON.stringify(line)).join('\n') }
    },
  }
}

function anthropic(): Service {
  let lines: Line[] = []
  let looks = 0
  return {
    model: 'anthropic/claude-haiku-4-5',
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'ant-test-1234' }),
    act({ method, path, body }) {
      if (method === 'POST') {
        lines = body.requests
        return { body: { id: 'msgbatch_1', processing_status: 'in_progress' } }
      }
      if (!path.endsWith('/results'))
        return {
          body: {
            id: 'msgbatch_1',
            processing_status: ++looks > 1 ? 'ended' : 'in_progress',
            request_counts: { processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 },
            // Never asked: the key goes where the user said.
            results_url: 'http://127.0.0.1:9/elsewhere',
          },
        }
      return {
        body: lines
          .map(({ custom_id, params }: Line, n: number) => {
            const message = {
              type: 'message',
              content: [{ type: 'text', text: reply(params.messages.at(-1).content) }],
              stop_reason: 'end_turn',
              usage: { input_tokens: 10, output_tokens: 5, service_tier: 'batch' },
            }
            const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
            return {
              custom_id,
              result: n === 2 ? { type: 'errored', error } : { type: 'succeeded', message },
            }
          })
          .map((line: object) => `${JSON.stringify(line)}\n`)
          .join(''),
      }
    },
  }
}

function gemini(): Service {
  let lines: Line[] = []
  let looks = 0
  return {
    model: 'gemini/gemini-2.5-flash',
    env: (url) => ({ GEMINI_BASE_URL: url, GEMINI_API_KEY: 'gem-test-1234' }),
    act({ method, path, body }) {
      if (path === '/upload/v1beta/files') {
        lines = fileIn(body)
        return { body: { file: { name: 'files/abc', uri: 'http://127.0.0.1:9/elsewhere' } } }
      }
      if (method === 'POST') {
        assert.equal(path, '/v1beta/models/gemini-2.5-flash:batchGenerateContent')
        assert.equal(body.batch.input_config.file_name, 'files/abc')
        return { body: { name: 'batches/b1', metadata: { state: 'BATCH_STATE_PENDING' } } }
      }
      if (path === '/v1beta/batches/b1')
        return {
          body:
            ++looks > 1
              ? {
                  name: 'batches/b1',
                  done: true,
                  metadata: { state: 'BATCH_STATE_SUCCEEDED', batchStats: { successfulRequestCount: '2' } },
                  response: { responsesFile: 'files/out' },
                }
              : { name: 'batches/b1', metadata: { state: 'BATCH_STATE_RUNNING' } },
        }
      assert.equal(path, '/download/v1beta/files/out:download?alt=media')
      return {
        body: lines
          .map(({ key, request }: Line, n: number) => {
            const text = reply(request.contents.at(-1).parts[0].text)
            const response = {
              candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }],
              usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
            }
            return n === 2 ? { key, error: { code: 8, message: 'out of quota' } } : { key, response }
          })
          .map((line: object) => `${JSON.stringify(line)}\n`)
          .join(''),
      }
    },
  }
}

function mistral(): Service {
  let lines: Line[] = []
  let looks = 0
  return {
    model: 'mistral/mistral-small-latest',
    env: (url) => ({ MISTRAL_BASE_URL: `${url}/v1`, MISTRAL_API_KEY: 'mis-test-1234' }),
    act({ method, path, body }) {
      if (path === '/v1/files') {
        lines = fileIn(body)
        assert.deepEqual(Object.keys(lines[0]), ['custom_id', 'body'])
        return { body: { id: '4b1e-in', object: 'file', purpose: 'batch' } }
      }
      if (method === 'POST') {
        assert.equal(path, '/v1/batch/jobs')
        const { input_files, model, endpoint } = body
        assert.deepEqual(
          [input_files, model, endpoint],
          [['4b1e-in'], 'mistral-small-latest', '/v1/chat/completions'],
        )
        return { body: { id: 'a3c0-job1', status: 'QUEUED' } }
      }
      if (path === '/v1/batch/jobs/a3c0-job1') {
        const counts = { total_requests: 3, succeeded_requests: 2, failed_requests: 1 }
        const files = { output_file: '9d-out', error_file: '7c-err' }
        return {
          body:
            ++looks > 1
              ? { id: 'a3c0-job1', status: 'SUCCESS', ...counts, ...files, errors: [] }
              : { id: 'a3c0-job1', status: 'RUNNING', output_file: null, error_file: null },
        }
      }
      const answers = lines.map(({ custom_id, body }, n) => ({
        id: `r${n}`,
        custom_id,
        response:
          n === 2
            ? { status_code: 429, body: { message: 'Rate limit exceeded' } }
            : { status_code: 200, body: chatBody(reply(body.messages.at(-1).content), body.model) },
        error: null,
      }))
      assert.match(path, /^\/v1\/files\/(9d-out|7c-err)\/content$/)
      const kept = path.includes('9d-out') ? answers.slice(0, 2) : answers.slice(2)
      return { body: kept.map((line) => JSON.stringify(line)).join('\n') }
    },
  }
}

/** Bedrock's files are in S3, which answers an upload with a status alone. */
function bedrock(): Service {
  let lines: Line[] = []
  let looks = 0
  let key = ''
  const signed = ({ headers }: Call, service: string) => {
    const scope = new RegExp(`Credential=AKIDEXAMPLE123456/\\d{8}/eu-west-1/${service}/aws4_request,`)
    assert.match(headers.authorization!, scope)
    assert.equal(headers['x-amz-security-token'], 'session-token-example')
    assert.equal(headers['x-amz-content-sha256'], service === 's3' ? 'UNSIGNED-PAYLOAD' : undefined)
  }
  return {
    model: 'bedrock/amazon.nova-lite-v1:0',
    env: (url) => ({
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
      AWS_ENDPOINT_URL_BEDROCK: url,
      AWS_ENDPOINT_URL_S3: `${url}/s3`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE123456',
      AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
      AWS_SESSION_TOKEN: 'session-token-example',
      AWS_S3_BUCKET_NAME: 'some.bucket',
      AWS_BATCH_ROLE_ARN: 'arn:aws:iam::123456789012:role/batch',
    }),
    act(call) {
      const { method, path, body } = call
      if (method === 'PUT') {
        signed(call, 's3')
        key = /^\/s3\/some\.bucket\/(jb\/in\/[0-9a-f-]{36}\/b-001\.jsonl)$/.exec(path)![1]!
        lines = fileIn(body)
        return { body: '' }
      }
      if (method === 'POST') {
        signed(call, 'bedrock')
        const { jobName, ...job } = body
        assert.match(jobName, /^jb-[0-9a-f-]{36}$/)
        assert.deepEqual(job, {
          roleArn: 'arn:aws:iam::123456789012:role/batch',
          modelId: 'amazon.nova-lite-v1:0',
          modelInvocationType: 'Converse',
          inputDataConfig: {
            s3InputDataConfig: { s3Uri: `s3://some.bucket/${key}`, s3InputFormat: 'JSONL' },
          },
          outputDataConfig: { s3OutputDataConfig: { s3Uri: 's3://some.bucket/jb/out/' } },
        })
        return {
          body: { jobArn: 'arn:aws:bedrock:eu-west-1:123456789012:model-invocation-job/abcdefghijk1' },
        }
      }
      if (path === '/model-invocation-job/abcdefghijk1') {
        signed(call, 'bedrock')
        const counts = { totalRecordCount: 3, successRecordCount: 2, errorRecordCount: 1 }
        return { body: ++looks > 1 ? { status: 'PartiallyCompleted', ...counts } : { status: 'InProgress' } }
      }
      signed(call, 's3')
      assert.equal(path, '/s3/some.bucket/jb/out/abcdefghijk1/b-001.jsonl.out')
      const answers = lines.map(({ recordId, modelInput }, n) => {
        const content = [{ text: reply(modelInput.messages.at(-1).content[0].text) }]
        const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
        const modelOutput = { output: { message: { content } }, stopReason: 'end_turn', usage }
        const error = { errorCode: 400, errorMessage: 'bad request' }
        return n === 2 ? { recordId, modelInput, error } : { recordId, modelInput, modelOutput }
      })
      return { body: answers.map((line) => `${JSON.stringify(line)}\n`).join('') }
    },
  }
}

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
