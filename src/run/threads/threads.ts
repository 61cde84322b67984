/** A run in several threads: their output in order. Where a thread cannot continue, the main thread does the rest alone. */
import type { FilterSpec } from '../../options/option.ts'
import { lineBegin } from '../../rows/chunks.ts'
import type { Rows, Source } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import type { Context, InputPart, LoadStage } from '../../rows/stage.ts'
import type { Host } from '../host.ts'
import type { Messages } from '../messages.ts'
import type { ThreadPlan } from './plan.ts'
import { hireThread, mainThread } from './thread.ts'
import { filePart } from './work.ts'
import { WorkerPool } from './worker_pool.ts'

/** The run that the threads are part of. */
export interface RunSetting {
  options: Record<string, unknown>
  files: string[]
  context: Context
  host: Host
  messages: Messages
  /** Reads rows that the main thread processes alone. */
  input(sources: Source[]): Rows
}

/** Consecutive parts that are read again before the threads are ended: they save nothing if each part depends on earlier ones. */
const AGAIN = 4

export class Threads {
  private readonly spec: FilterSpec
  private readonly plan: ThreadPlan
  private readonly known: RunSetting
  private readonly onBytes: (count: number) => void
  /** Called when all threads are loaded. */
  onReady = () => {}
  /** Where the unprocessed input begins; `lines` is the number of lines before it. */
  private place = { file: 0, at: 0, lines: 0 }

  /** @param onBytes called with the number of input bytes that were processed */
  constructor(spec: FilterSpec, plan: ThreadPlan, known: RunSetting, onBytes: (count: number) => void) {
    this.spec = spec
    this.plan = plan
    this.known = known
    this.onBytes = onBytes
  }

  /** What the stage yields; rows of threads come as bytes. */
  async *run(load: LoadStage): AsyncGenerator<Row[] | string | Buffer> {
    const { options, context } = this.known
    const crew = this.crew(load)
    try {
      const { split } = await load()
      if (split) yield* split.whole(this.parts(crew), options, context)
      else if (yield* this.pieces(crew))
        yield* (await load())(this.known.input(this.rest()), options, context)
      // A signal may arrive after the end of the input: see FilterRun.input.
      else yield* this.known.input([])
    } finally {
      crew.end()
    }
  }

  /** @returns whether a rest is left for the main thread alone */
  private async *pieces(crew: WorkerPool): AsyncGenerator<Buffer, boolean> {
    const { context, messages } = this.known
    for await (const { range, answer, lines } of this.inOrder(crew)) {
      if (answer === 'stuck') {
        crew.end()
        return true
      }
      messages.add(answer.report, lines)
      this.onBytes(answer.at - this.place.at)
      const { buffer, byteOffset, length } = answer.bytes
      if (length > 0) yield Buffer.from(buffer, byteOffset, length)
      this.place = { file: range.file, at: answer.at, lines: lines + answer.lines }
      if (context.stop.aborted) break
    }
    return false
  }

  private async *parts(crew: WorkerPool): AsyncGenerator<InputPart> {
    const { context, messages } = this.known
    let again = 0
    for await (const { range, answer, lines } of this.inOrder(crew)) {
      const { name } = context.sources[range.file]!
      if (answer === 'stuck' || again === AGAIN) {
        crew.end()
        const rows = () => this.known.input(this.rest())
        yield { value: undefined, file: name, line: lines, speaks: false, take() {}, rows }
        return
      }
      again++
      yield {
        value: answer.value,
        file: name,
        line: lines,
        speaks: messages.wouldSay(answer.report),
        take: () => {
          again = 0
          messages.add(answer.report, lines)
          this.onBytes(answer.at - this.place.at)
        },
        rows: () => this.known.input([this.partOf(range.file, range.from, range.to, lines)]),
      }
      this.place = { file: range.file, at: answer.at, lines: lines + answer.lines }
    }
    // A signal may arrive after the end of the input: see FilterRun.input.
    for await (const _ of this.known.input([]));
  }

  /** The threads' answers, each with the number of lines before its range in the file. */
  private async *inOrder(crew: WorkerPool) {
    let lines = 0
    for await (const { range, answer } of crew.pieces(this.known.context.stop)) {
      if (range.file !== this.place.file) this.place = { file: range.file, at: 0, lines: (lines = 0) }
      yield { range, answer, lines }
      if (answer !== 'stuck' && answer.end) lines += answer.lines
    }
  }

  private crew(load: LoadStage): WorkerPool {
    const { options, files, context, host } = this.known
    const { positional, terminal } = context
    const hire = host.threads?.hire ?? hireThread
    const setting = { options, positional, files, terminal }
    const others = Array.from({ length: this.plan.threads - 1 }, () => hire(this.spec.name, setting))
    const hands = [...others, mainThread(this.spec, load, setting)]
    return new WorkerPool(hands, this.plan.ranges, () => this.onReady())
  }

  /** The unprocessed input. */
  private rest(): Source[] {
    const { file, at, lines } = this.place
    return [this.partOf(file, at, undefined, lines), ...this.known.context.sources.slice(file + 1)]
  }

  /** The lines of a file that end in [at, to). @param line the number of lines before them */
  private partOf(file: number, at: number, to: number | undefined, line: number): Source {
    const source = this.known.context.sources[file]!
    return filePart(source, lineBegin(source.path!, at), to, line)
  }
}
