/** Refuses settings without effect, because two variants could be the same run. */
import { didYouMean } from '../../options/nearest.ts'
import { configError } from '../../rows/record.ts'
import type { PhaseJudge } from './judges.ts'
import { PHASE_FLAGS, PHASES, type Phase, type SettingValues, settingsOf, type Workflow } from './load.ts'
import type { PlanOptions } from './options.ts'

/** Settings for jb-workflow itself. */
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
}

/**
 * Refuses settings without effect on the running phases.
 * @returns notes on ignored settings
 * @throws Fatal (configuration)
 */
export function checkSettings(
  workflow: Workflow,
  overlay: Overlay | undefined,
  options: PlanOptions,
  judges: Readonly<Record<Phase, PhaseJudge>>,
  running: readonly Phase[],
): string[] {
  const notes: string[] = []
  for (const { key, place, phase } of allSettings(workflow, overlay, options)) {
    // Settings of a phase that does not run are not checked.
    const phases = running.filter((one) => phase === undefined || one === phase)
    if (phases.length === 0 || CONSUMED.includes(key)) continue
    const takes = phases.map((one) => judges[one].takes)
    if (takes.some((names) => names === undefined || names.has(key))) continue
    const names = [...new Set(takes.flatMap((one) => [...one!]))]
    const who = [...new Set(phases.map((one) => judges[one].name))].join(', ')
    if (options.ignoreSettings.includes(key)) {
      notes.push(`${place} is ignored: it has no effect on ${who}`)
      continue
    }
    const isFlag = (PHASE_FLAGS as readonly string[]).includes(key)
    const hint = didYouMean(key, names, isFlag ? ': flags belong at the top of the file' : '')
    throw configError(`${place} has no effect on ${who}${hint} (--ignore-settings ${key} runs without it)`)
  }
  return notes
}

function allSettings(
  workflow: Workflow,
  overlay: Overlay | undefined,
  { set, setPhase }: PlanOptions,
): Setting[] {
  const { settings, phases, placeOf } = workflow
  const inFile = (block: SettingValues, path: string[], phase?: Phase): Setting[] =>
    Object.keys(block).map((key) => ({
      key,
      place: `${placeOf(...path, key)}: ${[...path, key].join('.')}`,
      phase,
    }))
  const onLine = (texts: readonly string[], option: string, phase?: Phase): Setting[] =>
    texts.map((text) => ({ key: text.split('=', 1)[0]!, place: `--${option} ${text}`, phase }))
  const own = settingsOf(overlay ? workflow[overlay.kind][overlay.name]! : {})
  const at = overlay ? [overlay.kind, overlay.name] : []
  return [
    ...onLine(set, 'set'),
    ...PHASES.flatMap((phase) => onLine(setPhase[phase], `set-${phase}`, phase)),
    ...inFile(own.shared, at),
    ...PHASES.flatMap((phase) => inFile(own.phases[phase], [...at, `${phase}_settings`], phase)),
    ...PHASES.flatMap((phase) => inFile(phases[phase], [`${phase}_settings`], phase)),
    ...inFile(settings, ['settings']),
  ]
}
