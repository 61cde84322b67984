/** Mistral's chat completions, which differ from OpenAI's in some names, and its batch jobs (API reference, 2026). */

import type { JsonObject } from '../rows/record.ts'
import { objectsIn } from './_answer.ts'
import { idIn, requestLine } from './_batch.ts'
import { openaiBatch } from './_openai_batch.ts'
import { jsonText, parsed } from './_params.ts'
import type { Provider } from './_provider.ts'
import { siblingUrl } from './_url.ts'
import { provider as chat } from './chat.ts'

/** Parameters with another name than OpenAI's. */
const NAMES = new Map([
  ['seed', 'random_seed'],
  ['max_completion_tokens', 'max_tokens'],
])
const OWN_PATH = /\/chat\/completions$/
const ENDED = new Set(['SUCCESS', 'TIMEOUT_EXCEEDED', 'CANCELLED'])
const openai = openaiBatch('/v1/chat/completions', OWN_PATH)

export const provider: Provider = {
  ...chat,
  base: 'https://api.mistral.ai/v1',
  keyNames: ['MISTRAL_API_KEY'],
  baseNames: ['MISTRAL_BASE_URL', 'MISTRAL_API_BASE'],

  prepare(params, env) {
    const own = new Map([...chat.prepare(params, env)].map(([name, text]) => [NAMES.get(name) ?? name, text]))
    // A prefill is marked in its message.
    if (!own.delete('continue_final_message')) return own
    own.delete('add_generation_prompt')
    const messages: JsonObject[] = parsed(own.get('messages')!)
    return own.set('messages', jsonText([...messages.slice(0, -1), { ...messages.at(-1), prefix: true }]))
  },

  // At most a million requests or 512 MB a file; the job names the endpoint.
  batch: {
    ...openai,
    requests: 1_000_000,
    bytes: 512_000_000,
    line: (id, body) => requestLine({ custom_id: id }, 'body', body),
    jobs: {
      ...openai.jobs,
      async start(file, _file, { url, model, send }) {
        const body = Buffer.from(
          JSON.stringify({ input_files: [file], model, endpoint: '/v1/chat/completions' }),
        )
        return idIn(await send({ method: 'POST', url: siblingUrl(url, '/batch/jobs', OWN_PATH), body }), 'id')
      },
      async state(id, _file, { url, send }) {
        const job = await send({ method: 'GET', url: siblingUrl(url, `/batch/jobs/${id}`, OWN_PATH) })
        const status = String(job.status)
        const [error] = objectsIn(job.errors)
        const files = ['output_file', 'error_file'].filter((key) => job[key])
        return {
          phase: status === 'FAILED' ? 'failed' : ENDED.has(status) ? 'ended' : 'waiting',
          status: status.toLowerCase(),
          completed: Number(job.succeeded_requests ?? 0),
          failed: Number(job.failed_requests ?? 0),
          ...(error && { message: String(error.message) }),
          results: files.map((key) => siblingUrl(url, `/files/${idIn(job, key)}/content`, OWN_PATH)),
        }
      },
    },
  },
}
