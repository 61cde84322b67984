/** Settings without effect, because of which two configurations could be the same run. */
import { didYouMean } from '../../options/nearest.ts'
import { configError } from '../../rows/record.ts'
import type { PhaseJudge } from './judges.ts'
import { PHASE_FLAGS, PHASES, type Phase, settingsOf, type Workflow } from './load.ts'
import type { PlanOptions } from './options.ts'
import type { SettingValues } from './settings.ts'

/** Shared settings for jb-workflow itself. */
export const CONSUMED = ['filebase', 'llm_model', 'on_missing_evals']

/** The variant or the sweep of a configuration. */
interface Overlay {
  kind: 'variants' | 'sweeps'
  name: string
}

interface Setting {
  key: string
  /** Its place and name, for messages. */
  place: string
  /** Undefined for a setting of all phases. */
  phase?: Phase
  /** Of the command line. */
  given?: boolean
}

/**
 * Settings without effect on the running phases.
 * @returns notes on those of the file
 * @throws Fatal (configuration) for one of the command line
 */
export function checkSettings(
  workflow: Workflow,
  overlay: Overlay | undefined,
  options: PlanOptions,
  judges: Readonly<Record<Phase, PhaseJudge>>,
  running: readonly Phase[],
): string[] {
  const notes: string[] = []
  for (const { key, place, phase, given } of allSettings(workflow, overlay, options)) {
    // Settings of a phase that does not run are not checked.
    const phases = running.filter((one) => phase === undefined || one === phase)
    // The model is that of all phases.
    const consumed = CONSUMED.includes(key) && !(key === 'llm_model' && phase !== undefined)
    if (phases.length === 0 || consumed) continue
    if (phases.some((one) => isTaken(key, judges[one]))) continue
    const names = [...new Set(phases.flatMap((one) => [...(judges[one].takes ?? [])]))]
    const who = [...new Set(phases.map((one) => judges[one].name))].join(', ')
    const message = `${place} has no effect on ${who}${hintOf(key, names)}`
    if (given) throw configError(message)
    notes.push(message)
  }
  return notes
}

/** Whether a setting may affect a judge. `--set` of jb's judges cannot name one with `=` in it. */
export const isTaken = (key: string, { takes, kind }: PhaseJudge): boolean =>
  takes?.has(key) !== false && (kind === 'python' || !key.includes('='))

function hintOf(key: string, names: readonly string[]): string {
  if (key === 'llm_model') return ': the model of all phases is llm_model under settings'
  const isFlag = (PHASE_FLAGS as readonly string[]).includes(key)
  return didYouMean(key, names, isFlag ? ': flags belong at the top of the file' : '')
}

function allSettings(workflow: Workflow, overlay: Overlay | undefined, { given }: PlanOptions): Setting[] {
  const { settings, phases, placeOf } = workflow
  const inFile = (block: SettingValues, path: string[], phase?: Phase): Setting[] =>
    [...block.keys()].map((key) => ({
      key,
      place: `${placeOf(...path, key)}: ${[...path, key].join('.')}`,
      phase,
    }))
  const onLine = (block: SettingValues, before: string, phase?: Phase): Setting[] =>
    [...block.keys()].map((key) => ({ key, place: `--set ${before}${key}`, phase, given: true }))
  const own = settingsOf((overlay && workflow[overlay.kind].get(overlay.name)) ?? new Map())
  const at = overlay ? [overlay.kind, overlay.name] : []
  return [
    ...onLine(given.settings, ''),
    ...PHASES.flatMap((phase) => onLine(given.phases[phase], `${phase}.`, phase)),
    ...inFile(own.shared, at),
    ...PHASES.flatMap((phase) => inFile(own.phases[phase], [...at, `${phase}_settings`], phase)),
    ...PHASES.flatMap((phase) => inFile(phases[phase], [`${phase}_settings`], phase)),
    ...inFile(settings, ['settings']),
  ]
}
