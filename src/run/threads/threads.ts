/** A run in several threads: what each makes of its parts of the files, in order; from where one cannot go on, as one thread does it. */
import type { FilterSpec } from '../../options/option.ts'
import { fileChunks, lineBegin } from '../../rows/chunks.ts'
import type { Rows, Source } from '../../rows/reader.ts'
import type { Row } from '../../rows/row.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import type { Host } from '../host.ts'
import type { Messages } from '../messages.ts'
import { Crew } from './crew.ts'
import { type Plan, planOf } from './plan.ts'
import { hireThread } from './thread.ts'

/** What is known of the run. */
interface Known {
  options: Record<string, unknown>
  files: string[]
  context: Context
  host: Host
  messages: Messages
}

// biome-ignore lint/suspicious/noExplicitAny: the options' type is the stage's own affair
type Load = () => Promise<Stage<any>>

/** Undefined where one thread does it all. @param onBytes gets how many bytes of the input are done */
export function threadsOf(
  spec: FilterSpec,
  known: Known,
  onBytes: (count: number) => void,
): Threads | undefined {
  const { options, context, host } = known
  const plan = planOf(spec, options, context.positional, context.sources, host.threads?.range)
  return plan && new Threads(spec.name, plan, known, onBytes)
}

class Threads {
  private readonly filter: string
  private readonly plan: Plan
  private readonly known: Known
  private readonly onBytes: (count: number) => void
  /** Up to where all is done; `lines` are those that end before it. */
  private place = { file: 0, at: 0, lines: 0 }

  constructor(filter: string, plan: Plan, known: Known, onBytes: (count: number) => void) {
    this.filter = filter
    this.plan = plan
    this.known = known
    this.onBytes = onBytes
  }

  /** What the stage yields: as the bytes that its rows are written as, where threads have done it. */
  async *run(load: Load, input: (rest: Source[]) => Rows): AsyncGenerator<Row[] | string | Buffer> {
    const { options, context, messages } = this.known
    const crew = this.crew()
    let stuck = false
    let lines = 0
    try {
      for await (const { range, answer } of crew.pieces(context.stop)) {
        if (range.file !== this.place.file) this.place = { file: range.file, at: 0, lines: (lines = 0) }
        stuck = answer === 'stuck'
        if (answer === 'stuck') break
        messages.add(answer.said, lines)
        this.onBytes(answer.at - this.place.at)
        const { buffer, byteOffset, length } = answer.bytes
        if (length > 0) yield Buffer.from(buffer, byteOffset, length)
        this.place = { ...this.place, at: answer.at, lines: lines + answer.lines }
        if (answer.end) lines = this.place.lines
      }
    } finally {
      crew.end()
    }
    // A signal may be seen after the end of the input.
    if (!stuck) yield* input([])
    else yield* (await load())(input(this.rest()), options, context)
  }

  private crew(): Crew {
    const { options, files, context, host } = this.known
    const { positional, terminal } = context
    const hire = host.threads?.hire ?? hireThread
    const hands = Array.from({ length: this.plan.threads }, () =>
      hire(this.filter, { options, positional, files, terminal }),
    )
    return new Crew(hands, this.plan.ranges)
  }

  /** What is not done yet. */
  private rest(): Source[] {
    const { file, at, lines } = this.place
    const [first, ...others] = this.known.context.sources.slice(file) as [Source]
    const path = first.path!
    const chunks: Source['chunks'] = (_, space) =>
      fileChunks(path, true, space, { from: lineBegin(path, at) })
    return [{ ...first, chunks, line: lines }, ...others]
  }
}
