/** A run in several threads: what each makes of its parts of the files, in order; from where one cannot go on, as one thread does it. */
import type { FilterSpec } from '../../options/option.ts'
import { fileChunks, lineBegin } from '../../rows/chunks.ts'
import type { Rows, Source } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import type { Context, InputPart, Stage } from '../../rows/stage.ts'
import type { Host } from '../host.ts'
import type { Messages } from '../messages.ts'
import type { ThreadPlan } from './plan.ts'
import { hireThread, mainThread } from './thread.ts'
import { WorkerPool } from './worker_pool.ts'

/** What is known of the run. */
export interface RunSetting {
  options: Record<string, unknown>
  files: string[]
  context: Context
  host: Host
  messages: Messages
  /** Reads what the main thread does itself. */
  input(sources: Source[]): Rows
}

// biome-ignore lint/suspicious/noExplicitAny: the options' type is the stage's own affair
type Load = () => Promise<Stage<any>>

/** Parts in a row that are read again before the threads are let go: they save nothing where each depends on those before. */
const AGAIN = 4

export class Threads {
  private readonly spec: FilterSpec
  private readonly plan: ThreadPlan
  private readonly known: RunSetting
  private readonly onBytes: (count: number) => void
  /** Called when all threads have loaded what they need. */
  onReady = () => {}
  /** Up to where all is done; `lines` are those that end before it. */
  private place = { file: 0, at: 0, lines: 0 }

  /** @param onBytes gets how many bytes of the input are done */
  constructor(spec: FilterSpec, plan: ThreadPlan, known: RunSetting, onBytes: (count: number) => void) {
    this.spec = spec
    this.plan = plan
    this.known = known
    this.onBytes = onBytes
  }

  /** What the stage yields; as the bytes that its rows are written as, where threads have made them. */
  async *run(load: Load): AsyncGenerator<Row[] | string | Buffer> {
    const { options, context } = this.known
    const crew = this.crew(load)
    try {
      const { split } = await load()
      if (split) yield* split.whole(this.parts(crew), options, context)
      else if (yield* this.pieces(crew))
        yield* (await load())(this.known.input(this.rest()), options, context)
      // A signal may be seen after the end of the input.
      else yield* this.known.input([])
    } finally {
      crew.end()
    }
  }

  /** @returns whether something is left that is not for threads */
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
    // A signal may be seen after the end of the input.
    for await (const _ of this.known.input([]));
  }

  /** What threads answer, with the lines that stand before the range in its file. */
  private async *inOrder(crew: WorkerPool) {
    let lines = 0
    for await (const { range, answer } of crew.pieces(this.known.context.stop)) {
      if (range.file !== this.place.file) this.place = { file: range.file, at: 0, lines: (lines = 0) }
      yield { range, answer, lines }
      if (answer !== 'stuck' && answer.end) lines += answer.lines
    }
  }

  private crew(load: Load): WorkerPool {
    const { options, files, context, host } = this.known
    const { positional, terminal } = context
    const hire = host.threads?.hire ?? hireThread
    const setting = { options, positional, files, terminal }
    const others = Array.from({ length: this.plan.threads - 1 }, () => hire(this.spec.name, setting))
    const hands = [...others, mainThread(this.spec, load, setting)]
    return new WorkerPool(hands, this.plan.ranges, () => this.onReady())
  }

  /** What is not done yet. */
  private rest(): Source[] {
    const { file, at, lines } = this.place
    return [this.partOf(file, at, undefined, lines), ...this.known.context.sources.slice(file + 1)]
  }

  /** Lines of a file that end between two places; `line` stand before them. */
  private partOf(file: number, at: number, to: number | undefined, line: number): Source {
    const source = this.known.context.sources[file]!
    const path = source.path!
    const chunks: Source['chunks'] = (_, space) =>
      fileChunks(path, true, space, { from: lineBegin(path, at), to })
    return { ...source, chunks, line, goesOn: to !== undefined }
  }
}
