/** An OpenAI-compatible server that answers, or fails, as a test says: real sockets, a port of its own. */
import { createHash } from 'node:crypto'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A request as it came. */
export interface Call {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** The body as it came, and what it says. */
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: a body is what a client sends
  body: any
  /** The last message's words, or the prompt. */
  text: string
  /** Which attempt at this very text it is, from 1. */
  attempt: number
  /** Its number, from 0, and ms since the server began. */
  n: number
  at: number
  /** Its answer went out in full. */
  answered: boolean
  /** The client has read the answer to its end: the next request came on the same connection. */
  received: boolean
}

/** What the server does with it. */
export type Deed =
  | {
      status?: number
      headers?: Record<string, string>
      /** Text and bytes as they are, anything else as JSON. */
      body?: unknown
      /** ms before the answer. */
      delay?: number
      /** The body goes out in so many, 20 ms apart. */
      parts?: number
    }
  | 'reset'
  | 'hang'
  | 'cut'
  | 'drip'

export interface ChatServer {
  /** Up to `/v1`. */
  url: string
  port: number
  calls: Call[]
  /** How often each text was answered to the end. */
  answered: Map<string, number>
  /** Most calls under way at once. */
  widest: number
  close(): Promise<void>
}

/** The words a model that always says the same to the same question says. */
export const reply = (text: string) =>
  `on ${createHash('sha256').update(text).digest('hex').slice(0, 12)} I say [[A>B]]`

export const chatBody = (text: string, model = 'm', more: object = {}) => ({
  id: 'x',
  object: 'chat.completion',
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  ...more,
})

/** Starts a server that ends with the test. Without `act`, or where it gives nothing, it answers {@link reply}. */
export async function chatServer(
  t: TestContext,
  act: (call: Call) => Deed | undefined | Promise<Deed | undefined> = () => undefined,
): Promise<ChatServer> {
  const begun = Date.now()
  const attempts = new Map<string, number>()
  const lastOn = new WeakMap<Socket, Call>()
  let underWay = 0
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString()
    // Forms and files come as they are.
    const isJson = /json(?!l)/.test(request.headers['content-type'] ?? 'json')
    const body = raw === '' ? undefined : isJson ? JSON.parse(raw) : raw
    const text = String(body?.messages?.at(-1)?.content ?? body?.prompt ?? '')
    const attempt = (attempts.get(text) ?? 0) + 1
    attempts.set(text, attempt)
    const { method = '', url: path = '', headers } = request
    const call: Call = {
      method,
      path,
      headers,
      raw,
      body,
      text,
      attempt,
      n: server.calls.length,
      at: Date.now() - begun,
      answered: false,
      received: false,
    }
    const earlier = lastOn.get(request.socket)
    if (earlier) earlier.received = true
    lastOn.set(request.socket, call)
    server.calls.push(call)
    underWay++
    server.widest = Math.max(server.widest, underWay)
    response.on('close', () => underWay--)
    perform((await act(call)) ?? {}, call, request, response)
  }
  const perform = (deed: Deed, call: Call, request: IncomingMessage, response: ServerResponse) => {
    if (deed === 'reset') return request.socket.resetAndDestroy()
    if (deed === 'hang') return
    const whole = (body: unknown) =>
      typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const usual = chatBody(reply(call.text), call.body?.model)
    if (deed === 'cut') {
      // A length is promised and not kept.
      const bytes = whole(usual)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
      response.write(bytes.slice(0, bytes.length / 2), () => request.socket.destroy())
      return
    }
    if (deed === 'drip') {
      const bytes = whole(usual)
      response.writeHead(200, { 'content-type': 'application/json' })
      let at = 0
      const timer = setInterval(() => response.write(bytes[at++] ?? ' '), 100)
      response.on('close', () => clearInterval(timer))
      return
    }
    const {
      status = 200,
      headers = {},
      body = status === 200 ? usual : { error: { message: `status ${status}` } },
      delay = 0,
      parts = 1,
    } = deed
    setTimeout(async () => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      const text = whole(body)
      const length = Math.ceil(text.length / parts)
      for (let at = 0; at < (parts - 1) * length; at += length) {
        response.write(text.slice(at, at + length))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      response.end(text.slice((parts - 1) * length), () => {
        if (status !== 200 || body !== usual) return
        call.answered = true
        server.answered.set(call.text, (server.answered.get(call.text) ?? 0) + 1)
      })
    }, delay)
  }
  const http = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  const port = await listening(t, http)
  const server: ChatServer = {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    calls: [],
    answered: new Map(),
    widest: 0,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  return server
}

/** Starts a server on a port of its own, which it gives; the server ends with the test. */
export async function listening(t: TestContext, server: Server | HttpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

/** Numbers from 0 up to 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
