/**
 * Runs a filter, or a pipe of them, in this process: its arguments, bytes and exit code are those of the command,
 * at a fraction of what processes cost. Descriptors, signals and what a bundle is made of need processes: process.ts.
 */
import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FilterSpec } from '../../src/options/option.ts'
import type { Stage } from '../../src/rows/stage.ts'
import { run } from '../../src/run/filter.ts'
import type { Host } from '../../src/run/host.ts'
import { cleanEnv, type Filter, pieces, quoted, type Ran, ROOT, type RunOptions } from './ran.ts'

/** Runs `jb-FILTER ARGS`. */
export function jb(filter: Filter, args: string[] = [], options: RunOptions = {}): Promise<Ran> {
  const words = [`jb-${filter}`, ...args]
  return runAll(words.map(quoted).join(' '), [{ commands: [{ words, env: {} }] }], options)
}

/** What may stand in a pipe beside filters: cat and tee run here too, the others as processes. */
const PROGRAMS = new Set(['cat', 'tee', 'jq', 'echo', 'ls', 'split'])

/**
 * Runs filters and PROGRAMS joined by `|`, and such pipes one after another (lines, `;` and `&&`). Words may be quoted;
 * `NAME=VALUE` before a command, `< FILE`, `> FILE` and `2>/dev/null` are known. A pipe ends with the exit code of its
 * last command that failed, all of them with that of the last.
 * @throws for anything else that a shell would do
 */
export function pipe(line: string, options: RunOptions = {}): Promise<Ran> {
  return runAll(line, parse(line), options)
}

/** Whether `pipe` can run it; anything else is for a shell. */
export function isPipe(line: string): boolean {
  try {
    return parse(line)
      .flatMap(({ commands }) => commands)
      .every(({ words: [name = ''] }) => /^jb-\w+$/.test(name) || PROGRAMS.has(name))
  } catch {
    return false
  }
}

interface Command {
  words: string[]
  env: Record<string, string>
  from?: string
  to?: string
  silent?: boolean
}

interface Pipe {
  commands: Command[]
  /** Where it fails, what comes after it is not run. */
  and?: boolean
}

const TOKEN =
  /[ \t]+|(?<=\|\s*)\s+|(?<operator>2>\s*\/dev\/null|&&|[|;<>\n])|(?<word>(?:'[^']*'|"[^"$`\\]*"|[^\s'"|;&<>$`\\*?~(){}]|[{}](?=\S))+)/y

function parse(line: string): Pipe[] {
  const begun = (): Command => ({ words: [], env: {} })
  let command = begun()
  let pipe: Pipe = { commands: [command] }
  const pipes = [pipe]
  let redirected: 'from' | 'to' | undefined
  TOKEN.lastIndex = 0
  for (const text = line.trim(); TOKEN.lastIndex < text.length; ) {
    const at = TOKEN.lastIndex
    const { operator, word } = TOKEN.exec(text)?.groups ?? { operator: 'unknown' }
    if (operator === 'unknown') throw new Error(`needs a shell: ${text.slice(at)}`)
    if (word !== undefined) {
      const plain = word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double)
      const [, name, value] = (command.words.length === 0 && /^(\w+)=(.*)$/s.exec(plain)) || []
      if (redirected) command[redirected] = plain
      else if (name) command.env[name] = value!
      else command.words.push(plain)
      redirected = undefined
    } else if (operator === '|') pipe.commands.push((command = begun()))
    else if (operator === ';' || operator === '&&' || operator === '\n') {
      pipe.and = operator === '&&'
      pipes.push((pipe = { commands: [(command = begun())] }))
    } else if (operator === '<') redirected = 'from'
    else if (operator === '>') redirected = 'to'
    else if (operator) command.silent = true
  }
  return pipes
}

async function runAll(command: string, pipes: Pipe[], options: RunOptions): Promise<Ran> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  let code = 0
  await within(options.cwd ?? ROOT, async () => {
    let skipped = false
    for (const { commands, and = false } of pipes) {
      if (!skipped) code = await runPipe(commands, options, out, err)
      skipped = and && code !== 0
    }
  })
  const bytes = Buffer.concat(out)
  return {
    command,
    code,
    signal: null,
    bytes,
    stdout: bytes.toString(),
    stderr: Buffer.concat(err).toString(),
  }
}

async function runPipe(
  commands: Command[],
  { stdin = '', env, cwd }: RunOptions,
  out: Buffer[],
  err: Buffer[],
) {
  let input: Readable = Readable.from(pieces(stdin), { objectMode: false })
  const codes = commands.map(async ({ words, env: own, from, to, silent }, index) => {
    const source = from === undefined ? input : createReadStream(from)
    let output: Writable
    if (to !== undefined) output = createWriteStream(to)
    else if (index === commands.length - 1) output = collector(out)
    else [output, input] = joined()
    const surroundings = { ...cleanEnv(env, cwd), ...own }
    const code = await runOne(words, source, output, collector(silent ? [] : err), surroundings)
    source.destroy()
    if (!output.destroyed) await new Promise<void>((resolve) => output.end(resolve))
    return code
  })
  return (await Promise.all(codes)).findLast((code) => code !== 0) ?? 0
}

async function runOne(
  [name, ...args]: string[],
  stdin: Readable,
  stdout: Writable,
  stderr: Writable,
  env: Host['env'],
): Promise<number> {
  if (name === 'cat') {
    const files = args.map((file) => createReadStream(file))
    for (const file of files.length > 0 ? files : [stdin]) await pipeline(file, stdout, { end: false })
    return 0
  }
  if (name === 'tee') {
    const copy = createWriteStream(args[0]!)
    await Promise.all([pipeline(stdin, copy), pipeline(stdin, stdout, { end: false })])
    return 0
  }
  if (PROGRAMS.has(name!)) return runProgram(name!, args, stdin, stdout, stderr, env)
  const filter = /^jb-(\w+)$/.exec(name ?? '')?.[1]
  if (!filter) throw new Error(`needs a shell: ${name}`)
  const { spec } = (await import(`../../src/stages/${filter}/options.ts`)) as { spec: FilterSpec }
  const load = async () => {
    const stage = await import(`../../src/stages/${filter}/${filter}.ts`)
    return stage[filter] as Stage<unknown>
  }
  const none = () => {}
  const host: Host = {
    ...{ argv: ['node', name!, ...args], env, stdin, stdout, stderr, pid: process.pid },
    ...{ on: none, removeAllListeners: none, kill: none },
  }
  await run(spec, load, host)
  return Number(host.exitCode ?? 0)
}

async function runProgram(
  name: string,
  args: string[],
  stdin: Readable,
  stdout: Writable,
  stderr: Writable,
  env: Host['env'],
): Promise<number> {
  const child = spawn(name, args, { env })
  const ended = new Promise<number>((resolve, reject) => child.on('error', reject).on('close', resolve))
  // It may end before it has read everything.
  const fed = pipeline(stdin, child.stdin).catch(() => {})
  await Promise.all([
    pipeline(child.stdout, stdout, { end: false }),
    pipeline(child.stderr, stderr, { end: false }),
  ])
  await fed
  return ended
}

const collector = (chunks: Buffer[]) =>
  new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })

/** A pipe: what is written to one end is read from the other; once that is closed, writing fails as with a real one. */
function joined(): [Writable, Readable] {
  let wake: (() => void) | undefined
  const resume = () => {
    wake?.()
    wake = undefined
  }
  const reader = new Readable({ read: resume })
  reader.on('close', resume)
  const closed = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })
  const writer = new Writable({
    write(chunk, _encoding, done) {
      if (reader.destroyed) return done(closed())
      // Its buffer is used again.
      if (reader.push(Buffer.from(chunk))) done()
      else wake = () => done(reader.destroyed ? closed() : undefined)
    },
    final(done) {
      if (!reader.destroyed) reader.push(null)
      done()
    },
  })
  return [writer, reader]
}

let folder = ROOT
let inside = 0
const waiting: (() => void)[] = []

/** Does something in a working folder. There is one for the whole process: what wants another waits. */
async function within(cwd: string, work: () => Promise<void>): Promise<void> {
  while (inside > 0 && folder !== cwd) await new Promise<void>((resolve) => waiting.push(resolve))
  folder = cwd
  process.chdir(cwd)
  inside++
  try {
    await work()
  } finally {
    inside--
    if (inside === 0) {
      process.chdir(ROOT)
      for (const wake of waiting.splice(0)) wake()
    }
  }
}
