/**
 * Rows set aside in a temporary file, so that all rows of an item can be read together: they are partitioned by a hash of
 * their items, as in a Grace hash join, and only a few partitions are in memory at a time.
 */
import { Readable } from 'node:stream'
import { Spool } from '../files/spool.ts'
import { type Rows, readRows, type Source } from '../rows/reader.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { hash } from './_item_hash.ts'

const PARTITIONS = 256
/** Bytes of a partition that are written together. */
const PIECE = 64 * 1024
/** Bytes of partitions that are read together. */
const TOGETHER = 2 * 1024 * 1024

/** The rows of one partition. */
class Partition {
  /** Its pieces of the file. */
  readonly pieces: number[] = []
  /** The last bytes, which are not in the file yet. */
  buffer = Buffer.allocUnsafe(4096)
  used = 0
  bytes = 0
  readonly lines: number[] = []
  /** The rows' file, from the row with this index on. */
  readonly files: { from: number; file: string }[] = []

  /** Makes room for more bytes. */
  reserve(bytes: number): void {
    if (this.used + bytes <= this.buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.used + bytes, 2 * this.buffer.length))
    this.buffer.copy(larger, 0, 0, this.used)
    this.buffer = larger
  }
}

export class RowPartitions {
  private readonly partitions = new Map<number, Partition>()
  private readonly context: Context
  private spool: Spool | undefined

  constructor(context: Context) {
    this.context = context
  }

  /** Sets an unchanged row aside; its item was hashed last. */
  add(row: Row): void {
    const number = hash[0]! % PARTITIONS
    let partition = this.partitions.get(number)
    if (!partition) this.partitions.set(number, (partition = new Partition()))
    const { lines, files } = partition
    if (files.at(-1)?.file !== row.file) files.push({ from: lines.length, file: row.file })
    lines.push(row.line)
    const begin = partition.used
    // With its line end.
    partition.reserve(row.bytes + 1)
    const { buffer } = partition
    row.write({
      bytes: (text) => (partition.used += buffer.latin1Write(text, partition.used)),
      text: (text) => (partition.used += buffer.write(text, partition.used)),
      copy: (bytes, from, to) => {
        buffer.set(bytes.subarray(from, to), partition.used)
        partition.used += to - from
      },
    })
    partition.bytes += partition.used - begin
    if (partition.used >= PIECE) this.flush(partition)
  }

  private flush(partition: Partition): void {
    try {
      this.spool ??= new Spool()
      this.spool.add(partition.buffer.subarray(0, partition.used))
    } catch {
      // Without room for temporary files, the rows stay in memory.
      return
    }
    partition.pieces.push(this.spool.pieces - 1)
    partition.used = 0
  }

  /** Yields groups of partitions, in the order of their first rows. All rows of an item are in one group, in their order. */
  async *groups(): AsyncGenerator<Rows> {
    const waiting = [...this.partitions.values()]
    this.partitions.clear()
    while (waiting.length > 0) {
      const group: Partition[] = []
      for (let bytes = 0; waiting.length > 0 && bytes < TOGETHER; ) {
        group.push(waiting.shift()!)
        bytes += group.at(-1)!.bytes
      }
      yield this.read(group)
    }
  }

  private async *read(group: readonly Partition[]): Rows {
    const { spool, context } = this
    async function* chunks() {
      for (const { pieces, buffer, used } of group) {
        for (const piece of pieces) yield spool!.read(piece)
        if (used > 0) yield buffer.subarray(0, used)
      }
    }
    const source: Source = { name: '', open: () => Readable.from(chunks()), chunks }
    const places = placesOf(group)
    for await (const batch of readRows([source], {
      badRows: 'stop',
      stage: context.stage,
      signal: context.stop,
      onBadRow(message) {
        throw new Error(`a row that was set aside cannot be read: ${message}`)
      },
    }))
      yield batch.map((row) => row.placedAt(...places.next().value!))
  }

  close(): void {
    this.spool?.close()
    this.spool = undefined
  }
}

/** The places of the rows, in order. */
function* placesOf(group: readonly Partition[]): Generator<[file: string, line: number], undefined> {
  for (const { lines, files } of group) {
    let place = 0
    for (const [i, line] of lines.entries()) {
      if (i === files[place + 1]?.from) place++
      yield [files[place]!.file, line]
    }
  }
}
