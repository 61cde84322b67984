/** A reply is looked for before it is paid for, and kept before it is given on. */
import { statSync } from 'node:fs'
import { EXIT, Fatal, type Reply, RowFailure } from '../../../rows/record.ts'
import type { Attempts } from '../attempts.ts'
import { Halted, pause } from '../limits/gate.ts'
import { askedOf, type Question } from '../question.ts'
import { bareReply } from '../reply_text.ts'
import { type Identity, Journal } from './journal.ts'
import { opened, type StoredReplies } from './stored.ts'

export interface ReplyOptions {
  record?: string
  replay?: string
}

/** Told where a reply came from, when it is there or its call is made: paid for by this very call, or not. */
export type Came = (from: 'called' | 'cached') => void

/** The endpoint of what a model in process says. */
export const HERE = 'in process'

/** ms between looks for a reply that another process is getting. */
const POLL_MS = 25

export class Replies {
  private readonly options: ReplyOptions
  private readonly attempts: Attempts
  private readonly stored: StoredReplies
  private readonly halt: AbortSignal
  private readonly recording: Journal | undefined
  private readonly replaying: Journal | undefined
  /** Calls under way: the same request is not sent twice at once. */
  private readonly underWay = new Map<string, Promise<Reply>>()

  constructor(options: ReplyOptions, attempts: Attempts, stored: StoredReplies, halt: AbortSignal) {
    this.options = options
    this.attempts = attempts
    this.stored = stored
    this.halt = halt
    const { replay, record } = options
    if (replay) {
      this.replaying = opened(() => Journal.openToRead(replay), EXIT.noInput, '--replay')
      if (this.replaying.size === 0 && statSync(replay).size > 0)
        throw new Fatal(EXIT.data, `--replay: ${replay} holds no recorded replies`)
    }
    if (record) this.recording = opened(() => Journal.open(record), EXIT.io, '--record')
  }

  get records(): boolean {
    return this.recording !== undefined
  }

  get replays(): boolean {
    return this.replaying !== undefined
  }

  /** The recorded reply to a request. @throws RowFailure unavailable */
  recorded(key: string, model: string | undefined): Reply {
    const kept = this.replaying!.find({ key, ...(model !== undefined && { model }) })
    if (kept) return kept.endpoint === HERE ? kept.reply : { ...kept.reply, asked: askedOf(kept) }
    const by = model ? ` by ${model}` : ''
    throw new RowFailure('unavailable', `no reply to this request${by} in ${this.options.replay}`)
  }

  /**
   * The reply from the cache, from a call that is under way, or from a new one.
   * @throws RowFailure, Halted
   */
  to(question: Question, came: Came): Promise<Reply> {
    // Without a cache every row has a call of its own.
    if (!this.stored.keeps(question.endpoint.model)) {
      came('called')
      const call = this.attempts.ask(question)
      if (!this.recording) return call
      return call.then((reply) => this.record(question.identity, reply))
    }
    const { identity } = question
    const kept = this.stored.get(identity)
    if (kept) {
      came('cached')
      return this.record(identity, kept)
    }
    const flight = flightOf(identity)
    const other = this.underWay.get(flight)
    if (other)
      return other.then((reply) => {
        came('cached')
        return reply
      })
    const call = this.get(question, flight, came)
    this.underWay.set(flight, call)
    return call
  }

  /** Keeps a reply that was paid for elsewhere, where the cache or the recording has none: nobody need ask the same. */
  async keep({ identity }: Question, reply: Reply): Promise<void> {
    const flight = flightOf(identity)
    // Just being asked for, or kept for another row.
    if (this.underWay.has(flight)) return
    const kept = this.store(identity, reply)
    this.underWay.set(flight, kept)
    try {
      await kept
    } finally {
      this.underWay.delete(flight)
    }
  }

  private async store(identity: Identity, reply: Reply): Promise<Reply> {
    await this.stored.takeOver(identity, reply)
    return this.record(identity, bareReply(reply))
  }

  /** Writes the reply to `--record FILE` where it is not there yet, and gives it back. */
  async record(identity: Identity, reply: Reply): Promise<Reply> {
    if (this.recording && !this.recording.get(identity)) await this.recording.put(identity, reply)
    return reply
  }

  close(): void {
    this.stored.close()
    this.recording?.close()
    this.replaying?.close()
  }

  /** Pays for the reply, unless another process is just doing so. */
  private async get(question: Question, flight: string, came: Came): Promise<Reply> {
    const { stored, halt } = this
    const { identity } = question
    let waited = false
    while (stored.unnoticed(identity.model) && !halt.aborted) {
      await pause(POLL_MS, halt)
      waited = true
    }
    const claimed = stored.claim(identity.model, flight)
    try {
      for (let held = waited || claimed?.alone === false; held; ) {
        held = claimed?.earlier() === true
        // Looked for behind that: the other may have finished in between, and be gone.
        const kept = stored.get(identity)
        if (kept) {
          came('cached')
          return await this.record(identity, kept)
        }
        if (held) await pause(POLL_MS, halt)
        if (held && halt.aborted) throw new Halted()
      }
      const reply = await this.attempts.ask(question)
      await stored.put(identity, reply)
      if (this.recording) await this.record(identity, reply)
      came('called')
      return reply
    } finally {
      claimed?.drop()
      this.underWay.delete(flight)
    }
  }
}

const flightOf = ({ key, model, endpoint }: Identity): string => `${key}\n${model}\n${endpoint}`
