/** An OpenAI-compatible gateway for Python judges. It passes chat completions to jb-call, one process per model. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lineSplitter } from '../../files/text.ts'
import { append, getOrInsert } from '../../rows/maps.ts'
import type { Jb, Json, JsonObject } from '../../rows/record.ts'
import { commandPath } from './commands.ts'

export interface HttpAnswer {
  status: number
  body: JsonObject
}

/** An error answer with a status that clients do not retry. */
const refusal = (message: string, status = 422): HttpAnswer => ({
  status,
  body: { error: { message, type: 'jb', code: null } },
})

const someOf = (value: Json) => Array.isArray(value) && value.length > 0

/** Parameters that need more than one plain reply, and which of their values are refused. */
const UNSUPPORTED: Readonly<Record<string, (value: Json) => boolean>> = {
  stream: Boolean,
  tools: someOf,
  functions: someOf,
  logprobs: Boolean,
  n: (value) => value !== 1 && value !== null,
}

export class CallGateway {
  private readonly callers = new Map<string, Caller>()
  private readonly env: Record<string, string | undefined>
  /** Options of every jb-call. */
  options: readonly string[] = []

  constructor(env: Record<string, string | undefined>) {
    this.env = env
  }

  /** Answers a chat completion request. */
  async complete(body: JsonObject): Promise<HttpAnswer> {
    const { model, messages, ...params } = body
    if (typeof model !== 'string' || !Array.isArray(messages))
      return refusal('"model" and "messages" are needed', 400)
    for (const [key, unsupported] of Object.entries(UNSUPPORTED))
      if (params[key] !== undefined && unsupported(params[key]!))
        return refusal(`"${key}": ${JSON.stringify(params[key])} is not supported here`, 400)
    const { stream: _stream, n: _n, ...request } = params
    const key = JSON.stringify([model, this.options])
    const caller = getOrInsert(this.callers, key, () => new Caller(model, this.options, this.env))
    return caller.ask({ messages, ...request })
  }

  /** Waits until each jb-call has finished its requests. */
  async close(): Promise<void> {
    await Promise.all([...this.callers.values()].map((caller) => caller.close()))
  }
}

/** One jb-call process, fed with rows as requests arrive. */
class Caller {
  private readonly model: string
  private readonly child: ChildProcess
  private readonly ended: Promise<void>
  /** Why the process has ended. */
  private endReason: string | undefined
  /** Callbacks by item, in the order of the requests. */
  private readonly waiting = new Map<string, ((answer: HttpAnswer) => void)[]>()

  constructor(model: string, options: readonly string[], env: Record<string, string | undefined>) {
    this.model = model
    const args = ['--model', model, ...options, '--unordered', '--progress', 'never']
    this.child = spawn(commandPath('jb-call'), args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...env, JB_JUDGE: undefined, JB_OUTPUT: undefined },
    })
    this.child.stdin!.on('error', () => {})
    const lines = lineSplitter()
    this.child.stdout!.setEncoding('utf8').on('data', (piece) => {
      for (const line of lines(piece)) this.take(line)
    })
    this.ended = new Promise((resolve) => {
      const end = (why: string) => {
        this.endReason = why
        for (const list of this.waiting.values()) for (const respond of list) respond(refusal(why))
        this.waiting.clear()
        resolve()
      }
      this.child.on('error', (error) => end(`jb-call cannot be started: ${error.message}`))
      this.child.on('close', (code) => end(`jb-call has ended with exit code ${code}`))
    })
  }

  ask(request: JsonObject): Promise<HttpAnswer> {
    if (this.endReason !== undefined) return Promise.resolve(refusal(this.endReason))
    // The same request gets the same item id in every run.
    const item = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16)
    return new Promise((resolve) => {
      append(this.waiting, item, resolve)
      this.child.stdin!.write(`${JSON.stringify({ jb: { item, trial: { n: 0, of: 1 }, request } })}\n`)
    })
  }

  private take(line: string): void {
    const { jb } = JSON.parse(line) as { jb: Jb }
    const list = this.waiting.get(jb.item ?? '')
    const respond = list?.shift()
    if (list?.length === 0) this.waiting.delete(jb.item!)
    if (!respond) return
    if (jb.error || !jb.reply) {
      respond(refusal(`${jb.error?.code}: ${jb.error?.message}`))
      return
    }
    const { text, reasoning, finish_reason: reason, served_model: served, usage } = jb.reply
    respond({
      status: 200,
      body: {
        id: `chatcmpl-${jb.item}`,
        object: 'chat.completion',
        created: 0,
        model: served ?? this.model,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: text,
              ...(reasoning && { reasoning_content: reasoning }),
            },
            finish_reason: reason ?? 'stop',
          },
        ],
        ...(usage && { usage: usage as unknown as JsonObject }),
      },
    })
  }

  async close(): Promise<void> {
    this.child.stdin!.end()
    await this.ended
  }
}
