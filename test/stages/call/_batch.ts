/** Lines of batch files, and results as OpenAI gives them. */
import { chatBody, reply } from './server.ts'

export interface Line {
  custom_id: string
  // biome-ignore lint/suspicious/noExplicitAny: a request's body
  body: any
  params?: unknown
}

export const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** What OpenAI gives back for a request. */
export const result = ({ custom_id, body }: Line, more: object = {}) => ({
  id: `batch_req_${custom_id}`,
  custom_id,
  response: {
    status_code: 200,
    request_id: 'r',
    body: chatBody(reply(body.messages.at(-1).content), body.model),
  },
  error: null,
  ...more,
})
