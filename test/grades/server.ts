/** A judge that answers as a test says, on a port of its own, until the test is over. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { Message } from '../../src/rows/record.ts'

export interface Asked {
  model: string
  messages: Message[]
  stop?: string[]
  response_format?: unknown
  temperature?: number
  max_tokens?: number
  [parameter: string]: unknown
}

export interface Said {
  text?: string
  finish_reason?: string
  logprobs?: unknown
  /** In place of an answer. */
  status?: number
}

export interface JudgeServer {
  /** Up to `/v1`. */
  url: string
  /** All bodies, in the order in which they came. */
  asked: Asked[]
  /** The Authorization header of each. */
  keys: (string | undefined)[]
}

/** Answers every chat request with what `say` makes of it. */
export async function judgeServer(
  t: TestContext,
  say: (asked: Asked) => Said | string,
): Promise<JudgeServer> {
  const asked: Asked[] = []
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked
      asked.push(body)
      keys.push(request.headers.authorization)
      const said = say(body)
      const {
        text,
        finish_reason,
        logprobs,
        status = 200,
      }: Said = typeof said === 'string' ? { text: said } : said
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          status === 200
            ? {
                model: body.model,
                choices: [
                  {
                    index: 0,
                    message: { role: 'assistant', content: text },
                    finish_reason: finish_reason ?? 'stop',
                    ...(logprobs !== undefined && { logprobs }),
                  },
                ],
                usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
              }
            : { error: { message: 'no' } },
        ),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, keys }
}
