/** Reads and checks workflow.yml. */
import { readText } from '../../files/text.ts'
import { FloatText } from '../../judges/_example_schema.ts'
import { PythonFunction, readPyYaml, TimeText } from '../../judges/_pyyaml.ts'
import { didYouMean } from '../../options/nearest.ts'
import { readFloat } from '../../python/numbers.ts'
import { codePoint } from '../../rows/controls.ts'
import { configError } from '../../rows/record.ts'
import { checkName, NO_ARGUMENT } from './quoting.ts'
import { chosen, type Setting, type SettingValues, settingText, Time } from './settings.ts'

export interface Workflow {
  /** Its name for messages. */
  file: string
  /** There is no file: only what is asked for is made. */
  empty: boolean
  flags: Record<Flag, boolean | undefined>
  /** The judges' classes. */
  classes: Partial<Record<Phase, string>>
  paths: Partial<Record<PathKey, string>>
  /** The format of banks that judges of jb write and read, by its name or by AutoJudge's class. */
  bankFormat?: string
  settings: SettingValues
  phases: Record<Phase, SettingValues>
  variants: Map<string, SettingValues>
  sweeps: Map<string, SettingValues>
  /** Notes for the user. */
  notes: string[]
  /** The place of a key. */
  placeOf: LineOf
}

export const PHASES = ['nugget', 'qrels', 'judge'] as const
export type Phase = (typeof PHASES)[number]
export const byPhase = <T>(of: (phase: Phase) => T) =>
  Object.fromEntries(PHASES.map((phase) => [phase, of(phase)])) as Record<Phase, T>
export const PHASE_FLAGS = [
  'create_nuggets',
  'create_qrels',
  'judge',
  'nugget_depends_on_responses',
  'judge_uses_nuggets',
  'judge_uses_qrels',
  'qrels_uses_nuggets',
  'force_recreate_nuggets',
  'force_recreate_qrels',
  'augment_report',
] as const
export type Flag = (typeof PHASE_FLAGS)[number]
export const PATHS = ['nugget_input', 'nugget_output', 'qrels_input', 'qrels_output'] as const
export type PathKey = (typeof PATHS)[number]

/** Top-level keys; jb ignores the last. */
const KEYS: readonly string[] = [
  ...PHASE_FLAGS,
  ...PATHS,
  ...PHASES.flatMap((phase) => [`${phase}_class`, `${phase}_settings`]),
  ...['settings', 'variants', 'sweeps', 'nugget_banks_type', 'uses_llm'],
]

/** Arguments of AutoJudge's methods, which cannot be settings. */
const RESERVED = ['rag_responses', 'rag_topics', 'llm_config', 'nugget_banks']

/** `file:line` for a path of keys. */
type LineOf = (...path: string[]) => string

/** Loads a workflow file; without a path, an empty workflow. @throws Fatal (configuration) with `file:line` */
export async function loadWorkflow(path: string | undefined): Promise<Workflow> {
  const file = path ?? 'the default workflow'
  const notes: string[] = []
  const { data, lineOf } =
    path === undefined ? { data: new Map() as SettingValues, lineOf: () => file } : await parse(path, notes)
  const mapping = (value: Setting | undefined, ...at: string[]): SettingValues => {
    if (value === undefined || value === null) return new Map()
    if (!isBlock(value)) throw configError(`${lineOf(...at)}: "${at.join('.')}" must be a mapping`)
    const odd = [...value.keys()].find((key) => typeof key !== 'string')
    if (odd !== undefined)
      throw configError(
        `${lineOf(...at)}: ${at.join('.')}: the key ${String(odd)} must be a string: put it in quotes`,
      )
    return value
  }
  const block = (key: string) => mapping(data.get(key), key)
  const named = (key: string) =>
    new Map([...block(key)].map(([name, value]) => [name, mapping(value, key, name)]))
  const text = (key: string): string | undefined => {
    const value = data.get(key) ?? undefined
    if (value === undefined || typeof value === 'string') return value
    throw configError(`${lineOf(key)}: "${key}" must be a string`)
  }
  const workflow: Workflow = {
    file,
    empty: path === undefined,
    flags: Object.fromEntries(
      PHASE_FLAGS.map((flag) => [flag, flagOf(data.get(flag), flag, lineOf)]),
    ) as Workflow['flags'],
    classes: byPhase((phase) => text(`${phase}_class`)),
    paths: Object.fromEntries(PATHS.map((key) => [key, text(key)])),
    bankFormat: text('nugget_banks_type'),
    settings: block('settings'),
    phases: byPhase((phase) => block(`${phase}_settings`)),
    variants: named('variants'),
    sweeps: named('sweeps'),
    notes: notes.concat(
      [...data.keys()]
        .filter((key) => !KEYS.includes(key))
        .map(
          (key) =>
            `${lineOf(key)}: "${key}" is not a key of a workflow file and is ignored${didYouMean(key, KEYS)}`,
        ),
    ),
    placeOf: lineOf,
  }
  check(workflow)
  return workflow
}

async function parse(path: string, notes: string[]): Promise<{ data: SettingValues; lineOf: LineOf }> {
  const { visit } = await import('yaml')
  const { value, document, lines } = await readPyYaml(readText(path), path, notes, true)
  visit(document, {
    Scalar(_key, { value, range }) {
      const found = typeof value === 'string' && NO_ARGUMENT.exec(value)
      if (found)
        throw configError(
          `${path}:${lines.linePos(range?.[0] ?? 0).line}: ${codePoint(found[0])} in ${JSON.stringify(value)}`,
        )
    },
  })
  const data = toSetting(value ?? new Map())
  if (!isBlock(data)) throw configError(`${path}: a workflow file must be a mapping`)
  const lineOf: LineOf = (...keys) => {
    for (let depth = keys.length; depth > 0; depth--) {
      const node = document.getIn(keys.slice(0, depth), true) as { range?: [number] } | undefined
      if (node?.range) return `${path}:${lines.linePos(node.range[0]).line}`
    }
    return path
  }
  return { data, lineOf }
}

/** A value as PyYAML reads it. Whole numbers become bigints, to distinguish them from floats. */
function toSetting(value: unknown): Setting {
  if (typeof value === 'number') return BigInt(value)
  if (value instanceof FloatText) return readFloat(value.text)!
  if (value instanceof TimeText) return new Time(value.text)
  if (value instanceof PythonFunction) return value.text
  if (Array.isArray(value)) return value.map(toSetting)
  if (value instanceof Map)
    return new Map([...value].map(([key, one]) => [toSetting(key) as string, toSetting(one)]))
  return value as null | boolean | bigint | string
}

const isBlock = (value: Setting | undefined): value is SettingValues => value instanceof Map

function flagOf(value: Setting | undefined, flag: string, lineOf: LineOf): boolean | undefined {
  if (value === undefined || value === null) return undefined
  const read = typeof value === 'boolean' ? value : readBoolean(settingText(value))
  if (read === undefined)
    throw configError(`${lineOf(flag)}: "${flag}" must be true or false, not ${settingText(value)}`)
  return read
}

/** Parses true, yes, on, 1, t, y and their opposites, in any case. */
export function readBoolean(text: string): boolean | undefined {
  if (/^(true|yes|on|1|t|y)$/i.test(text)) return true
  return /^(false|no|off|0|f|n)$/i.test(text) ? false : undefined
}

function check(workflow: Workflow): void {
  const { placeOf: lineOf } = workflow
  const names = (settings: SettingValues, path: string[]) => {
    for (const [key, value] of settings) {
      const at = [...path, key]
      if (key.startsWith('_'))
        throw configError(`${lineOf(...at)}: ${at.join('.')}: names that begin with "_" are reserved`)
      if (RESERVED.includes(key))
        throw configError(
          `${lineOf(...at)}: ${at.join('.')}: "${key}" is reserved (so are ${RESERVED.filter((one) => one !== key).join(', ')})`,
        )
      if (isBlock(value) && isPhaseBlock(key)) names(value, at)
      if (key === 'filebase' && typeof value === 'string')
        checkName(value, `${lineOf(...at)}: ${at.join('.')}`)
    }
  }
  for (const [key, path] of Object.entries(workflow.paths))
    if (path !== undefined) checkName(path, `${lineOf(key)}: ${key}`)
  names(workflow.settings, ['settings'])
  for (const phase of PHASES) names(workflow.phases[phase], [`${phase}_settings`])
  for (const kind of ['variants', 'sweeps'] as const)
    for (const [name, settings] of workflow[kind]) {
      checkName(name, `${lineOf(kind, name)}: ${kind}`)
      names(settings, [kind, name])
      remark(workflow, kind, name)
    }
}

/** Adds notes on values that may not have the intended effect. */
function remark(workflow: Workflow, kind: 'variants' | 'sweeps', name: string): void {
  const { placeOf: lineOf } = workflow
  for (const [key, value] of workflow[kind].get(name)!) {
    const at = [kind, name, key]
    const place = `${lineOf(...at)}: ${at.join('.')}`
    if ((PHASE_FLAGS as readonly string[]).includes(key))
      workflow.notes.push(`${place} is a setting here, not a flag: flags belong at the top of the file`)
    if (kind === 'sweeps' && isBlock(value) && isPhaseBlock(key))
      for (const [inner, list] of value)
        if (Array.isArray(list))
          workflow.notes.push(
            `${lineOf(...at, inner)}: ${at.join('.')}.${inner} is one value, a list: only lists at the top of a sweep are swept`,
          )
    if (kind === 'sweeps' && Array.isArray(value) && value.length === 0)
      workflow.notes.push(`${place} is an empty list: the sweep has no configuration`)
  }
}

const isPhaseBlock = (key: string) => PHASES.some((phase) => key === `${phase}_settings`)

/** Splits a variant's or sweep's settings into those of all phases and those of each. */
export function settingsOf(overlay: SettingValues): {
  shared: SettingValues
  phases: Record<Phase, SettingValues>
} {
  return {
    shared: chosen(overlay, (key) => !isPhaseBlock(key)),
    phases: byPhase((phase) => {
      const block = overlay.get(`${phase}_settings`)
      return isBlock(block) ? block : new Map()
    }),
  }
}
