/** Batch services, as the references of OpenAI, Anthropic, Gemini, Mistral and AWS have them. */
import assert from 'node:assert/strict'
import { type Call, chatBody, type Deed, reply } from './server.ts'

export interface Service {
  model: string
  env: (url: string) => Record<string, string>
  act(call: Call): Deed | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: lines of any provider's file
type Line = any

export const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line))

/** What stands in the one file of a multipart body. */
const fileIn = (body: string): Line[] =>
  linesOf(body).filter((line) => 'custom_id' in line || 'key' in line || 'recordId' in line)

/** Its batch is under way when it is looked at first, and has ended the next time. */
export function openai(): Service {
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

export function anthropic(): Service {
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

export function gemini(): Service {
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

export function mistral(): Service {
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
export function bedrock(): Service {
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
