/** OpenAI's batch API, which others copy (Batch and Files API reference). */
import { isObject, type JsonObject } from '../rows/record.ts'
import {
  type Batch,
  beside,
  idIn,
  type JobState,
  type Jobs,
  multipart,
  plainName,
  requestLine,
  unanswered,
} from './_batch.ts'

/**
 * 50,000 requests and 200 MB a file.
 * @param url in each line, and the batch's endpoint
 * @param path of single requests, in whose place `/files` and `/batches` stand
 */
export function openaiBatch(url: string, path: RegExp): Batch & { jobs: Jobs } {
  return {
    requests: 50_000,
    bytes: 200_000_000,
    id: 'custom_id',
    line: (id, body) => requestLine({ custom_id: id, method: 'POST', url }, 'body', body),
    result({ response, error }) {
      if (!isObject(response)) throw unanswered(error)
      return { status: Number(response.status_code ?? 200), body: (response.body ?? {}) as JsonObject }
    },
    jobs: openaiJobs(url, path),
  }
}

const openaiJobs = (endpoint: string, path: RegExp): Jobs => ({
  async upload(file, { url, send }) {
    const purpose = 'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch'
    const head = `Content-Disposition: form-data; name="file"; filename="${plainName(file.name)}"\r\nContent-Type: application/jsonl\r\n\r\n`
    const parts = multipart('form-data', [purpose], head, file)
    return idIn(await send({ method: 'POST', url: beside(url, '/files', path), ...parts }), 'id')
  },

  async start(input_file_id, _file, { url, send }) {
    const body = Buffer.from(JSON.stringify({ input_file_id, endpoint, completion_window: '24h' }))
    return idIn(await send({ method: 'POST', url: beside(url, '/batches', path), body }), 'id')
  },

  async state(id, _file, { url, send }): Promise<JobState> {
    const batch = await send({ method: 'GET', url: beside(url, `/batches/${id}`, path) })
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
      results: files.map((key) => beside(url, `/files/${idIn(batch, key)}/content`, path)),
    }
  },
})

const ENDED = new Set(['completed', 'expired', 'cancelled'])
