/** A judge that answers as a test says: the fake server of jb-call's tests, which is told words instead of deeds. */
import type { TestContext } from 'node:test'
import type { Message } from '../../src/rows/record.ts'
import { chatBody, chatServer } from '../stages/call/server.ts'

export interface Asked {
  model: string
  messages: Message[]
  stop?: string[]
  temperature?: number
  max_tokens?: number
  [parameter: string]: unknown
}

interface Said {
  text?: string
  finish_reason?: string
  logprobs?: unknown
  /** In place of an answer. */
  status?: number
  message?: string
}

export interface JudgeServer {
  /** Up to `/v1`. */
  url: string
  /** All bodies, in the order in which they came. */
  asked: Asked[]
  /** The Authorization header of each. */
  keys: (string | undefined)[]
}

/** Answers every chat request with what `say` makes of it; `n` counts them from 0. It stops with the test. */
export async function judgeServer(
  t: TestContext,
  say: (asked: Asked, n: number) => Said | string,
): Promise<JudgeServer> {
  const asked: Asked[] = []
  const keys: (string | undefined)[] = []
  const { url } = await chatServer(t, ({ body, headers }) => {
    if (body === undefined) return { status: 404, body: {} }
    keys.push(headers.authorization)
    const said = say(body, asked.push(body) - 1)
    if (typeof said !== 'string' && said.status !== undefined)
      return { status: said.status, body: { error: { message: said.message ?? 'no' } } }
    const { text, finish_reason = 'stop', ...more }: Said = typeof said === 'string' ? { text: said } : said
    const message = { role: 'assistant', content: text }
    return { body: chatBody('', body.model, { choices: [{ index: 0, message, finish_reason, ...more }] }) }
  })
  return { url, asked, keys }
}

/** What was asked last in a request. */
export const lastOf = ({ messages }: Asked): string => messages.at(-1)!.content
