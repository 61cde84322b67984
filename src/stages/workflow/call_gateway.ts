/** An OpenAI-compatible gateway for Python judges. It passes chat completions to jb-call, one process per model. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lineSplitter } from '../../files/text.ts'
import { append, getOrInsert } from '../../rows/maps.ts'
import { isObject, type Jb, type Json, type JsonObject, type Reply, type Trial } from '../../rows/record.ts'
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

/** The most choices of one request. */
const MAX_CHOICES = 128

/** Parameters whose answers are no text, and which of their values are refused. */
const UNSUPPORTED: Readonly<Record<string, (value: Json) => boolean>> = {
  stream: Boolean,
  tools: someOf,
  functions: someOf,
  n: (value) =>
    value !== null &&
    !(Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_CHOICES),
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
    const { stream: _stream, n, ...request } = params
    const key = JSON.stringify([model, this.options])
    const caller = getOrInsert(this.callers, key, () => new Caller(model, this.options, this.env))
    return caller.ask({ messages, ...request }, (n as number | null | undefined) ?? 1)
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
  /** Callbacks by item and sample, in the order of the requests. */
  private readonly waiting = new Map<string, ((jb: Jb) => void)[]>()

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
        for (const list of this.waiting.values()) for (const respond of list) respond(failed(why))
        this.waiting.clear()
        resolve()
      }
      this.child.on('error', (error) => end(`jb-call cannot be started: ${error.message}`))
      this.child.on('close', (code) => end(`jb-call has ended with exit code ${code}`))
    })
  }

  /** Asks for `n` choices: as many rows, which differ in the number of their sample. */
  async ask(request: JsonObject, n: number): Promise<HttpAnswer> {
    // The same request gets the same item id in every run.
    const item = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16)
    const samples = Array.from({ length: n }, (_, sample) =>
      this.row(item, request, { n: sample, of: n, sample }),
    )
    const rows = await Promise.all(samples)
    for (const { error, reply } of rows)
      if (error || !reply) return refusal(error ? `${error.code}: ${error.message}` : 'no reply')
    const usages = rows.flatMap(({ reply }) => (reply!.usage ? [reply!.usage as unknown as JsonObject] : []))
    return {
      status: 200,
      body: {
        id: `chatcmpl-${item}`,
        object: 'chat.completion',
        created: 0,
        model: rows[0]!.reply!.served_model ?? this.model,
        choices: rows.map(({ reply }, index) => choiceOf(reply!, index)),
        ...(usages.length > 0 && { usage: usages.reduce(added) }),
      },
    }
  }

  private row(item: string, request: JsonObject, trial: Trial): Promise<Jb> {
    if (this.endReason !== undefined) return Promise.resolve(failed(this.endReason))
    return new Promise((resolve) => {
      append(this.waiting, `${item} ${trial.n}`, resolve)
      this.child.stdin!.write(`${JSON.stringify({ jb: { item, trial, request } })}\n`)
    })
  }

  private take(line: string): void {
    const { jb } = JSON.parse(line) as { jb: Jb }
    const key = `${jb.item} ${jb.trial?.n}`
    const list = this.waiting.get(key)
    const respond = list?.shift()
    if (list?.length === 0) this.waiting.delete(key)
    respond?.(jb)
  }

  async close(): Promise<void> {
    this.child.stdin!.end()
    await this.ended
  }
}

const failed = (message: string): Jb => ({ error: { stage: 'call', code: 'unavailable', message } })

/** A reply as a choice of a chat completion. */
function choiceOf({ text, reasoning, finish_reason: reason, logprobs }: Reply, index: number): JsonObject {
  return {
    index,
    message: { role: 'assistant', content: text, ...(reasoning && { reasoning_content: reasoning }) },
    finish_reason: reason ?? 'stop',
    ...(logprobs !== undefined && { logprobs: logprobs as Json }),
  }
}

/** The sum of two usages. */
function added(a: JsonObject, b: JsonObject): JsonObject {
  const sums: JsonObject = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const before = sums[key]
    if (typeof value === 'number' && typeof before === 'number') sums[key] = before + value
    else if (isObject(value) && isObject(before)) sums[key] = added(before, value)
    else sums[key] = value
  }
  return sums
}
