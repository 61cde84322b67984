/** Makes each call once, and writes its reply to the cache before the row is written. */
import { statSync } from 'node:fs'
import { EXIT, Fatal, type Reply, RowFailure } from '../../../rows/record.ts'
import type { Attempts } from '../attempts.ts'
import { type CallRequest, fingerprintOf, type ReplyKeys } from '../call_request.ts'
import type { CallOptions } from '../options.ts'
import { unpaid } from '../written_reply.ts'
import { Journal, type ReplyIdentity } from './journal.ts'
import { opened, type StoredReplies } from './stored.ts'

/** The source of a reply; `local` is a baseline. */
export type ReplySource = 'row' | 'cache' | 'recording' | 'call' | 'local'

export interface SourcedReply {
  reply: Reply
  source: ReplySource
}

/** The endpoint of baselines' replies. */
export const LOCAL = 'in process'

export class Replies {
  private readonly options: CallOptions
  private readonly attempts: Attempts
  private readonly stored: StoredReplies
  private readonly recording: Journal | undefined
  private readonly replaying: Journal | undefined
  /** Calls in flight, by identity: concurrent rows share one call. */
  private readonly inFlight = new Map<string, Promise<SourcedReply>>()

  constructor(options: CallOptions, attempts: Attempts, stored: StoredReplies) {
    this.options = options
    this.attempts = attempts
    this.stored = stored
    const { replay, record } = options
    if (replay) {
      this.replaying = opened(() => Journal.openToRead(replay), EXIT.noInput, '--replay')
      if (this.replaying.size === 0 && statSync(replay).size > 0)
        throw new Fatal(
          EXIT.data,
          `--replay: ${replay} holds no recorded replies (--record FILE writes them; rows with their replies need no call)`,
        )
    }
    if (record) this.recording = opened(() => Journal.open(record), EXIT.io, '--record')
  }

  get records(): boolean {
    return this.recording !== undefined
  }

  get replays(): boolean {
    return this.replaying !== undefined
  }

  /** The recorded reply with these keys. @throws RowFailure unavailable */
  recorded(keys: ReplyKeys, model: string | undefined): Reply {
    const by = model === undefined ? {} : { model }
    const { decision } = keys
    const kept = this.replaying!.find({ key: keys.own, ...by })
    const decided = kept || decision === undefined ? kept : this.replaying!.find({ key: decision, ...by })
    if (decided)
      return decided.endpoint === LOCAL
        ? decided.reply
        : {
            ...decided.reply,
            fingerprint: fingerprintOf({ ...decided, key: kept ? keys.sent : decision! }),
          }
    const damaged = this.replaying!.damaged > 0 ? `; ${this.replaying!.damaged} lines of it are damaged` : ''
    throw new RowFailure(
      'unavailable',
      `no reply to this request${model ? ` by ${model}` : ''} in ${this.options.replay}${damaged}`,
    )
  }

  /**
   * The reply to a request that is not in the cache, from a call in flight or a new one.
   * @throws RowFailure, Halted
   */
  async call(request: CallRequest): Promise<SourcedReply> {
    // Without a cache each row makes its own call.
    if (!this.stored.keeps(request.endpoint.model)) {
      const reply = await this.send(request)
      if (this.recording) await this.record(request.identity, reply)
      return { reply, source: 'call' }
    }
    const name = nameOf(request.identity)
    const other = this.inFlight.get(name)
    if (other) {
      const { reply } = await other.catch((error: unknown) => {
        throw unpaid(error)
      })
      return { reply, source: 'cache' }
    }
    const call = this.once(request, name)
    this.inFlight.set(name, call)
    return call
  }

  /** Writes the reply to the file of `--record`, unless it has it, and returns it. */
  async record(identity: ReplyIdentity, reply: Reply): Promise<Reply> {
    if (this.recording && !this.recording.get(identity)) await this.recording.put(identity, reply)
    return reply
  }

  close(): void {
    this.stored.close()
    this.recording?.close()
    this.replaying?.close()
  }

  private async send(request: CallRequest): Promise<Reply> {
    const { together } = request.keys
    if (!together) return (await this.attempts.send(request))[0] as Reply
    return together.group.ask(together.place, () => this.attempts.send(request))
  }

  private async once(request: CallRequest, name: string): Promise<SourcedReply> {
    const { identity } = request
    try {
      const reply = await this.send(request)
      await this.stored.put(identity, reply)
      await this.record(identity, reply)
      return { reply, source: 'call' }
    } finally {
      this.inFlight.delete(name)
    }
  }
}

const nameOf = ({ key, model, endpoint }: ReplyIdentity): string => `${key}\n${model}\n${endpoint}`
