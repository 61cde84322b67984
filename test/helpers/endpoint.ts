/** A chat endpoint on this machine that answers as the test says, and stops with it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import type { Message } from '../../src/rows/record.ts'

export interface ChatRequest {
  model: string
  messages: Message[]
  [parameter: string]: unknown
}

/** What to say: a reply's text, or a status with an error's message. */
export type Answer = string | { status: number; message: string }

/** Starts it; gives the base URL up to /v1 and the requests that came. */
export async function endpoint(t: TestContext, answer: (request: ChatRequest) => Answer) {
  const requests: ChatRequest[] = []
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    const body: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => body.push(chunk))
    incoming.on('end', () => {
      const request = JSON.parse(Buffer.concat(body).toString()) as ChatRequest
      requests.push(request)
      const said = answer(request)
      const status = typeof said === 'string' ? 200 : said.status
      const message = { role: 'assistant', content: said }
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          typeof said === 'string'
            ? { model: request.model, choices: [{ index: 0, message, finish_reason: 'stop' }] }
            : { error: { message: said.message } },
        ),
      )
    })
  }
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/v1`, requests }
}
