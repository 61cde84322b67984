/** A workflow's configurations: the default, variants, and points of sweeps. */

import { assignment } from '../../options/option.ts'
import { pythonStr, type Exact as Value } from '../../python/json.ts'
import { readFloat } from '../../python/numbers.ts'
import { configError, usageError } from '../../rows/record.ts'
import { byPhase, type Phase, readBoolean, type SettingValues, settingsOf, type Workflow } from './load.ts'
import type { PlanOptions } from './options.ts'

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
  const base: Workflow = {
    ...workflow,
    settings: { ...workflow.settings, ...parseSettings(choice.set, '--set') },
    phases: byPhase((phase) => ({
      ...workflow.phases[phase],
      ...parseSettings(choice.setPhase[phase], `--set-${phase}`),
    })),
  }
  const kinds = [choice.variant.length > 0, choice.allVariants, choice.sweep.length > 0]
  if (kinds.filter(Boolean).length > 1)
    throw usageError('--variant, --all-variants and --sweep do not go together')
  const variants = choice.allVariants ? Object.keys(workflow.variants) : choice.variant
  if (choice.allVariants && variants.length === 0) throw usageError(`${workflow.file} has no variants`)
  if (variants.length > 0)
    return variants.map((name) => overlaid(base, name, 'variant', found(workflow, 'variants', name), {}))
  if (choice.sweep.length > 0)
    return choice.sweep.flatMap((name) => {
      const sweep = found(workflow, 'sweeps', name)
      const fixed = Object.fromEntries(Object.entries(sweep).filter(([, value]) => !Array.isArray(value)))
      return pointsOf(sweep).map((point) => overlaid(base, name, 'sweep', fixed, point))
    })
  return [overlaid(base, 'default', 'default', {}, {})]
}

function found(workflow: Workflow, kind: 'variants' | 'sweeps', name: string): SettingValues {
  const settings = Object.hasOwn(workflow[kind], name) ? workflow[kind][name] : undefined
  if (settings) return settings
  const names = Object.keys(workflow[kind])
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
    settings: { ...base.settings, ...shared, ...point },
    phases: byPhase((phase) => ({
      ...base.settings,
      ...base.phases[phase],
      ...shared,
      ...phases[phase],
      ...point,
    })),
  }
}

/** All combinations of the lists at the top of a sweep; the first key varies slowest. */
function pointsOf(sweep: SettingValues): SettingValues[] {
  return Object.entries(sweep)
    .filter((entry): entry is [string, Value[]] => Array.isArray(entry[1]))
    .reduce<SettingValues[]>(
      (points, [key, values]) =>
        points.flatMap((point) => values.map((value) => ({ ...point, [key]: value }))),
      [{}],
    )
}

/** Parses KEY=VALUE; a value is an integer, a float, a boolean, or else a string. @throws Fatal (usage) */
function parseSettings(given: readonly string[], option: string): SettingValues {
  const pairs = given.map((text) => assignment(text, option, 'KEY=VALUE'))
  return Object.fromEntries(pairs.map(([key, value]) => [key, typed(value)]))
}

function typed(text: string): Value {
  if (/^[+-]?\d+(_\d+)*$/.test(text)) return BigInt(text.replaceAll('_', '').replace(/^\+/, ''))
  const number = readFloat(text)
  if (number !== undefined) return number
  return /^(true|false|yes|no)$/i.test(text) ? readBoolean(text)! : text
}

/** Replaces each `{name}` in a template by its value. @throws Fatal (configuration) for an unknown name */
export function substitute(template: string, values: SettingValues, what: string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name))
      throw configError(`${what} "${template}": unknown {${name}} (known: ${Object.keys(values).join(', ')})`)
    return pythonStr(values[name]!)
  })
}
