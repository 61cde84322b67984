/** Threads, the ranges they are given, and what they make of them, in order. */
import type { ByteRange, OutputPiece, RangeAnswer, ThreadAnswer, WorkerPort } from './protocol.ts'

/** Ranges that a thread has: one it works on, and the next. */
const AHEAD = 2

interface Worker {
  port: WorkerPort
  /** Those it has not finished. */
  ranges: Work[]
}

/** A range, and what was made of it and has not been taken yet. */
interface Work {
  range: ByteRange
  worker: Worker
  answers: RangeAnswer[]
}

export class WorkerPool {
  private readonly workers: Worker[]
  private readonly ranges: Iterator<ByteRange>
  /** Ranges that are given out, in order. */
  private readonly works: Work[] = []
  /** No range is left to give out. */
  private allGiven = false
  private readonly onReady: () => void
  private loading: number
  private wake = () => {}

  /** @param onReady called when all can work */
  constructor(ports: WorkerPort[], ranges: Iterable<ByteRange>, onReady: () => void) {
    this.ranges = ranges[Symbol.iterator]()
    this.loading = ports.length
    this.onReady = onReady
    this.workers = ports.map((port) => ({ port, ranges: [] }))
    for (const worker of this.workers) {
      const take = (answer: ThreadAnswer) => this.take(worker, answer)
      worker.port.on('message', take)
      worker.port.on('exit', () => take('stuck'))
    }
  }

  /**
   * The pieces, each with its range, in the order of the input; `stuck` is the last where a thread cannot go on. A
   * piece's bytes are used again when the next is asked for. Ends when the signal says so.
   */
  async *pieces(stop: AbortSignal): AsyncGenerator<{ range: ByteRange; answer: RangeAnswer }> {
    const end = () => this.wake()
    stop.addEventListener('abort', end)
    try {
      for (;;) {
        while (!this.works[0]?.answers.length && !this.done && !stop.aborted)
          await new Promise<void>((resolve) => {
            this.wake = resolve
          })
        const [work] = this.works
        if (!work || stop.aborted) return
        const answer = work.answers.shift()!
        yield { range: work.range, answer }
        if (answer === 'stuck') return
        if (answer.end) this.works.shift()
        written(work.worker.port, answer)
      }
    } finally {
      stop.removeEventListener('abort', end)
    }
  }

  private get done(): boolean {
    return this.allGiven && this.works.length === 0
  }

  /** Ends all threads. */
  end(): void {
    for (const { port } of this.workers) port.end()
  }

  private take(worker: Worker, answer: ThreadAnswer): void {
    if (answer === 'ready') {
      if (--this.loading === 0) this.onReady()
      // Those that take longer to start keep no range waiting.
      for (let i = 0; i < AHEAD; i++) this.give(worker)
      this.wake()
      return
    }
    // One that ends before it has begun leaves what it would have been given.
    if (answer === 'stuck' && worker.ranges.length === 0) this.give(worker)
    const [work] = worker.ranges
    if (!work) return
    work.answers.push(answer)
    if (answer !== 'stuck' && answer.end) {
      worker.ranges.shift()
      this.give(worker)
    }
    this.wake()
  }

  private give(worker: Worker): void {
    const { value: range, done } = this.ranges.next()
    if (done) {
      this.allGiven = true
      return
    }
    const work: Work = { range, worker, answers: [] }
    worker.ranges.push(work)
    this.works.push(work)
    worker.port.postMessage({ range }, [])
  }
}

/** Gives a thread the room of a piece back. */
function written(port: WorkerPort, { bytes }: OutputPiece): void {
  const buffer = bytes.buffer as ArrayBuffer
  port.postMessage({ written: bytes.length, buffer }, [buffer])
}
