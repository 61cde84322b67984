/** What goes between the main thread and those that work on parts of the input. */
/** Lines of a part are numbered from here on, until it is known how many stand before it: none has the number 1, or a BOM. */
export const LINES = 1_000_000_000

/** What a thread is given when it starts. */
export interface ThreadSetup {
  options: Record<string, unknown>
  positional: string[]
  files: string[]
  terminal: { output: boolean; color: boolean; columns?: number; rows?: number }
}

/** What a thread counted and said of some rows. Lines count from the first of those that it was given. */
export interface PieceReport {
  rows: number
  failedBefore: number
  failures: [code: string, times: number][]
  /** `time`: of a note on the run, how often the thread has said it. */
  notes: {
    words: string
    file?: string | undefined
    line?: number | undefined
    kind: string
    time?: number
  }[]
}

/** Bytes of one of the files: the lines that end in them. The last part of a file also has a last line without its end. */
export interface ByteRange {
  /** Index of the file. */
  file: number
  from: number
  /** Undefined in the last one, which goes on to the file's end. */
  to: number | undefined
}

/** To a thread: a range to work on, or a buffer of it that was written and can be used again. */
type ThreadRequest = { range: ByteRange } | { written: number; buffer: ArrayBuffer }

/** What a thread has done of a range, up to a place in its file. */
export interface OutputPiece {
  bytes: Uint8Array
  at: number
  /** Lines of the range that have ended before that place. */
  lines: number
  report: PieceReport
  /** Nothing of the range is left. */
  end: boolean
  /** What a stage that is split makes of the range. */
  value?: unknown
}

/** From a thread of a range: a piece; or that it cannot go on alone, whatever the reason. */
export type RangeAnswer = OutputPiece | 'stuck'

/** From a thread; `ready`: it has loaded what it needs, and can be given ranges. */
export type ThreadAnswer = 'ready' | RangeAnswer

/** The main thread, as another sees it. */
export interface MainPort {
  postMessage(answer: ThreadAnswer, transfer: ArrayBuffer[]): void
  on(event: 'message', listener: (order: ThreadRequest) => void): unknown
}

/** A thread, as the main one sees it. */
export interface WorkerPort {
  postMessage(order: ThreadRequest, transfer: ArrayBuffer[]): void
  on(event: 'message', listener: (answer: ThreadAnswer) => void): unknown
  /** It is gone, without having been ended. */
  on(event: 'exit', listener: () => void): unknown
  end(): unknown
}
