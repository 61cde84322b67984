/** Messages between the main thread and those that process ranges of the input. */

/** Lines of a range count from here, as the number of lines before it is unknown: none counts as line 1, with a BOM. */
export const LINES = 1_000_000_000

/** Data for a thread at its start. */
export interface ThreadSetup {
  options: Record<string, unknown>
  positional: string[]
  files: string[]
  terminal: { output: boolean; color: boolean; columns?: number; rows?: number }
}

/** A thread's counts of some rows and messages about them. Lines count from the first line of the range. */
export interface PieceReport {
  rows: number
  failedBefore: number
  failures: [code: string, times: number][]
  /** `time`: for a note on the run, how often this thread has made it. */
  notes: {
    words: string
    file?: string | undefined
    line?: number | undefined
    kind: string
    time?: number
  }[]
}

/** A range of a file, which stands for the lines that end in it; the last range also has a last line without a line end. */
export interface ByteRange {
  /** Index of the file. */
  file: number
  from: number
  /** Undefined for the last range: to the end of the file. */
  to: number | undefined
}

/** To a thread: a range to process, or a buffer of its output that was written and can be reused. */
type ThreadRequest = { range: ByteRange } | { written: number; buffer: ArrayBuffer }

/** A thread's output for a range, up to an offset in the file. */
export interface OutputPiece {
  bytes: Uint8Array
  at: number
  /** Lines of the range that end before this offset. */
  lines: number
  report: PieceReport
  /** The range is finished. */
  end: boolean
  /** The value of the range, for a stage with Stage.split. */
  value?: unknown
}

/** From a thread: a piece of output, or that it cannot continue, for whatever reason. */
export type RangeAnswer = OutputPiece | 'stuck'

/** From a thread; `ready`: it is loaded and can process ranges. */
export type ThreadAnswer = 'ready' | RangeAnswer

/** A thread's port to the main thread. */
export interface MainPort {
  postMessage(answer: ThreadAnswer, transfer: ArrayBuffer[]): void
  on(event: 'message', listener: (order: ThreadRequest) => void): unknown
}

/** The main thread's port to a thread. */
export interface WorkerPort {
  postMessage(order: ThreadRequest, transfer: ArrayBuffer[]): void
  on(event: 'message', listener: (answer: ThreadAnswer) => void): unknown
  /** The thread died. */
  on(event: 'exit', listener: () => void): unknown
  end(): unknown
}
