/** What the command line says of the workflow: `--set` as if it stood in the file, `--only`, and the subcommand's flags. */
import { assignment } from '../../options/option.ts'
import { readFloat } from '../../python/numbers.ts'
import { usageError } from '../../rows/record.ts'
import {
  byPhase,
  type Flag,
  PATHS,
  type PathKey,
  PHASE_FLAGS,
  PHASES,
  type Phase,
  readBoolean,
} from './load.ts'
import type { Setting, SettingValues } from './settings.ts'

/** Keys of the file that the command line replaces. */
export interface Given {
  flags: Partial<Record<Flag, boolean>>
  paths: Partial<Record<PathKey, string>>
  bankFormat?: string
  settings: SettingValues
  phases: Record<Phase, SettingValues>
}

/** A key of one phase's settings: `judge.threshold`. */
const PHASE_KEY = new RegExp(`^(${PHASES.join('|')})\\.(.+)$`, 's')

/**
 * Reads KEY=VALUE. KEY is a flag or a path at the top of the file, PHASE.KEY a setting of a phase, any other a setting of all.
 * @throws Fatal (usage) for a flag that is neither yes nor no, or is said twice
 */
export function readGiven(texts: readonly string[], flags: Given['flags'] = {}): Given {
  const given: Given = { flags: {}, paths: {}, settings: new Map(), phases: byPhase(() => new Map()) }
  for (const text of texts) {
    const [key, value] = assignment(text, '--set', 'KEY=VALUE')
    const [, phase, name] = PHASE_KEY.exec(key) ?? []
    if (phase !== undefined) given.phases[phase as Phase].set(name!, typed(value))
    else if (isFlag(key)) given.flags[key] = flagIn(key, value, given.flags[key])
    else if (isPath(key)) given.paths[key] = value
    else if (key === 'nugget_banks_type') given.bankFormat = value
    else given.settings.set(key, typed(value))
  }
  return { ...given, flags: { ...given.flags, ...flags } }
}

const isFlag = (key: string): key is Flag => (PHASE_FLAGS as readonly string[]).includes(key)
const isPath = (key: string): key is PathKey => (PATHS as readonly string[]).includes(key)

function flagIn(flag: Flag, text: string, before: boolean | undefined): boolean {
  const value = readBoolean(text)
  if (value === undefined) throw usageError(`--set ${flag}=${text}: expected yes or no`)
  if (before === !value)
    throw usageError(`--set ${flag}=${text}: ${flag} is ${before ? 'yes' : 'no'} already`)
  return value
}

/** An integer, a float, a boolean, or else a string, as AutoJudge reads it. */
function typed(text: string): Setting {
  if (/^[+-]?\d+(_\d+)*$/.test(text)) return BigInt(text.replaceAll('_', '').replace(/^\+/, ''))
  const number = readFloat(text)
  if (number !== undefined) return number
  return /^(true|false|yes|no)$/i.test(text) ? readBoolean(text)! : text
}

/** The topics and runs that a run is limited to. */
export interface Only {
  topic: string[]
  run: string[]
  limitTopics?: number
  limitRuns?: number
}

/** Reads `topic=ID`, `run=ID`, `topics=N` and `runs=N`. @throws Fatal (usage) */
export function readOnly(texts: readonly string[]): Only {
  const only: Only = { topic: [], run: [] }
  for (const text of texts) {
    const [kind, value] = assignment(text, '--only', 'topic=ID, run=ID, topics=N or runs=N')
    const number = /^[1-9]\d*$/.test(value) ? Number(value) : undefined
    if (kind === 'topic' || kind === 'run') only[kind].push(value)
    else if (kind === 'topics' && number !== undefined) only.limitTopics = number
    else if (kind === 'runs' && number !== undefined) only.limitRuns = number
    else throw usageError(`--only ${text}: expected topic=ID, run=ID, topics=N or runs=N`)
  }
  return only
}
