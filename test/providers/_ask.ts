/** One row asked of a provider on this machine: what it is sent, and what the row gets. */
import type { TestContext } from 'node:test'
import { SERVERS } from '../../src/providers/_servers.ts'
import type { RowError } from '../../src/rows/record.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { jb, type Ran } from '../helpers/run.ts'
import { trial } from '../stages/call/rows.ts'
import { type Call, chatServer, type Deed } from '../stages/call/server.ts'

export const MESSAGES = [
  { role: 'system', content: 'be fair' },
  { role: 'user', content: 'compare' },
]

/** Names before a model's that pick a provider. */
export const PROVIDERS = [
  ...Object.keys(SERVERS),
  ...['anthropic', 'gemini', 'bedrock', 'azure', 'watsonx', 'ollama', 'mistral'],
]

interface Asked {
  ran: Ran
  calls: Call[]
  /** The reply of the first row, without its time. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever it holds is what is tested
  reply: any
  error: RowError | undefined
  rows: ReturnType<typeof rowsOf>
}

/**
 * @param env given the URL of the server, without a path
 * @param requests parameters, a row each; the messages are {@link MESSAGES} where there are none
 */
export async function ask(
  t: TestContext,
  model: string,
  env: (url: string) => Record<string, string>,
  requests: object[],
  act: (call: Call) => Deed | undefined,
  args: string[] = [],
): Promise<Asked> {
  const server = await chatServer(t, act)
  const rows = requests.map((request, i) =>
    trial(i, 'x', { request: { ...('prompt' in request ? {} : { messages: MESSAGES }), ...request } }),
  )
  const flags = ['--no-cache', '-q', '-j', '1', '--retry-min', '0.01', '--retry-max', '0.02']
  const ran = await jb('call', ['-m', model, ...flags, '--max-error-rate', '1', ...args], {
    stdin: ndjson(rows),
    env: env(`http://127.0.0.1:${server.port}`),
  })
  const out = rowsOf(ran)
  const { ms: _, ...reply } = out[0]?.jb.reply ?? {}
  return { ran, calls: server.calls, reply, error: out[0]?.jb.error, rows: out }
}

/** A request for an answer that fits a JSON schema. */
export const SCHEMA = { type: 'object', properties: { score: { type: 'integer' } } }
export const FORMAT = { type: 'json_schema', json_schema: { name: 'verdict', schema: SCHEMA } }
