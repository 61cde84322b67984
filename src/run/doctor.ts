/** `jb-filters doctor`: what a run needs, and what to do about each thing that is missing. Bundled as dist/doctor.cjs. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../files/folder.ts'
import { userCache } from '../files/user_cache.ts'
import { VERSION } from '../options/version.ts'
import type { Env } from '../providers/_access.ts'
import { EXIT } from '../rows/errors.ts'
import { keyVariables } from '../stages/call/service.ts'

/** The oldest Node that jb runs on, as in package.json. */
const OLDEST = [20, 19] as const

/** What one check found. */
interface Finding {
  about: string
  /** 0 if all is well. */
  code: number
  /** What is so, and if that is wrong, what to do. */
  words: string
}

const HELP = `jb-filters doctor: checks what a run needs, and says what to do.

Usage: jb-filters doctor [-m MODEL [options of jb-call]]

Checks Node's version, the jb-* commands on the PATH and the cache folder, and
names the variables with keys that are set. With -m it makes one call.

Exit codes: 0 all is well; 69 the call got no answer; 77 the key was refused;
78 something is to be set up. Of several, the last one's; of wrong options 2.
`

/**
 * Prints the findings and sets the exit code.
 * @param words options of jb-call; with any, one call is made @param filters names of all jb-* commands
 */
export async function doctor(words: readonly string[], filters: readonly string[]): Promise<void> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(HELP)
    return
  }
  const { env, version } = process
  const findings = [node(version), path(filters), cache(env), await keys(env)]
  if (words.length > 0) findings.push(call(words))
  for (const { about, code, words } of findings)
    process.stdout.write(`${code === 0 ? 'ok   ' : 'wrong'} ${about.padEnd(6)} ${words}\n`)
  process.exitCode = findings.findLast(({ code }) => code !== 0)?.code ?? 0
}

/** @param version as in process.version: `v22.3.0` */
export function node(version: string): Finding {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
  return isOld
    ? { about: 'Node', code: EXIT.config, words: `${version}: install ${OLDEST.join('.')} or newer` }
    : { about: 'Node', code: 0, words: version }
}

/** Asks each command on the PATH for its version. */
function path(filters: readonly string[]): Finding {
  const missing: string[] = []
  const others: string[] = []
  for (const name of filters) {
    const { stdout, error } = spawnSync(name, ['--version'], {
      encoding: 'utf8',
      // Commands of npm are scripts of the shell there.
      shell: process.platform === 'win32',
    })
    const said = error ? '' : stdout.trim()
    if (said === '') missing.push(name)
    else if (said !== `${name} (jb-filters) ${VERSION}`) others.push(`${name} is "${said}"`)
  }
  const wrong = [
    ...(missing.length > 0
      ? [
          `${missing.join(', ')} not found or not running: add the folder of npm's commands (npm prefix -g, then /bin) or make install's PREFIX/bin to PATH`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `${others.join(', ')}, this is ${VERSION}: remove the other one, or move it back in PATH (command -v shows where it is)`,
        ]
      : []),
  ]
  return wrong.length > 0
    ? { about: 'PATH', code: EXIT.config, words: wrong.join('; ') }
    : { about: 'PATH', code: 0, words: `${filters.length} commands of version ${VERSION}` }
}

/** Makes the folder if there is none, as a run does. */
export function cache(env: Env): Finding {
  const folder = userCache(env)
  const wrong = (words: string) => ({ about: 'cache', code: EXIT.config, words: `${folder}: ${words}` })
  try {
    makeFolder(folder, 0o700)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    return wrong(
      `not writable (${(error as NodeJS.ErrnoException).code}): change its mode, or set XDG_CACHE_HOME to a folder of yours`,
    )
  }
  const own = process.getuid?.()
  return own !== undefined && statSync(folder).uid !== own
    ? wrong('another user owns it: set XDG_CACHE_HOME to a folder of yours')
    : { about: 'cache', code: 0, words: folder }
}

/** Names the variables that are set, never a value. No key is no fault: baselines and local servers need none. */
async function keys(env: Env): Promise<Finding> {
  const known = new Set(await keyVariables())
  const set = Object.keys(env).filter(
    (name) => (known.has(name) || /^LLM_JUDGE_\w+_API_KEY$/.test(name)) && env[name]?.trim(),
  )
  const words = set.sort().join(', ') || 'none set (OPENAI_API_KEY, for example; baselines need none)'
  return { about: 'keys', code: 0, words }
}

/** The row of a call; a baseline reads the judge and the response. */
const ASKED = {
  response: 'OK',
  jb: { judge: 'rating', item: '1', request: { messages: [{ role: 'user', content: 'Answer: OK' }] } },
}

/** Makes one call as jb-call does, past the cache. */
function call(words: readonly string[]): Finding {
  const command = fileURLToPath(new URL('../bin/jb-call', import.meta.url))
  // Its notes are printed: they name a model that is shut, and the cost.
  const ran = spawnSync(process.execPath, [command, '--no-cache', '--retries', '0', ...words], {
    input: `${JSON.stringify(ASKED)}\n`,
    encoding: 'utf8',
  })
  const said = ran.stderr
    .trim()
    .replaceAll(/^jb-call: /gm, '')
    .replaceAll('\n', '; ')
  const { reply, error } = rowIn(ran.stdout)
  if (ran.status === 0 && reply)
    return { about: 'call', code: 0, words: [`${reply.model} answers`, said].filter(Boolean).join(': ') }
  // A row that failed is not the run's failure.
  const isRow = ran.status === 0 || ran.status === EXIT.gate
  return {
    about: 'call',
    code: isRow ? EXIT.unavailable : (ran.status ?? EXIT.unavailable),
    words: (isRow && error?.message) || said || 'no answer',
  }
}

interface Answered {
  reply?: { model: string }
  error?: { message: string }
}

function rowIn(text: string): Answered {
  return text === '' ? {} : (JSON.parse(text.split('\n')[0]!) as { jb: Answered }).jb
}
