/** A workflow's configurations: the default, variants, and points of sweeps. */

import { configError, usageError } from '../../rows/record.ts'
import { byPhase, type Phase, settingsOf, type Workflow } from './load.ts'
import type { PlanOptions } from './options.ts'
import { chosen, merged, type Setting, type SettingValues, settingText } from './settings.ts'

export interface Configuration {
  /** "default", or the variant's or the sweep's name. */
  name: string
  from: 'default' | 'variant' | 'sweep'
  /** The values of a sweep's point. */
  point: SettingValues
  /** Shared settings, merged. */
  settings: SettingValues
  /** The phases' settings, including the shared ones. */
  phases: Record<Phase, SettingValues>
}

/**
 * The chosen configurations, in order. Settings on the command line override the file's; a variant overrides them.
 * @throws Fatal (usage) for an unknown name
 */
export function configurationsOf(workflow: Workflow, choice: PlanOptions): Configuration[] {
  const base = withGiven(workflow, choice)
  const made = chosenOf(base, choice)
  return choice.prefix === '' ? made : made.map((one) => prefixed(one, choice.prefix))
}

function withGiven(workflow: Workflow, { given: { settings, phases }, model }: PlanOptions): Workflow {
  const asked = model !== undefined && workflow.settings.has('llm_model')
  return {
    ...workflow,
    settings: merged(workflow.settings, new Map(asked ? [['llm_model', model]] : []), settings),
    phases: byPhase((phase) => merged(workflow.phases[phase], phases[phase])),
  }
}

function chosenOf(base: Workflow, choice: PlanOptions): Configuration[] {
  const kinds = [choice.variant.length > 0, choice.allVariants, choice.sweep.length > 0]
  if (kinds.filter(Boolean).length > 1)
    throw usageError('--variant, --all-variants and --sweep do not go together')
  const variants = choice.allVariants ? [...base.variants.keys()] : choice.variant
  if (choice.allVariants && variants.length === 0) throw usageError(`${base.file} has no variants`)
  const none: SettingValues = new Map()
  if (variants.length > 0)
    return variants.map((name) => overlaid(base, name, 'variant', found(base, 'variants', name), none))
  if (choice.sweep.length > 0)
    return choice.sweep.flatMap((name) => {
      const sweep = found(base, 'sweeps', name)
      const fixed = chosen(sweep, (_, value) => !Array.isArray(value))
      return pointsOf(sweep).map((point) => overlaid(base, name, 'sweep', fixed, point))
    })
  return [overlaid(base, 'default', 'default', none, none)]
}

function found(workflow: Workflow, kind: 'variants' | 'sweeps', name: string): SettingValues {
  const settings = workflow[kind].get(name)
  if (settings) return settings
  const names = [...workflow[kind].keys()]
  throw usageError(
    `${workflow.file} has no ${kind.slice(0, -1)} "${name}" (${names.length > 0 ? `there are: ${names.join(', ')}` : 'there are none'})`,
  )
}

/** Merges settings; later ones win: shared, phase, overlay, the overlay's block for the phase, sweep point. */
function overlaid(
  base: Workflow,
  name: string,
  from: Configuration['from'],
  overlay: SettingValues,
  point: SettingValues,
): Configuration {
  const { shared, phases } = settingsOf(overlay)
  return {
    name,
    from,
    point,
    settings: merged(base.settings, shared, point),
    phases: byPhase((phase) => merged(base.settings, base.phases[phase], shared, phases[phase], point)),
  }
}

/** Puts a prefix before each filebase, as AutoJudge does in the settings that it passes on and writes down. */
function prefixed(configuration: Configuration, prefix: string): Configuration {
  const named = (settings: SettingValues) => {
    const filebase = settings.get('filebase') ?? FILEBASE
    return typeof filebase === 'string'
      ? merged(settings, new Map([['filebase', prefix + filebase]]))
      : settings
  }
  return {
    ...configuration,
    settings: named(configuration.settings),
    phases: byPhase((phase) => named(configuration.phases[phase])),
  }
}

/** The default of `filebase`. */
export const FILEBASE = '{_name}'

/** All combinations of the lists at the top of a sweep; the first key varies slowest. */
function pointsOf(sweep: SettingValues): SettingValues[] {
  return [...sweep]
    .filter((entry): entry is [string, Setting[]] => Array.isArray(entry[1]))
    .reduce<SettingValues[]>(
      (points, [key, values]) =>
        points.flatMap((point) => values.map((value) => merged(point, new Map([[key, value]])))),
      [new Map()],
    )
}

/** Replaces each `{name}` in a template by its value. @throws Fatal (configuration) for an unknown name */
export function substitute(template: string, values: SettingValues, what: string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined)
      throw configError(`${what} "${template}": unknown {${name}} (known: ${[...values.keys()].join(', ')})`)
    return settingText(value)
  })
}
