/**
 * Starts a filter's bundle with V8's code cache: compiling the same text in each process of a pipe takes longer
 * than a short run itself. What was compiled is kept in the user's cache folder and taken only by the same V8, for
 * the same file. Bundled as dist/launch.cjs, which the commands in bin/ call.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { makeFolder } from '../files/folder.ts'
import { userCache } from '../files/user_cache.ts'
import type { HelpQuestion } from './answer.ts'
import { questionOf } from './question.ts'
import { optimizeLess, resetFlags } from './v8_flags.ts'

/** The folder of the bundles. */
declare const __dirname: string
declare const require: (name: string) => unknown

interface Compiled {
  file: string
  /** What the file was like. */
  stamp: string
  script: Script
}

/** Bundles compiled here because there was nothing to take. */
const compiled: Compiled[] = []
const modules = new Map<string, { exports: unknown }>()

/** What a bundle does: the whole run, or a thread's part of one. */
interface Bundle {
  start(): void
  work(): void
}

/** What prints help: too short for keeping what is compiled of it. */
interface Answers {
  answerFor(name: string, question: HelpQuestion): void
}

/** Runs `dist/NAME.cjs`, here and now. */
export function launch(name: string, does: keyof Bundle = 'start'): void {
  const { env, execArgv, argv } = process
  const question = questionOf(argv.slice(2))
  if (question && does === 'start') {
    const answers = load(join(__dirname, 'answer.cjs'), undefined) as Answers
    answers.answerFor(name, question)
    return
  }
  // V8 with other flags takes and makes other code.
  const off = env.NODE_DISABLE_COMPILE_CACHE || env.NODE_OPTIONS || execArgv.length > 0
  const kept = off ? undefined : join(userCache(env), 'code', 'run')
  // The main thread has set some by now.
  if (does === 'work' && !off) resetFlags()
  const bundle = load(join(__dirname, `${name}.cjs`), kept) as Bundle
  bundle[does]()
  // Threads compile nothing that the main one has not.
  if (does === 'work') return
  if (kept) process.on('exit', () => keep(kept))
  if (!off) setTimeout(optimizeLess, LONG).unref()
}

/** Milliseconds after which a run is no short one. */
const LONG = 30

/** As require has it; packages in dist/vendor are loaded in the same way. */
function load(file: string, kept: string | undefined): unknown {
  const known = modules.get(file)
  if (known) return known.exports
  const module = { exports: {} }
  modules.set(file, module)
  const require_ = (name: string): unknown =>
    name.startsWith('./vendor/')
      ? load(join(__dirname, name), kept)
      : require(name.startsWith('.') ? join(__dirname, name) : name)
  compile(file, kept).runInThisContext()(module.exports, require_, module, file, __dirname)
  return module.exports
}

function compile(file: string, kept: string | undefined): Script {
  // The bundles are ASCII.
  const text = readFileSync(file, 'latin1')
  const source = `(function (exports, require, module, __filename, __dirname) {${text}\n})`
  if (!kept) return new Script(source, { filename: file })
  const { size, mtimeMs } = statSync(file)
  const stamp = [process.version, process.arch, file, size, mtimeMs].join(' ')
  const cachedData = keptData(placeOf(kept, file), stamp)
  const script = new Script(source, { filename: file, cachedData })
  if (!cachedData || script.cachedDataRejected) compiled.push({ file, stamp, script })
  return script
}

const placeOf = (kept: string, file: string) => join(kept, basename(file))

/** Bytes before the data, which begins where words of four bytes do. */
const HEAD = 512

/**
 * The data kept with this stamp. V8 does not survive data that is damaged, so it is kept twice: comparing two
 * copies takes a tenth of the time a sum over one does.
 */
function keptData(place: string, stamp: string): Buffer | undefined {
  try {
    const bytes = ownBytes(place)
    if (!bytes) return undefined
    const size = (bytes.length - HEAD) / 2
    const data = bytes.subarray(HEAD, HEAD + size)
    const whole = bytes.latin1Slice(0, HEAD) === head(stamp, size) && data.equals(bytes.subarray(HEAD + size))
    return whole ? data : undefined
  } catch {
    return undefined
  }
}

/** What is kept is code: it is taken only from a file and a folder that no other user can write to or has made. */
function ownBytes(place: string): Buffer | undefined {
  if (!isOwn(lstatSync(dirname(place)))) return undefined
  const file = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    return isOwn(fstatSync(file)) ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

/** The user's own, and closed to all others (0700, 0600). Windows has no such modes. */
const isOwn = ({ uid, mode }: Stats) =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)

/** @throws where a path is too long for it: then nothing is kept */
function head(stamp: string, size: number): string {
  const text = `${encodeURI(stamp)} ${size}`
  if (text.length >= HEAD) throw new RangeError('the path is too long')
  return `${text.padEnd(HEAD - 1)}\n`
}

/** Keeps what was compiled, with the functions that ran: those are not compiled again either. */
function keep(kept: string): void {
  resetFlags()
  for (const { file, stamp, script } of compiled) {
    try {
      const data = script.createCachedData()
      const place = placeOf(kept, file)
      makeFolder(kept, 0o700)
      if (!isOwn(lstatSync(kept))) return
      const bytes = Buffer.concat([Buffer.from(head(stamp, data.length)), data, data])
      // Never into a file, or through a link, that is there already.
      writeFileSync(`${place}.${process.pid}`, bytes, { mode: 0o600, flag: 'wx' })
      renameSync(`${place}.${process.pid}`, place)
    } catch {
      // No folder to write to: the next run compiles again.
      return
    }
  }
}
