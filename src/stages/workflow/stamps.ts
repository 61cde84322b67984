/**
 * Stamps: empty files in a folder `.jb` beside an output, named by the output and by the step that makes it, as the
 * shell reads it. Another model, setting or list of files is another step, whose stamp is not there yet: so the output
 * is made again, and nothing that the change does not reach.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EXIT } from '../../rows/record.ts'
import { quoted } from './quoting.ts'

const DIGITS = 12
const FOLDER = '.jb'

/** @param step all that decides over the output beside the contents of the files it is made from */
export function stampOf(path: string, step: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(step)).digest('hex').slice(0, DIGITS)
  return join(dirname(path), FOLDER, `${basename(path)}.${hash}`)
}

/** What jb-call takes from the environment and replies depend on; never a key. */
const DECIDES =
  /^(CALL|(LLM_JUDGE|LLM_JUDGE_\w+|LLM|OPENAI|ANTHROPIC)_(MODEL|API_BASE|BASE_URL)|JB_(API|BASE_URL|PARAM|TEMPERATURE|MAX_TOKENS|HEADER|REPAIR|COMPAT|REPLAY))$/

/** NAME=VALUE of each such variable, in the order of their names. */
export const decidingIn = (env: Record<string, string | undefined>): string[] =>
  Object.keys(env)
    .filter((name) => DECIDES.test(name) && env[name])
    .sort()
    .map((name) => `${name}=${env[name]}`)

/** Puts a stamp in the place of the one before it: a step that is gone back to is a change, too. */
export function setStamp(stamp: string): string {
  const before = `${quoted(stamp.slice(0, -DIGITS))}${'?'.repeat(DIGITS)}`
  return `@mkdir -p ${quoted(dirname(stamp))} && rm -f ${before} && touch ${quoted(stamp)} || exit ${EXIT.io}`
}

/** Whether an output is there and another step than that of this stamp has made it. */
export function madeOtherwise(path: string, stamp: string): boolean {
  if (!existsSync(path) || existsSync(stamp) || !existsSync(dirname(stamp))) return false
  const name = basename(stamp)
  return readdirSync(dirname(stamp)).some(
    (other) => other.length === name.length && other.startsWith(name.slice(0, -DIGITS)),
  )
}
