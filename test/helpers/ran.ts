/** How a filter or a pipe of them was run and how it ended. A failed expectation prints all of it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const BIN = `${ROOT}bin`

/** A folder of src/stages. */
export type Filter = string

export interface Ran {
  command: string
  /** Null where a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  bytes: Buffer
}

export interface RunOptions {
  stdin?: string | Uint8Array
  /** Over an environment without settings of the toolkit; undefined takes a variable away. */
  env?: Record<string, string | undefined> | undefined
  cwd?: string | undefined
}

/** Judge files of tests, by their folder: filters open them as where a user has set JB_JUDGE. See judgeFolder. */
export const judgeFiles = new Map<string, string[]>()

function ownJudges(cwd: string | undefined): string[] {
  const here = judgeFiles.get(cwd ?? '')?.filter((name) => existsSync(`${cwd}/${name}`))
  if (here) return here
  const all = [...judgeFiles].flatMap(([path, names]) => names.map((name) => `${path}/${name}`))
  return all.filter((path) => existsSync(path))
}

/** Settings of filters, proxies, colours, Node, make and git that whoever runs the tests has made: no test sees them. */
const SETTING =
  /^(JB|OPENAI|ANTHROPIC|LLM_JUDGE|AUTOJUDGE|AWS|AZURE|GOOGLE|WATSONX|NODE|GIT)_|_API_KEY$|^(\w+_PROXY|NO_COLOR|FORCE_COLOR|COLUMNS|BASE_URL|BASH_ENV|MAKEFLAGS|MAKELEVEL)$/i
for (const name of Object.keys(process.env)) if (SETTING.test(name)) delete process.env[name]
// An outermost bash whose stdin is a socket, as child processes have it here, reads ~/.bashrc.
if (!(Number(process.env.SHLVL) > 0)) process.env.SHLVL = '1'

// A cache of this run: the user's may hold replies, or not be writable.
const XDG_CACHE_HOME = mkdtempSync(join(tmpdir(), 'jb-cache-'))
process.on('exit', () => rmSync(XDG_CACHE_HOME, { recursive: true, force: true }))

// Copied once: each variable of process.env is asked of the system whenever it is read.
const ENV = { ...process.env, XDG_CACHE_HOME, PATH: `${BIN}${delimiter}${process.env.PATH}` }

/** The environment of a user who has set nothing; the bins are on PATH. */
export function cleanEnv(more: RunOptions['env'] = {}, cwd?: string): NodeJS.ProcessEnv {
  const judges = ownJudges(cwd)
  return { ...ENV, ...(judges.length > 0 && { JB_JUDGE: judges.join(':') }), ...more }
}

/** Bytes as a pipe delivers them: rows of a longer piece are read the slow way that is for long rows. */
export function pieces(text: string | Uint8Array): Buffer[] {
  const bytes = Buffer.from(text)
  const size = 64 << 10
  return Array.from({ length: Math.ceil(bytes.length / size) || 1 }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}

/** A word as a shell would take it. */
export const quoted = (arg: string) => (/^[\w./:=@,+-]+$/.test(arg) ? arg : `'${arg}'`)

const found = new Map<string, boolean>()

/** Whether a program is on PATH; a test that wants one which is not says NOT RUN. */
export function has(program: string): boolean {
  if (!found.has(program)) found.set(program, spawnSync(program, ['--version']).error === undefined)
  return found.get(program)!
}

/** What happened, for a person who reads a failed test. */
export function shown({ command, code, signal, stdout, stderr }: Ran): string {
  return [
    `command: ${command}`,
    `status:  ${signal ?? code}`,
    `stdout:  ${cut(stdout)}`,
    `stderr:  ${cut(stderr)}`,
  ].join('\n')
}

const cut = (text: string) =>
  text.length > 4000 ? `${text.slice(0, 4000)}… (${text.length} characters)` : text

interface Expected {
  /** 0 where nothing is said. */
  code?: number
  out?: string | RegExp
  err?: string | RegExp
}

/** Checks how a process ended and what it wrote: texts must be equal, patterns match. */
export function expect(ran: Ran, { code = 0, out, err }: Expected): Ran {
  const check = (what: string, found: string, wanted: string | RegExp | undefined) => {
    if (wanted === undefined) return
    const holds = typeof wanted === 'string' ? found === wanted : wanted.test(found)
    assert.ok(holds, `${what} is not as expected: ${wanted}\n${shown(ran)}`)
  }
  assert.equal(
    ran.signal ?? ran.code,
    code,
    `exit code ${ran.signal ?? ran.code}, expected ${code}\n${shown(ran)}`,
  )
  check('stdout', ran.stdout, out)
  check('stderr', ran.stderr, err)
  return ran
}

/** The run was silent on stderr and ended with 0. */
export const fine = (ran: Ran): Ran => expect(ran, { err: '' })
