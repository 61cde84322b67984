/** Sends HTTP requests. */

import type { Dispatcher } from 'undici'
import { getOrInsert } from '../../../rows/maps.ts'
import { RowFailure } from '../../../rows/record.ts'
import { LONGEST_TIMER } from '../limits/waits.ts'
import { connectionsTo } from './connections.ts'
import { proxyTo } from './proxy.ts'
import { type HttpResponse, Transfer } from './transfer.ts'

type Headers = Record<string, string>
type Request = Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body'>

interface Connected {
  connections: Dispatcher
  /** The proxy, for messages. */
  through: string | undefined
  origin: string
  path: string
}

export class Http {
  private readonly timeout: number
  private readonly env: Record<string, string | undefined>
  private readonly origins = new Map<string, Promise<Dispatcher>>()
  private readonly connected = new Map<URL, Connected>()
  private readonly transfers = new Set<Transfer>()

  /** @param timeout ms from a call's start to its last byte */
  constructor(timeout: number, env: Record<string, string | undefined>) {
    this.timeout = Math.min(timeout, LONGEST_TIMER)
    this.env = env
  }

  /**
   * @param url must not be changed afterwards
   * @param sent called when the request is sent
   * @returns the answer, or a failure: timeout, unavailable or bad_response, with the system's code in `detail.cause`
   */
  post(url: URL, headers: Headers, body: Buffer, sent?: () => void): Promise<HttpResponse | RowFailure> {
    return this.send(url, { method: 'POST', headers, body }, this.timeout, sent)
  }

  get(url: URL, headers: Headers, timeout: number): Promise<HttpResponse | RowFailure> {
    return this.send(url, { method: 'GET', headers }, timeout)
  }

  /** Requests without an answer yet. */
  get inFlight(): number {
    return this.transfers.size
  }

  /** Aborts requests in flight and closes all connections. */
  async close(): Promise<void> {
    for (const transfer of this.transfers) transfer.abort(new RowFailure('incomplete', 'the run was ended'))
    for (const connections of this.origins.values()) await (await connections).destroy()
    this.origins.clear()
  }

  private send(
    url: URL,
    { method, headers, body }: Request,
    timeout: number,
    sent?: () => void,
  ): Promise<HttpResponse | RowFailure> {
    const known = this.connected.get(url)
    if (!known) return this.connect(url).then(() => this.send(url, { method, headers, body }, timeout, sent))
    const { connections, through, origin, path } = known
    const transfer = new Transfer(url, timeout, this.transfers, through, sent)
    connections.dispatch({ origin, path, method, headers, body }, transfer)
    return transfer.answer
  }

  private async connect(url: URL): Promise<void> {
    const { origin, pathname, search } = url
    const proxy = proxyTo(url, this.env)
    const connections = await getOrInsert(this.origins, origin, () =>
      connectionsTo(origin, this.timeout, proxy),
    )
    this.connected.set(url, { connections, through: proxy?.label, origin, path: pathname + search })
  }
}
