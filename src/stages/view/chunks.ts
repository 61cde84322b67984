/** Whole rows on their way into the page: two lines each, compressed in pieces and set aside until the index is known. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Spool } from '../../files/spool.ts'

const compress = promisify(gzip)

/** Characters of rows that are compressed together: little to unpack for one item, much to find repeats in. */
const SIZE = 2 << 20
/** Pieces that are compressed at once. */
const UNDER_WAY = 2

/** Text a character a byte in, compressed pieces in a spool. */
export class Chunks {
  private lines: string[] = []
  private length = 0
  private readonly spool: Spool
  private readonly form: (bytes: Uint8Array) => Uint8Array
  private under: Promise<void>[] = []
  private last: Promise<void> = Promise.resolve()
  private rows = 0
  /** First row of each chunk. */
  readonly begins: number[] = []

  /** @param form what a compressed piece becomes before it is set aside */
  constructor(spool: Spool, form: (bytes: Uint8Array) => Uint8Array) {
    this.spool = spool
    this.form = form
  }

  /** @param user JSON of the user's part; empty where it stands with an earlier row of the item */
  add(user: string, jb: string): void {
    if (this.lines.length === 0) this.begins.push(this.rows)
    this.lines.push(user, jb)
    this.length += user.length + jb.length
    this.rows++
    if (this.length >= SIZE) this.cut()
  }

  /** Resolves when there is room for more. @throws Fatal (write error) */
  async room(): Promise<void> {
    while (this.under.length > UNDER_WAY) await this.under[0]
  }

  async end(): Promise<void> {
    if (this.lines.length > 0) this.cut()
    await this.last
  }

  private cut(): void {
    const bytes = Buffer.from(this.lines.join('\n'), 'latin1')
    this.lines = []
    this.length = 0
    const before = this.last
    const packed = compress(bytes, { level: 7, memLevel: 9 }).then(this.form)
    const one = (async () => {
      const piece = await packed
      await before
      this.spool.add(piece)
      this.under.shift()
    })()
    // An error is met by who waits for room or for the end.
    one.catch(() => {})
    this.last = one
    this.under.push(one)
  }
}
