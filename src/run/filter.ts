/** The runner: options | input | stage | output | exit code. Only it uses the process's streams, signals and exit code. */
import { isFile, isTerminal } from '../files/descriptor.ts'
import { checkOutputIsNoInput, openOutput, openSources, totalSize } from '../files/files.ts'
import { camel, type FilterSpec, withNames } from '../options/option.ts'
import { stoppable } from '../rows/chunks.ts'
import { type BadRowPolicy, type Rows, readRows, type Source } from '../rows/reader.ts'
import { EXIT, type StageName } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context, LoadStage } from '../rows/stage.ts'
import { Output } from '../rows/writer.ts'
import { printAnswer } from './answer.ts'
import { type CommonOptions, operandsOf, type Parsed, parseArguments } from './arguments.ts'
import { isClosedPipe, isStop, reportError } from './failures.ts'
import { shortHelp } from './help.ts'
import { descriptorsOf, type Host, listen, stderrOf, terminalOf } from './host.ts'
import { Messages } from './messages.ts'
import { Progress, type ProgressState } from './progress.ts'
import { questionOf } from './question.ts'
import { writeOutput } from './write.ts'

/** Why a run stops when its output cannot be written: other processes die of this signal. */
const UNWRITABLE = 'SIGPIPE'

/** Runs a filter on a process's arguments, input and output; sets its exit code. */
export async function run(spec: FilterSpec, load: LoadStage, host: Host = process): Promise<void> {
  const argv = host.argv.slice(2)
  const question = questionOf(argv)
  if (question) return printAnswer(question, await withNames(spec), host)
  const running = new FilterRun(spec, host)
  try {
    const parsed = await parseArguments(spec, argv, host.env)
    const { help, helpAll, version } = parsed.options
    if (help || helpAll || version)
      return await printAnswer(helpAll ? 'help-all' : help ? 'help' : 'version', await withNames(spec), host)
    running.debug = parsed.options.debug === true
    await running.go(parsed, load)
  } catch (error) {
    running.report(error)
  }
}

class FilterRun {
  debug = false
  private readonly spec: FilterSpec
  private readonly host: Host
  private readonly descriptors: ReturnType<typeof descriptorsOf>
  private options!: CommonOptions & { output?: string }
  private readonly stop = new AbortController()
  private readonly messages: Messages
  private bytesRead = 0
  private ending: { code: number; message: string } | undefined
  /** A bad row or --strict ended the run. */
  private cutShort = false
  private stdinUsed = false
  private summaryWords: (() => string) | undefined
  private progressState: (() => Partial<ProgressState>) | undefined

  constructor(spec: FilterSpec, host: Host) {
    this.spec = spec
    this.host = host
    this.descriptors = descriptorsOf(host)
    this.messages = new Messages(spec.name, host)
  }

  async go(parsed: Parsed, load: LoadStage): Promise<void> {
    this.options = parsed.options as typeof this.options
    this.messages.configure(this.options)
    for (const name of parsed.leftOut)
      this.messages.note(`${name}=${this.host.env[name]} in the environment leaves rows out`)
    const { spec, options, stop } = this
    const alone = this.needsNoInput(parsed)
    const { positional, files } = operandsOf(spec, parsed, alone)
    if (!alone && files.length === 0 && isTerminal(this.descriptors.input)) {
      stderrOf(this.host).write(shortHelp(spec))
      this.host.exitCode = EXIT.usage
      return
    }
    const sources =
      alone && files.length === 0
        ? []
        : openSources(files, this.stdin, this.descriptors.input, spec.namedFiles).map((one) => ({
            ...one,
            open: () => stoppable(one.open(), stop.signal),
          }))
    const place = spec.ownOutput?.(parsed.operands) ? undefined : options.output
    const into = spec.inPlace?.(parsed.options) ? undefined : place
    checkOutputIsNoInput(sources, this.descriptors.input, into ?? this.descriptors.output)
    listen(this.host, stop)
    const context = this.context(positional, sources)
    const input = spec.input === 'files' || alone ? nothing() : this.input(sources)
    const yielded = (await load())(input, parsed.options, context)
    this.startProgress(sources)
    const failure = await this.deliver(yielded, place)
    // Otherwise the process would wait for the end of stdin.
    if (this.stdinUsed) this.host.stdin.destroy()
    this.messages.progress?.end()
    if (failure) this.report(failure)
    // A bad first row ends the run: the message that says so is all there is to say.
    const words = this.summaryWords?.()
    if (!this.cutShort || this.messages.rows > 0 || words) this.messages.summarise(words)
    if (!failure) this.conclude()
    if (place !== undefined && (failure || this.cutShort)) this.messages.say(`${place} is not written`)
  }

  private needsNoInput({ operands, options, member }: Parsed): boolean {
    const { input, noStdin, standalone = [] } = this.spec
    return (
      input === 'none' ||
      member?.noStdin === true ||
      noStdin?.(operands, options) === true ||
      standalone.some((name) => options[camel(name)])
    )
  }

  /** Writes what the stage yields. @returns the error that ended the run, unless the reader or a signal did */
  private async deliver(yielded: Parameters<typeof writeOutput>[0], place?: string): Promise<unknown> {
    const { signal } = this.stop
    const target = openOutput(place, this.host.stdout)
    const output = new Output(target, () => this.stop.abort(UNWRITABLE))
    let failure: unknown
    try {
      const strictly = await writeOutput(yielded, output, {
        stage: this.stageName,
        strict: this.options.strict,
        eager: this.spec.eager === true,
        count: (row) => this.messages.count(row),
        onText: () => {
          this.messages.writesText = true
        },
      })
      if (strictly !== undefined) {
        this.cutShort = true
        this.ending = { code: EXIT.gate, message: strictly }
      }
    } catch (error) {
      failure = error
    }
    try {
      await output.end()
    } catch (error) {
      if (failure === undefined || isStop(failure)) failure = error
    }
    try {
      await target.close(() => failure === undefined && !this.early)
    } catch (error) {
      failure ??= error
    }
    return isClosedPipe(failure) || (signal.aborted && isStop(failure)) ? undefined : failure
  }

  /** Opened on demand: that takes a millisecond or two. */
  private readonly stdin = () => {
    this.stdinUsed = true
    return this.host.stdin
  }

  /** Whether the run ended before its input did: its output is incomplete. */
  private get early(): boolean {
    return this.cutShort || this.stop.signal.aborted
  }

  report(error: unknown): void {
    reportError(error, this.host, this.messages, this.debug)
  }

  private context(positional: string[], sources: Source[]): Context {
    const { color, output } = this.options
    return {
      stage: this.stageName,
      positional,
      sources,
      rows: (from) => this.input(from),
      env: this.host.env,
      stop: this.stop.signal,
      cut: () => this.early,
      note: (message, where) => this.messages.note(message, where),
      badRow: this.badRow,
      finish: (code, message) => {
        this.ending ??= { code, message }
      },
      summary: (words) => {
        this.summaryWords = words
      },
      progress: (state) => {
        this.progressState = state
      },
      terminal: terminalOf(this.host, color, output === undefined),
    }
  }

  private get stageName(): StageName {
    return this.spec.name.slice('jb-'.length) as StageName
  }

  private readonly onBytes = (count: number) => {
    this.bytesRead += count
  }

  private input(sources: Source[]): Rows {
    return readRows(sources, {
      badRows: this.options.badRows as BadRowPolicy,
      stage: this.stageName,
      signal: this.stop.signal,
      onChunk: this.onBytes,
      onBadRow: this.badRow,
      // ^C ends all commands of a pipe: the end of the input may arrive before the signal.
      async onEnd() {
        for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve))
      },
    })
  }

  private readonly badRow = (message: string, file: string, line?: number) => {
    if (this.options.badRows !== 'pass') this.messages.failed('bad_row')
    if (this.options.badRows === 'stop') {
      this.cutShort = true
      const place = line === undefined ? file : `${file}:${line}`
      this.ending = { code: EXIT.data, message: `${place}: ${message}` }
    } else if (this.options.badRows === 'skip') this.messages.note(message, { file, line, kind: 'bad_row' })
  }

  private conclude(): void {
    if (this.ending) {
      if (this.ending.message) this.messages.say(this.ending.message)
      this.host.exitCode = this.ending.code
    } else if (this.stop.signal.aborted && this.stop.signal.reason !== UNWRITABLE) {
      const { output } = this.options
      const result = output === undefined ? 'the output is incomplete' : `${output} is not written`
      this.messages.say(`stopped by ${this.stop.signal.reason}: ${result}`)
      this.host.exitCode = EXIT.stopped
    }
  }

  private startProgress(sources: Source[]): void {
    const { progress, quiet } = this.options
    const { eager, name } = this.spec
    const total = totalSize(sources, this.descriptors.input)
    // In a pipe only the eager filter (jb-call) shows a bar: several would overwrite one another.
    const wanted = eager || (isFile(this.descriptors.output) && total !== undefined)
    if (quiet || progress === 'never' || (progress === 'auto' && !wanted)) return
    if (progress === 'auto' && !this.host.stderr.isTTY && !eager) return
    const state = () => ({
      done: this.bytesRead,
      total,
      words: `${this.messages.rows} rows`,
      ...this.progressState?.(),
    })
    this.messages.progress = new Progress(name, stderrOf(this.host), state)
  }
}

async function* nothing(): AsyncGenerator<Row[]> {}
