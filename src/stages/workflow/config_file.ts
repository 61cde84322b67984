/** The `.config.yml` of a run: settings, time, and git state. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { replaceFile } from '../../files/part_file.ts'
import { type AnyDict, Dict, dictGet } from '../../python/dict.ts'
import { readObject } from '../../python/json.ts'
import type { Value } from '../../python/values.ts'
import { EXIT, Fatal } from '../../rows/record.ts'
import type { WorkflowPlan } from './plan.ts'
import { chosen, type Setting, type SettingValues, settingJson } from './settings.ts'
import { yamlText } from './yaml_text.ts'

/** The file's content without time and git state; of the phases, only settings that differ from the shared ones. */
export function configContent(
  { configuration, flags, seed }: WorkflowPlan,
  model: string | undefined,
): SettingValues {
  const { name, settings, phases } = configuration
  const own = (values: SettingValues): SettingValues =>
    chosen(
      values,
      (key, value) => !settings.has(key) || settingJson(settings.get(key)!) !== settingJson(value),
    )
  const blocks: [string, SettingValues][] = [
    ['settings', settings],
    ['nugget_settings', own(phases.nugget)],
    ['judge_settings', own(phases.judge)],
    ['qrels_settings', own(phases.qrels)],
  ]
  return new Map<string, Setting>([
    ['name', name],
    ['create_nuggets', flags.create_nuggets],
    // The first generation has no such phase.
    ...(seed ? [] : [['create_qrels', flags.create_qrels] as const]),
    ['judge', flags.judge],
    ['llm_model', model ?? null],
    ...blocks.filter(([, block]) => block.size > 0),
  ])
}

/**
 * Writes the file; if only time and git state differ, only updates its modification time, for make.
 * @param content JSON of {@link configContent}
 * @throws Fatal (io)
 */
export function writeConfig(path: string, content: string): void {
  const config = readObject(content, { changes: true, exact: true })
  const text = yamlText(keyed(config))
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (withoutState(before) === withoutState(text)) {
    utimesSync(path, new Date(), new Date())
    return
  }
  try {
    replaceFile(path, text)
  } catch (error) {
    throw new Fatal(EXIT.io, `cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

const withoutState = (text: string) => text.replace(/^timestamp: .*\ngit:\n(?: .*\n)+/m, '')

const PHASE_BLOCKS = ['nugget_settings', 'judge_settings', 'qrels_settings']

/** The content in AutoJudge's order. Phases have the shared settings before their own. */
function keyed(content: AnyDict): Dict {
  const out = new Dict()
  const blocks = ['settings', ...PHASE_BLOCKS]
  for (const key of ['name', 'create_nuggets', 'create_qrels', 'judge', 'llm_model']) {
    const value = dictGet(content, key)
    if (value !== undefined) out.set(key, value)
  }
  out.set('timestamp', timestamp())
  out.set('git', gitState())
  const shared = dictGet(content, 'settings') as Dict | undefined
  // The first generation has no settings for qrels.
  const first = dictGet(content, 'create_qrels') === undefined
  for (const key of blocks) {
    const own = dictGet(content, key) as Dict | undefined
    if (key === 'qrels_settings' && first) continue
    const block = new Dict(new Map([...(shared?.map ?? []), ...(own?.map ?? [])]))
    if (block.size() > 0) out.set(key, block)
  }
  return out
}

/** ISO 8601, UTC, with microseconds. */
const timestamp = () => new Date().toISOString().replace('Z', '000+00:00')

/** The git state of the current directory. */
function gitState(): Value {
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
