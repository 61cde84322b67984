/** Distributes ranges to threads and yields their output in the order of the input. */
import type { ByteRange, OutputPiece, RangeAnswer, ThreadAnswer, WorkerPort } from './protocol.ts'

/** Ranges assigned to a thread at once: the current one and the next. */
const AHEAD = 2

interface Worker {
  port: WorkerPort
  /** Ranges that it has not finished. */
  ranges: Work[]
}

/** A range that is assigned, and its answers that were not yielded yet. */
interface Work {
  range: ByteRange
  worker: Worker
  answers: RangeAnswer[]
}

export class WorkerPool {
  private readonly workers: Worker[]
  private readonly ranges: Iterator<ByteRange>
  /** Assigned ranges, in order. */
  private readonly works: Work[] = []
  /** No range is left to assign. */
  private allGiven = false
  private readonly onReady: () => void
  private loading: number
  private wake = () => {}

  /** @param onReady called when all threads are loaded */
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
   * The pieces, each with its range, in the order of the input; `stuck` is the last one. A piece's buffer is reused when
   * the next is requested. Ends when the signal aborts.
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
      // Only a loaded thread gets ranges: none waits for a slow start.
      for (let i = 0; i < AHEAD; i++) this.give(worker)
      this.wake()
      return
    }
    // A thread that fails before it has a range gets one, so that the main thread stops there.
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

/** Returns the buffer of a piece to its thread. */
function written(port: WorkerPort, { bytes }: OutputPiece): void {
  const buffer = bytes.buffer as ArrayBuffer
  port.postMessage({ written: bytes.length, buffer }, [buffer])
}
