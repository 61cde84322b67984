/** The lines of docs/models.md, each against a server that answers as its provider does. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SERVERS } from '../../src/providers/_servers.ts'
import { rowsOf } from '../helpers/rows.ts'
import { pipe, ROOT } from '../helpers/run.ts'
import { type Call, chatBody, chatServer } from '../stages/call/server.ts'
import { PROVIDERS } from './_ask.ts'

const SAID = 'Output (a), [[A>B]]'

/** An answer in the form of the API whose path was asked. */
function answer({ path, body }: Call): object {
  const probabilities = { A: 0.8, B: 0.2 }
  if (path.includes('/systemone')) return { answers: { better: { type: 'choice', probabilities } } }
  if (path.includes('/decisions'))
    return {
      answers: [
        {
          type: 'choice',
          name: body.questions[0].name,
          probabilities: Object.entries(probabilities).map(([value, probability]) => ({
            value,
            probability,
          })),
        },
      ],
    }
  if (path.includes('/messages'))
    return {
      content: [{ type: 'text', text: SAID }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }
  if (path.includes('/responses'))
    return {
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: SAID }] }],
    }
  if (path.includes(':generateContent'))
    return { candidates: [{ content: { parts: [{ text: SAID }] }, finishReason: 'STOP' }] }
  if (path.includes('/converse'))
    return { output: { message: { content: [{ text: SAID }] } }, stopReason: 'end_turn' }
  if (path.includes('/api/chat')) return { message: { content: SAID }, done_reason: 'stop' }
  if (path.includes('/identity/token')) return { access_token: 'token-of-the-test', expires_in: 3600 }
  return chatBody(SAID)
}

/** The commands of a page's blocks that call a model. */
const lines = readFileSync(`${ROOT}docs/models.md`, 'utf8')
  .split('\n')
  .filter((line) => /^jb-render \S+ pairs\.jsonl \| jb-call [^>]*$/.test(line))

test('every provider of the table has a line in docs/models.md', () => {
  const named = new Set(lines.map((line) => /-m ([\w]+)\//.exec(line)?.[1]))
  const missing = PROVIDERS.filter((name) => !named.has(name))
  assert.deepEqual(missing, [])
})

test('every line of docs/models.md gets its answers', async (t) => {
  const server = await chatServer(t, (call) => ({ body: answer(call) }))
  const root = `http://127.0.0.1:${server.port}`
  const env: Record<string, string> = {
    OPENAI_BASE_URL: server.url,
    OPENAI_API_KEY: 'sk-test-1234',
    ANTHROPIC_BASE_URL: root,
    ANTHROPIC_API_KEY: 'ant-test-1234',
    GEMINI_BASE_URL: root,
    GEMINI_API_KEY: 'gem-test-1234',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: root,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret-of-the-test',
    AZURE_OPENAI_ENDPOINT: root,
    AZURE_OPENAI_API_KEY: 'azure-test-1234',
    WATSONX_URL: root,
    WATSONX_IAM_URL: root,
    WATSONX_APIKEY: 'ibm-test-1234',
    WATSONX_PROJECT_ID: 'p',
    OLLAMA_API_BASE: root,
    MISTRAL_BASE_URL: server.url,
    MISTRAL_API_KEY: 'mis-test-1234',
    TYPESAFE_BASE_URL: server.url,
    TYPESAFE_API_KEY: 'type-test-1234',
  }
  for (const [name, { key }] of Object.entries(SERVERS))
    if (name !== 'openai')
      Object.assign(env, { [key]: `key-of-${name}`, [`${name.toUpperCase()}_BASE_URL`]: server.url })
  for (const line of lines) {
    const command = line
      .replace('pairs.jsonl', `fixtures/pairs.jsonl --limit 2`)
      .replace(/http:\/\/localhost:\d+/, root)
      .replace(' jb-call ', ' jb-call -q --no-cache ')
    const ran = await pipe(command, { env })
    assert.equal(ran.code, 0, `${line}\n${ran.stderr}`)
    const said = line.includes('decide_') ? '{"better":"A"}' : SAID
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => jb.reply?.text),
      [said, said],
      line,
    )
  }
})
