/**
 * Starts a filter's bundle with V8's code cache: compiling a bundle takes longer than a short run. Compiled code is stored
 * in the user's cache folder and used only by the same V8 for the same file. Bundled as dist/launch.cjs, which the
 * commands in bin/ call.
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

/** The folder of the bundles. */
declare const __dirname: string
declare const require: (name: string) => unknown

interface Compiled {
  file: string
  /** Identifies Node's version and the file's path, size and time. */
  stamp: string
  script: Script
}

/** Bundles compiled in this process because the cache had no code for them. */
const compiled: Compiled[] = []
const modules = new Map<string, { exports: unknown }>()

interface Bundle {
  start(): void
}

/** The bundle that prints help: too small for the cache to pay. */
interface Answers {
  answerFor(name: string, question: HelpQuestion): void
  overview(words: readonly string[], names: readonly string[]): void
}

interface Doctor {
  doctor(words: readonly string[], names: readonly string[]): Promise<void>
}

/** `jb-filters NAME …` is `jb-NAME …`, `jb-filters doctor` checks the installation; without a name it lists the filters. */
export function dispatch(): void {
  // `jb-filters help render` is `jb-render --help`.
  if (process.argv[2] === 'help' && process.argv[3] !== undefined)
    process.argv.splice(2, 2, process.argv[3], '--help')
  const [word = ''] = process.argv.slice(2)
  const { bin } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { bin: object }
  const names = Object.keys(bin).filter((name) => name !== 'jb-filters')
  const name = names.find((name) => name === word || name === `jb-${word}`)
  if (name) {
    process.argv.splice(2, 1)
    launch(name)
  } else if (word === 'doctor')
    (load(join(__dirname, 'doctor.cjs'), undefined) as Doctor).doctor(process.argv.slice(3), names)
  else answers().overview(process.argv.slice(2), names)
}

const answers = () => load(join(__dirname, 'answer.cjs'), undefined) as Answers

/** Runs `dist/NAME.cjs`. */
export function launch(name: string): void {
  const { env, execArgv, argv } = process
  const question = questionOf(argv.slice(2))
  if (question) {
    answers().answerFor(name, question)
    return
  }
  // V8's flags are part of the cache's key; Bun has another engine, under the version of a Node.
  const off =
    process.versions.bun || env.NODE_DISABLE_COMPILE_CACHE || env.NODE_OPTIONS || execArgv.length > 0
  const kept = off ? undefined : join(userCache(env), 'code', 'run')
  const bundle = load(join(__dirname, `${name}.cjs`), kept) as Bundle
  bundle.start()
  if (kept) process.on('exit', () => keep(kept))
}

/** Like require, with the code cache; also for packages in dist/vendor. */
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
  // The bundles are ASCII, which Latin-1 decodes fastest.
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

/** Bytes of the header; a multiple of four, so that the data is aligned. */
const HEAD = 512

/**
 * The cached data with this stamp. Damaged data crashes V8, so the file has two copies: comparing them takes a tenth of
 * the time of a checksum.
 */
function keptData(place: string, stamp: string): Buffer | undefined {
  try {
    const bytes = ownBytes(place)
    if (!bytes) return undefined
    const size = (bytes.length - HEAD) / 2
    const data = bytes.subarray(HEAD, HEAD + size)
    const whole =
      bytes.toString('latin1', 0, HEAD) === head(stamp, size) && data.equals(bytes.subarray(HEAD + size))
    return whole ? data : undefined
  } catch {
    return undefined
  }
}

/** Reads a cache file, which is code: only from a file and a folder that belong to the user and nobody else can access. */
function ownBytes(place: string): Buffer | undefined {
  if (!isOwn(lstatSync(dirname(place)))) return undefined
  const file = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    return isOwn(fstatSync(file)) ? readFileSync(file) : undefined
  } finally {
    closeSync(file)
  }
}

/** Whether the user owns it and nobody else has access (0700, 0600). Windows has no such modes. */
const isOwn = ({ uid, mode }: Stats) =>
  process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)

/** @throws if the path is too long: then nothing is cached */
function head(stamp: string, size: number): string {
  const text = `${encodeURI(stamp)} ${size}`
  if (text.length >= HEAD) throw new RangeError('the path is too long')
  return `${text.padEnd(HEAD - 1)}\n`
}

/** Stores the compiled code, with all functions that ran, so that they are not compiled again either. */
function keep(kept: string): void {
  for (const { file, stamp, script } of compiled) {
    try {
      const data = script.createCachedData()
      const place = placeOf(kept, file)
      makeFolder(kept, 0o700)
      if (!isOwn(lstatSync(kept))) return
      const bytes = Buffer.concat([Buffer.from(head(stamp, data.length)), data, data])
      // `wx` refuses an existing file or link.
      writeFileSync(`${place}.${process.pid}`, bytes, { mode: 0o600, flag: 'wx' })
      renameSync(`${place}.${process.pid}`, place)
    } catch {
      // No writable folder: the next run compiles again.
      return
    }
  }
}
