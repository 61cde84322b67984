/** What a configuration's commands are told: models, banks, grades, settings. */
import { append } from '../../rows/maps.ts'
import { usageError } from '../../rows/record.ts'
import { configContent } from './config_file.ts'
import { placed } from './files.ts'
import type { Phase } from './load.ts'
import { runningPhases } from './phases.ts'
import { filled, type WorkflowPlan } from './plan.ts'
import { option, quoted } from './quoting.ts'
import type { Inputs } from './rule.ts'
import { chosen, merged, type SettingValues, settingJson, setValue } from './settings.ts'

/** The model of a phase: the configuration's `llm_model`, else the command's. */
export function modelOf(plan: WorkflowPlan, inputs: Inputs, phase: Phase): string | undefined {
  const own = plan.configuration.settings.get('llm_model')
  if (typeof own === 'string') return own
  return inputs.model ?? (plan.judges[phase].kind === 'python' ? inputs.usualModel : undefined)
}

/** The content of .config.yml as words, with the model of the last phase that has one. */
export function configWords(plan: WorkflowPlan, inputs: Inputs): string[] {
  const asking = runningPhases(plan.flags).findLast((one) => plan.judges[one].kind !== 'none')
  return members(configContent(plan, asking && (modelOf(plan, inputs, asking) ?? inputs.usualModel)))
}

/** A phase's bank. */
export function bankOf(plan: WorkflowPlan, phase: Phase): string | undefined {
  if (phase === 'nugget') return plan.startBank
  const { judge_uses_nuggets: judge, qrels_uses_nuggets: qrels } = plan.flags
  return (phase === 'judge' ? judge : qrels) ? plan.bank : undefined
}

/** A phase's grades. */
export const gradesOf = (plan: WorkflowPlan, phase: Phase): string | undefined =>
  phase === 'judge' && plan.flags.judge_uses_qrels ? plan.qrels : undefined

/** The settings of a phase's judge as words. */
export const settingsOf = (plan: WorkflowPlan, phase: Phase): string[] =>
  plan.judges[phase].kind === 'python' ? pythonSettings(plan, phase) : sets(plan.given[phase])

/** `--set KEY=VALUE` for every setting. */
const sets = (settings: SettingValues): string[] =>
  [...settings].map(([key, value]) => option('set', `${key}=${setValue(value)}`) || '')

/** Settings as AutoJudge's runner passes them: filebase with `{_name}` replaced, for the judge with its directory. */
function pythonSettings({ configuration, outDir, bases, seed }: WorkflowPlan, phase: Phase): string[] {
  const { name, phases } = configuration
  // Its guide says that the framework keeps the model to itself, and replaces every {name}.
  const own = seed
    ? filled(
        chosen(phases[phase], (key) => key !== 'llm_model'),
        merged(
          phases[phase],
          new Map([
            ['_name', name],
            ['_nugget_filebase', bases.nugget],
          ]),
        ),
      )
    : phases[phase]
  const filebase = own.get('filebase')
  const settings = merged(
    own,
    new Map(typeof filebase === 'string' ? [['filebase', filebase.replaceAll('{_name}', name)]] : []),
    new Map(phase === 'judge' ? [['filebase', placed(bases.judge, outDir)]] : []),
  )
  return members(new Map([['settings', settings]]))
}

/** A mapping as words KEY=TEXT and KEY:=JSON; members of a nested mapping are KEY.KEY, or KEY."KEY" with other signs in it. */
function members(mapping: SettingValues, before = ''): string[] {
  return [...mapping].flatMap(([key, value]) => {
    if (before === '' && value instanceof Map) return members(value, `${key}.`)
    const name = before === '' || /^[^"=:]+$/.test(key) ? key : JSON.stringify(key)
    return quoted(`${before}${name}${typeof value === 'string' ? `=${value}` : `:=${settingJson(value)}`}`)
  })
}

const WORD = /^([a-z_]+)(?:\.("(?:[^"\\]|\\.)*"|[^"=:]*))?(?::=(.*)|=(.*))$/s

/** The JSON text of such words. @throws Fatal (usage) for any other word */
export function wordsJson(words: readonly string[]): string {
  const inner = new Map<string, string[]>()
  const outer: string[] = []
  for (const word of words) {
    const [, name, key, json, text] = WORD.exec(word) ?? []
    if (name === undefined) throw usageError(`${word}: expected KEY=TEXT or KEY:=JSON`)
    const value = json ?? JSON.stringify(text)
    if (key === undefined) outer.push(`${JSON.stringify(name)}:${value}`)
    else append(inner, name, `${key.startsWith('"') ? key : JSON.stringify(key)}:${value}`)
  }
  for (const [name, parts] of inner) outer.push(`${JSON.stringify(name)}:{${parts.join(',')}}`)
  return `{${outer.join(',')}}`
}
