/** Batches: the file formats of providers, and how a file is handed in, looked after and its results fetched. */
import { isObject, type JsonObject, RowFailure } from '../rows/record.ts'
import type { Access, Env } from './_access.ts'

/** A provider's batch files. The limits are those its documentation gives for one file. */
export interface Batch {
  requests: number
  bytes: number
  line(id: string, body: Buffer): Buffer
  /** The name of the id in lines of requests and results. */
  id: string
  /** What a line of results holds: an HTTP answer. @throws RowFailure unavailable where the request was not answered */
  result(line: JsonObject): { status: number; body: JsonObject }
  jobs: Jobs
  /** The headers that sign a request to do with batches, where these are signed. @throws RowFailure auth */
  sign?(call: BatchCall, access: Pick<Access, 'env' | 'url' | 'hide'>): Promise<Record<string, string>>
}

/** A line of a batch file: what tells requests apart, and a request's bytes as they are, under its key. */
export const requestLine = (about: JsonObject, key: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify(about).slice(0, -1)},${JSON.stringify(key)}:`),
    body,
    Buffer.from('}\n'),
  ])

/** A file of requests on its way to a provider. */
export interface BatchUpload {
  name: string
  size: number
  open(): AsyncIterable<Buffer>
}

export interface BatchCall {
  method: 'GET' | 'POST' | 'PUT'
  url: URL
  headers?: Record<string, string>
  body?: Buffer | { size: number; open(): AsyncIterable<Buffer> }
}

/** Makes a request with the endpoint's headers. @throws RowFailure where it is refused */
type SendBatch = (call: BatchCall) => Promise<JsonObject>

export interface JobState {
  /** `ended`: there are results, of some requests at least. */
  phase: 'waiting' | 'ended' | 'failed'
  /** In the provider's own word. */
  status: string
  completed?: number
  failed?: number
  /** Why it failed. */
  message?: string
  /** Where the results are. */
  results: URL[]
}

/** Where batches are made. */
export interface BatchPlace {
  /** Where single requests go. */
  url: URL
  /** The model's name there. */
  model: string
  env: Env
  send: SendBatch
}

export interface Jobs {
  /** Uploads a file, which may be done again. @returns what `start` is to be given; the file itself where nothing is uploaded */
  upload?(file: BatchUpload, place: BatchPlace): Promise<string>
  /** Begins the batch. @returns its id */
  start(uploaded: string, file: BatchUpload, place: BatchPlace): Promise<string>
  state(id: string, file: BatchUpload, place: BatchPlace): Promise<JobState>
}

/** A server's id, checked to be one segment of a path. @throws RowFailure bad_response */
export function idIn(answer: JsonObject, key: string): string {
  const id = answer[key]
  if (typeof id === 'string' && /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(id)) return id
  throw new RowFailure('bad_response', `the answer has no ${key}: ${JSON.stringify(id)}`)
}

const BOUNDARY = 'jb-call-5f1d0c6e7a9b4e2f'

/** A file as a part of a multipart body, after the text of the parts before it. */
export function multipart(kind: 'form-data' | 'related', before: string[], head: string, file: BatchUpload) {
  const first = Buffer.from([...before, head].map((part) => `--${BOUNDARY}\r\n${part}`).join('\r\n'))
  const last = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  return {
    headers: { 'content-type': `multipart/${kind}; boundary=${BOUNDARY}` },
    body: {
      size: first.length + file.size + last.length,
      async *open() {
        yield first
        yield* file.open()
        yield last
      },
    },
  }
}

/** The name in a header: without what would end it. */
export const plainName = (name: string): string => name.replace(/[^\w.-]/g, '_')

/** @returns the failure of a request that a batch did not answer, with the provider's own reason */
export function unanswered(error: unknown): RowFailure {
  const inner = isObject(error) && isObject(error.error) ? error.error : error
  const reason = isObject(inner) ? (inner.message ?? inner.type ?? inner.code) : inner
  return new RowFailure('unavailable', `the batch did not answer: ${reason}`, { retryable: true })
}
