/** OpenAI's batch API (Batch and Files API reference). */
import { isObject, type JsonObject } from '../rows/record.ts'
import { type Batch, idIn, multipart, plainName, requestLine, unanswered } from './_batch.ts'
import { siblingUrl } from './_url.ts'

/**
 * At most 50,000 requests or 200 MB a file.
 * @param endpoint the batch's endpoint, also written in each line
 * @param path matches the path of single requests, which `/files` and `/batches` replace
 */
export function openaiBatch(endpoint: string, path: RegExp): Batch {
  return {
    requests: 50_000,
    bytes: 200_000_000,
    id: 'custom_id',
    line: (id, body) => requestLine({ custom_id: id, method: 'POST', url: endpoint }, 'body', body),
    result({ response, error }) {
      if (!isObject(response)) throw unanswered(error)
      return { status: Number(response.status_code ?? 200), body: (response.body ?? {}) as JsonObject }
    },
    jobs: {
      async upload(file, { url, send }) {
        const purpose = 'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch'
        const head = `Content-Disposition: form-data; name="file"; filename="${plainName(file.name)}"\r\nContent-Type: application/jsonl\r\n\r\n`
        const parts = multipart('form-data', [purpose], head, file)
        return idIn(await send({ method: 'POST', url: siblingUrl(url, '/files', path), ...parts }), 'id')
      },

      async start(input_file_id, _file, { url, send }) {
        const body = Buffer.from(JSON.stringify({ input_file_id, endpoint, completion_window: '24h' }))
        return idIn(await send({ method: 'POST', url: siblingUrl(url, '/batches', path), body }), 'id')
      },

      async state(id, _file, { url, send }) {
        const batch = await send({ method: 'GET', url: siblingUrl(url, `/batches/${id}`, path) })
        const counts = isObject(batch.request_counts) ? batch.request_counts : {}
        const status = String(batch.status)
        const files = ['output_file_id', 'error_file_id'].filter((key) => batch[key])
        const errors = isObject(batch.errors) && Array.isArray(batch.errors.data) ? batch.errors.data : []
        return {
          phase: status === 'failed' ? 'failed' : ENDED.has(status) ? 'ended' : 'waiting',
          status,
          completed: Number(counts.completed ?? 0),
          failed: Number(counts.failed ?? 0),
          ...(isObject(errors[0]) && { message: String(errors[0].message) }),
          results: files.map((key) => siblingUrl(url, `/files/${idIn(batch, key)}/content`, path)),
        }
      },
    },
  }
}

const ENDED = new Set(['completed', 'expired', 'cancelled'])
