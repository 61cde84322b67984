/**
 * The runner: options | input | stage | output | exit code. It holds the process: its
 * arguments, streams, signals and exit code.
 */
import { isatty } from 'node:tty'
import { isFile, isPlain, openOutput, openSources, totalSize } from '../files/files.ts'
import type { FilterSpec } from '../options/option.ts'
import { camel, withNames } from '../options/option.ts'
import type { BadRowPolicy, Rows, Source } from '../rows/reader.ts'
import { readRows } from '../rows/reader.ts'
import { EXIT, Fatal, type StageName } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context, Stage } from '../rows/stage.ts'
import { Output, writeWhole } from '../rows/writer.ts'
import { type CommonOptions, type Parsed, parseArguments } from './arguments.ts'
import { asFatal, isClosedPipe, isStop, STOPPED } from './failures.ts'
import { helpText } from './help.ts'
import { holdMemory } from './memory.ts'
import { Messages } from './messages.ts'
import type { ProgressState } from './progress.ts'
import { Progress } from './progress.ts'
import { VERSION } from './version.ts'

/** Why a run stops whose rows cannot be written any more: as it would end were it no Node process. */
const UNWRITABLE = 'SIGPIPE'

/** Runs a filter on this process's arguments, input and output; sets the exit code. */
// biome-ignore lint/suspicious/noExplicitAny: the options' type is the stage's own affair
export async function run(spec: FilterSpec, load: () => Promise<Stage<any>>): Promise<void> {
  const argv = process.argv.slice(2)
  const plain = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const running = new Run(spec)
  // Where messages cannot be written there is nobody to tell.
  process.stderr.on('error', () => {})
  const print = (text: string) => {
    try {
      if (isPlain(1)) return writeWhole(1, Buffer.from(text))
    } catch (error) {
      return running.report(error)
    }
    process.stdout.on('error', (error) => {
      if (!isClosedPipe(error)) running.report(error)
    })
    process.stdout.write(text)
  }
  const help = async () =>
    print(helpText(await withNames(spec), Math.max(60, Math.min(process.stdout.columns || 80, 100))))
  const version = () => print(`${spec.name} (judge-bench) ${VERSION}\n`)
  // Whatever else the command line says, and before a parser for it is loaded.
  if (plain.includes('--help') || plain.includes('-h')) return help()
  if (plain.includes('--version')) return version()
  try {
    const parsed = await parseArguments(spec, argv, process.env)
    if (parsed.options.help) return await help()
    if (parsed.options.version) return version()
    running.debug = parsed.options.debug === true
    await running.go(parsed, load)
  } catch (error) {
    running.report(error)
  }
}

class Run {
  debug = false
  private readonly spec: FilterSpec
  private options!: CommonOptions & { output?: string }
  private readonly stop = new AbortController()
  private readonly messages: Messages
  private bytesRead = 0
  private ending: { code: number; message: string } | undefined
  /** Ended by a bad row, or by --strict. */
  private cutShort = false
  private stdinUsed = false
  private summaryWords: (() => string) | undefined
  private progressState: (() => Partial<ProgressState>) | undefined

  constructor(spec: FilterSpec) {
    this.spec = spec
    this.messages = new Messages(spec.name, process.stderr)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in run
  async go(parsed: Parsed, load: () => Promise<Stage<any>>): Promise<void> {
    this.options = parsed.options as typeof this.options
    this.messages.configure(this.options)
    const { spec, options } = this
    const alone =
      spec.input === 'none' ||
      spec.noStdin?.(parsed.operands) === true ||
      (spec.standalone ?? []).some((name) => parsed.options[camel(name)] === true)
    const named =
      typeof spec.positional === 'function' ? spec.positional(parsed.options) : (spec.positional ?? [])
    const count = spec.input === 'none' ? parsed.operands.length : named.length
    const positional = parsed.operands.slice(0, count)
    const files = parsed.operands.slice(count)
    if (!alone && positional.length < count) {
      throw new Fatal(
        EXIT.usage,
        `${named[positional.length]} is missing (usage: ${spec.name} ${spec.operands}; ${spec.name} --help)`,
      )
    }
    if (!alone && files.length === 0 && isatty(0)) {
      process.stderr.write(shortHelp(spec))
      process.exitCode = EXIT.usage
      return
    }
    const sources =
      alone && files.length === 0
        ? []
        : openSources(files, this.stdin, spec.namedFiles).map((one) => this.stoppable(one))
    this.listen()
    holdMemory(spec.underWay?.(parsed.options) ?? 0)
    const stage = await load()
    const context = this.context(positional, sources)
    const input = spec.input === 'files' || alone ? nothing() : this.input(sources)
    this.startProgress(sources)
    const target = openOutput(spec.ownOutput?.(parsed.operands) ? undefined : options.output, process.stdout)
    const output = new Output(target, () => this.stop.abort(UNWRITABLE))
    let failure: unknown
    try {
      await this.pump(stage(input, parsed.options, context), output)
    } catch (error) {
      failure = error
    }
    try {
      await output.end()
    } catch (error) {
      if (failure === undefined || isStop(failure)) failure = error
    }
    try {
      await target.close(failure === undefined && !this.early)
    } catch (error) {
      failure ??= error
    }
    // Or the process would wait for its end.
    if (this.stdinUsed) process.stdin.destroy()
    this.messages.progress?.end()
    if (isClosedPipe(failure) || (this.stop.signal.aborted && isStop(failure))) failure = undefined
    if (failure) this.report(failure)
    this.messages.summarise(this.summaryWords?.())
    if (!failure) this.conclude()
  }

  /** Opened when it is read: that takes a millisecond or two. */
  private readonly stdin = () => {
    this.stdinUsed = true
    return process.stdin
  }

  /** The run ended before its input did: what it wrote is not the whole. */
  private get early(): boolean {
    return this.cutShort || this.stop.signal.aborted
  }

  /** Its stream fails when the run is to stop, so that whoever reads it ends too, also while no input comes. */
  private stoppable(source: Source): Source {
    const { signal } = this.stop
    const open = () => {
      const stream = source.open()
      const end = () => stream.destroy(Object.assign(new Error('stopped'), { code: STOPPED }))
      signal.addEventListener('abort', end)
      stream.once('close', () => signal.removeEventListener('abort', end))
      return stream
    }
    return { ...source, open }
  }

  /** Prints an error that ends the run and sets the exit code it asks for. */
  report(error: unknown): void {
    const fatal = asFatal(error)
    process.exitCode = fatal.exitCode
    const bug = fatal.exitCode === EXIT.bug
    this.messages.say(
      `${bug ? 'bug: ' : ''}${fatal.message}${bug && !this.debug ? ' (--debug shows where)' : ''}`,
    )
    if (this.debug) process.stderr.write(`${(fatal.cause as Error)?.stack ?? fatal.stack}\n`)
  }

  private context(positional: string[], sources: Source[]): Context {
    const { stdout, env } = process
    const color = this.options.color
    const output = stdout.isTTY === true && this.options.output === undefined
    return {
      stage: this.stageName,
      positional,
      sources,
      rows: (from) => this.input(from),
      env,
      stop: this.stop.signal,
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
      terminal: {
        output,
        columns: stdout.columns ?? process.stderr.columns,
        color: color === 'always' || (color === 'auto' && output && !env.NO_COLOR && env.TERM !== 'dumb'),
      },
    }
  }

  private get stageName(): StageName {
    return this.spec.name.slice('jb-'.length) as StageName
  }

  private input(sources: Source[]): Rows {
    return readRows(sources, {
      badRows: this.options.badRows as BadRowPolicy,
      stage: this.stageName,
      signal: this.stop.signal,
      onBytes: (count) => {
        this.bytesRead += count
      },
      onBadRow: this.badRow,
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

  private async pump(rows: AsyncIterable<Row[] | string>, output: Output): Promise<void> {
    for await (const batch of rows) {
      if (typeof batch === 'string') output.text(batch)
      else {
        for (const row of batch) {
          this.messages.count(row)
          row.write(output)
          if (output.full) await output.flush()
          if (row.failure && this.options.strict) {
            this.cutShort = true
            this.ending = {
              code: EXIT.gate,
              message: `${row.place}: ${row.failure.code}: ${row.failure.message} (--strict)`,
            }
            return
          }
        }
      }
      if (this.spec.eager || output.full) await output.flush()
      else output.flushSoon()
    }
  }

  private conclude(): void {
    if (this.ending) {
      if (this.ending.message) this.messages.say(this.ending.message)
      process.exitCode = this.ending.code
    } else if (this.stop.signal.aborted && this.stop.signal.reason !== UNWRITABLE) {
      this.messages.say(
        `stopped by ${this.stop.signal.reason}, what was finished is written: run the same command again to go on`,
      )
      process.exitCode = EXIT.stopped
    }
  }

  /** First interrupt: take no more rows. Second: end at once, as the signal says. */
  private listen(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (this.stop.signal.aborted) {
          process.removeAllListeners(signal)
          process.kill(process.pid, signal)
        }
        this.stop.abort(signal)
      })
    }
  }

  private startProgress(sources: Source[]): void {
    const { progress, quiet } = this.options
    const { eager, name } = this.spec
    // In a pipe only the caller shows a bar, or several would write over one another.
    const wanted = eager || isFile(1)
    if (quiet || progress === 'never' || (progress === 'auto' && !wanted)) return
    if (progress === 'auto' && !process.stderr.isTTY && !eager) return
    const total = totalSize(sources)
    const state = () => ({
      done: this.bytesRead,
      total,
      words: `${this.messages.rows} rows`,
      ...this.progressState?.(),
    })
    this.messages.progress = new Progress(name, process.stderr, state)
  }
}

async function* nothing(): AsyncGenerator<Row[]> {}

function shortHelp(spec: FilterSpec): string {
  const example = spec.examples[0]
  return `${spec.name}: ${spec.about}\nusage: ${spec.name} [options] ${spec.operands}\n${example ? `example: ${example.command}\n` : ''}${spec.name} --help tells the rest\n`
}
