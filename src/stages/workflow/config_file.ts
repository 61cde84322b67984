/** The `.config.yml` of a run: settings, time, and git state. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { replaceFile } from '../../files/part_file.ts'
import type { Exact as Value } from '../../python/json.ts'
import { EXIT, Fatal, type Json, type JsonObject } from '../../rows/record.ts'
import type { SettingValues } from './load.ts'
import type { WorkflowPlan } from './plan.ts'

/** The file's content without time and git state; of the phases, only settings that differ from the shared ones. */
export function configContent(
  { configuration, flags, seed }: WorkflowPlan,
  model: string | undefined,
): JsonObject {
  const { name, settings, phases } = configuration
  const block = (key: string, values: SettingValues): JsonObject =>
    Object.keys(values).length === 0 ? {} : { [key]: plain(values) as JsonObject }
  const own = (values: SettingValues): SettingValues =>
    Object.fromEntries(Object.entries(values).filter(([key, value]) => settings[key] !== value))
  return {
    name,
    create_nuggets: flags.create_nuggets,
    // The first generation has no such phase.
    ...(!seed && { create_qrels: flags.create_qrels }),
    judge: flags.judge,
    llm_model: model ?? null,
    ...block('settings', settings),
    ...block('nugget_settings', own(phases.nugget)),
    ...block('judge_settings', own(phases.judge)),
    ...block('qrels_settings', own(phases.qrels)),
  }
}

/** The value as JSON; integers beyond 2^53 become strings. */
function plain(value: Value): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (Array.isArray(value)) return value.map(plain)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
  return value
}

/** Writes the file; if only time and git state differ, only updates its modification time, for make. @throws Fatal (io) */
export async function writeConfig(path: string, content: JsonObject): Promise<void> {
  const { parse, stringify } = await import('yaml')
  const before = existsSync(path) && (parse(readFileSync(path, 'utf8')) as JsonObject | null)
  if (before && JSON.stringify({ ...before, timestamp: 0, git: 0 }) === JSON.stringify(keyed(content, 0, 0)))
    return utimesSync(path, new Date(), new Date())
  try {
    replaceFile(path, stringify(keyed(content, timestamp(), gitState()), AS_PYTHON))
  } catch (error) {
    throw new Fatal(EXIT.io, `cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** YAML in PyYAML's format. */
const AS_PYTHON = { version: '1.1', lineWidth: 0, indentSeq: false, singleQuote: true } as const

/** The content in AutoJudge's order. Phases have the shared settings before their own. */
function keyed(content: JsonObject, timestamp: Json, git: Json): JsonObject {
  const { settings = {}, nugget_settings, judge_settings, qrels_settings, ...run } = content
  const phases = Object.entries({ nugget_settings, judge_settings, qrels_settings })
  const blocks = phases.map(([key, own]) => [key, { ...Object(settings), ...Object(own) }] as const)
  const given = [['settings', settings] as const, ...blocks].filter(([, block]) => Object.keys(block!).length)
  return { ...run, timestamp, git, ...Object.fromEntries(given) }
}

/** ISO 8601, UTC, with microseconds. */
const timestamp = () => new Date().toISOString().replace('Z', '000+00:00')

/** The git state of the current directory. */
function gitState(): JsonObject {
  const git = (...args: string[]): string | undefined => {
    try {
      return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    } catch {
      return undefined
    }
  }
  const commit = git('rev-parse', 'HEAD')
  const status = git('status', '--porcelain')
  return {
    commit: commit ?? 'unknown',
    dirty: status === undefined ? 'unknown' : String(status !== ''),
    remote: git('remote', 'get-url', 'origin') ?? 'none',
  }
}
