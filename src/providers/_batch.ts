/** Providers' batch APIs: file formats, and how to upload a file, start a batch, poll it and fetch its results. */
import { isObject, type JsonObject, RowFailure } from '../rows/record.ts'
import type { Access, Env } from './_access.ts'

export interface Batch {
  /** The documented limits of one file. */
  requests: number
  bytes: number
  line(id: string, body: Buffer): Buffer
  /** The key of the id in lines of requests and results. */
  id: string
  /** The HTTP answer in a line of results. @throws RowFailure unavailable if the request was not answered */
  result(line: JsonObject): { status: number; body: JsonObject }
  jobs: Jobs
  /** Returns the headers that sign a call of the batch API, if the API signs them. @throws RowFailure auth */
  sign?(call: BatchCall, access: Pick<Access, 'env' | 'url' | 'hide'>): Promise<Record<string, string>>
}

/** A line of a batch file: the members of `head`, then the request's bytes, unchanged, under `key`. */
export const requestLine = (head: JsonObject, key: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},${JSON.stringify(key)}:`),
    body,
    Buffer.from('}\n'),
  ])

/** A batch file to upload. */
interface BatchUpload {
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

/** Sends a call with the endpoint's headers. @throws RowFailure if it is refused */
type SendBatch = (call: BatchCall) => Promise<JsonObject>

export interface JobState {
  /** `ended`: at least some requests have results. */
  phase: 'waiting' | 'ended' | 'failed'
  /** The provider's name for the state. */
  status: string
  completed?: number
  failed?: number
  /** Why it failed. */
  message?: string
  results: URL[]
}

/** The endpoint and model of a batch. */
export interface BatchPlace {
  /** The URL of single requests. */
  url: URL
  /** The model's name at the endpoint. */
  model: string
  env: Env
  send: SendBatch
}

export interface Jobs {
  /** Uploads a file; safe to repeat. Absent if `start` sends the file. @returns the id for `start` */
  upload?(file: BatchUpload, place: BatchPlace): Promise<string>
  /** Starts the batch. @returns its id */
  start(uploaded: string, file: BatchUpload, place: BatchPlace): Promise<string>
  state(id: string, file: BatchUpload, place: BatchPlace): Promise<JobState>
}

/** The id in an answer: one or two path segments. @throws RowFailure bad_response */
export function idIn(answer: JsonObject, key: string): string {
  const id = answer[key]
  if (typeof id === 'string' && /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(id)) return id
  throw new RowFailure('bad_response', `the answer has no ${key}: ${JSON.stringify(id)}`)
}

const BOUNDARY = 'jb-call-5f1d0c6e7a9b4e2f'

/** A multipart body: text parts, then a file with the headers `head`. */
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

/** A file name that is safe in a header. */
export const plainName = (name: string): string => name.replace(/[^\w.-]/g, '_')

/** The failure of a request without an answer in a batch's results, with the provider's reason. */
export function unanswered(error: unknown): RowFailure {
  const inner = isObject(error) && isObject(error.error) ? error.error : error
  const given = isObject(inner) ? (inner.message ?? inner.type ?? inner.code) : inner
  const reason =
    given ?? 'the line has neither an answer nor an error (the requests, in place of the results?)'
  return new RowFailure('unavailable', `the batch did not answer: ${reason}`, { retryable: true })
}
