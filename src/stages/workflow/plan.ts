/**
 * What each configuration runs, and which files it makes. Defaults are AutoJudge's: nuggets and qrels are made if something
 * uses them. With `--compat seed` they are those of its first generation: judge only.
 */

import { configError, usageError } from '../../rows/record.ts'
import { type Configuration, configurationsOf, FILEBASE, substitute } from './configurations.ts'
import { filesOf, placed, type WorkflowFiles, withEnding } from './files.ts'
import type { PhaseJudge } from './judges.ts'
import { byPhase, type Flag, PHASES, type Phase, type Workflow } from './load.ts'
import type { PlanOptions } from './options.ts'
import { flagsOf, judgesOf, optionalPhases, runningPhases } from './phases.ts'
import { checkName } from './quoting.ts'
import { chosen, merged, type Setting, type SettingValues, settingJson, settingText } from './settings.ts'
import { CONSUMED, checkSettings, isTaken } from './unused.ts'

export interface WorkflowPlan {
  configuration: Configuration
  flags: Record<Flag, boolean>
  /** Phases that run by default, for which a Python class need not have a method. */
  optional: readonly Phase[]
  judges: Record<Phase, PhaseJudge>
  files: WorkflowFiles
  /** The bank to which nuggets are added, and the one that the judge gets. */
  startBank?: string
  bank?: string
  /** The qrels that the judge gets. */
  qrels?: string
  /** Settings of each phase's judge, without those for jb-workflow itself. */
  given: Record<Phase, SettingValues>
  model?: string
  seed: boolean
  /** The output directory, and each phase's filebase. */
  outDir: string
  bases: Record<Phase, string>
}

/** Plans the chosen configurations. @throws Fatal (configuration, usage) */
export async function plansOf(workflow: Workflow, options: PlanOptions): Promise<WorkflowPlan[]> {
  const judges = await judgesOf(workflow, options)
  const flags = flagsOf(workflow, options, judges)
  const configurations = configurationsOf(workflow, options)
  for (const { from, name } of configurations) {
    const overlay = from === 'default' ? undefined : { kind: `${from}s` as const, name }
    for (const note of checkSettings(workflow, overlay, options, judges, runningPhases(flags)))
      if (!workflow.notes.includes(note)) workflow.notes.push(note)
  }
  const made = (suffixed: readonly Phase[]) =>
    configurations.map((one) => planOf(workflow, options, one, flags, judges, suffixed))
  let plans = made([])
  const suffixed = sharedNames(plans)
  if (suffixed.length > 0) {
    workflow.notes.push(
      `${workflow.file}: several configurations have the same filebase: the settings in which they differ are added to the file names`,
    )
    plans = made(suffixed)
  }
  if (plans.length > 1 && (options.storeNuggets ?? options.output) !== undefined)
    throw usageError(`one output file cannot be named for ${plans.length} configurations: use filebase`)
  refuseCollisions(plans, workflow)
  refuseRepeats(plans, workflow)
  return plans
}

function planOf(
  workflow: Workflow,
  options: PlanOptions,
  configuration: Configuration,
  flags: Record<Flag, boolean>,
  judges: Record<Phase, PhaseJudge>,
  suffixed: readonly Phase[],
): WorkflowPlan {
  const { phases } = configuration
  const { bases, variables } = filebases(workflow, options, configuration, suffixed)
  const at = (path: string) => placed(path, options.outDir)
  const path = (phase: 'nugget' | 'qrels', use: 'input' | 'output') => {
    const key = `${phase}_${use}` as const
    const given = options.given.paths[key]
    const template = given ?? workflow.paths[key]
    if (template === undefined) return undefined
    const made = substitute(template, variables[phase], `${workflow.file}: ${key}`)
    // An input that the command line names is where the user is.
    if (use === 'input') return given === undefined ? at(made) : made
    return at(withEnding(made, phase === 'nugget' ? 'nuggets' : 'qrels'))
  }
  const { outDir, seed, output } = options
  const files = filesOf(bases, { outDir, seed, output })
  files.nuggets = path('nugget', 'output') ?? files.nuggets
  if (options.storeNuggets !== undefined) files.nuggets = at(withEnding(options.storeNuggets, 'nuggets'))
  files.qrels = path('qrels', 'output') ?? files.qrels
  const startBank = options.nuggetBanks ?? path('nugget', 'input')
  const bank = flags.create_nuggets ? files.nuggets : startBank
  if (flags.judge && judges.judge.eachNugget && (!bank || !flags.judge_uses_nuggets))
    throw configError(
      `${workflow.file}: the judge ${judges.judge.name} is asked once for each nugget, but gets no bank: set create_nuggets: true, give --nugget-banks FILE, or choose another judge (--judge relevance)`,
    )
  const model = configuration.settings.get('llm_model')
  return {
    configuration,
    flags,
    optional: optionalPhases(workflow, options),
    judges,
    files,
    startBank,
    bank,
    qrels: flags.create_qrels ? files.qrels : path('qrels', 'input'),
    given: byPhase((phase) => givenSettings(phases[phase], variables[phase], judges[phase], options.seed)),
    ...(typeof model === 'string' && { model }),
    seed: options.seed,
    outDir: options.outDir,
    bases,
  }
}

/** Each phase's filebase, and what templates of its files may name. @throws Fatal (configuration) */
function filebases(
  workflow: Workflow,
  options: PlanOptions,
  configuration: Configuration,
  suffixed: readonly Phase[],
): { bases: Record<Phase, string>; variables: Record<Phase, SettingValues> } {
  const { name, phases } = configuration
  const variables = byPhase((): SettingValues => new Map())
  const bases = byPhase(() => '')
  const known: SettingValues = new Map([['_name', name]])
  for (const phase of PHASES) {
    variables[phase] = merged(phases[phase], known)
    const template = phases[phase].get('filebase') ?? FILEBASE
    if (typeof template !== 'string')
      throw configError(`${workflow.file}: filebase must be a string, not ${settingText(template)}`)
    const where = `${workflow.file}: filebase`
    const base = substitute(template, variables[phase], where)
    checkName(base, `${where} "${template}"`)
    if (base === '') throw configError(`${workflow.file}: filebase is empty: the files would have no name`)
    bases[phase] = base + (suffixed.includes(phase) ? suffixOf(configuration, template) : '')
    // A phase's output that has a name of its own takes the filebase's place.
    const key = phase === 'judge' ? undefined : (`${phase}_output` as const)
    const output = key && (options.given.paths[key] ?? workflow.paths[key])
    known.set(
      `_${phase}_filebase`,
      output === undefined ? bases[phase] : substitute(output, variables[phase], `${workflow.file}: ${key}`),
    )
  }
  // The first generation's qrels are those of judge(), and --output names the beginning of its files.
  if (options.seed) bases.judge = options.output ?? bases.judge
  if (options.seed) bases.qrels = bases.judge
  return { bases, variables }
}

/** The settings of a phase's judge. `seed` replaces `{name}` in all strings, as AutoJudge's first guide says. */
function givenSettings(
  settings: SettingValues,
  variables: SettingValues,
  judge: PhaseJudge,
  seed: boolean,
): SettingValues {
  const own = chosen(settings, (key) => !CONSUMED.includes(key) && isTaken(key, judge))
  return seed ? filled(own, variables) : own
}

/** Settings with each known `{name}` of their strings replaced. */
export const filled = (settings: SettingValues, variables: SettingValues): SettingValues =>
  new Map([...settings].map(([key, value]) => [key, filledValue(value, variables)]))

function filledValue(value: Setting, variables: SettingValues): Setting {
  if (value instanceof Map) return filled(value, variables)
  if (Array.isArray(value)) return value.map((one) => filledValue(one, variables))
  if (typeof value !== 'string') return value
  return value.replace(/\{(\w+)\}/g, (whole, name: string) =>
    variables.has(name) ? settingText(variables.get(name)!) : whole,
  )
}

/** The phases in which configurations would write the same file. */
const sharedNames = (plans: readonly WorkflowPlan[]): Phase[] => {
  const suffixed = collisions(plans).filter(({ plan, before }) => plan !== before.plan)
  return PHASES.filter((phase) => suffixed.some(({ what }) => phaseOf(what) === phase))
}

/** A suffix for file names: the variant's name, the point's values. */
function suffixOf({ name, from, point }: Configuration, template: string): string {
  const named = from !== 'default' && !template.includes('{_name}') ? [name] : []
  const values = [...point]
    .filter(([key]) => !template.includes(`{${key}}`))
    .map(([key, value]) => `${key}${settingText(value)}`)
  return [...named, ...values].map((one) => `-${one.replace(/[^\w.+-]+/g, '-')}`).join('')
}

/** The files that a plan writes, by kind. @param possible also those that a Python judge may write */
export function outputsOf(
  { files, flags, judges }: WorkflowPlan,
  possible = false,
): [what: string, path: string][] {
  const written = [
    ['config', true],
    ['nuggets', flags.create_nuggets],
    ['qrels', flags.create_qrels || (possible && flags.judge && judges.judge.kind === 'python')],
    ['leaderboard', flags.judge],
    ['responses', flags.judge && flags.augment_report],
  ] as const
  return written.flatMap(([what, made]) => (made ? [[what, files[what]]] : []))
}

const phaseOf = (what: string): Phase =>
  what === 'nuggets' ? 'nugget' : what === 'qrels' ? 'qrels' : 'judge'

interface Collision {
  what: string
  path: string
  plan: WorkflowPlan
  before: { what: string; plan: WorkflowPlan }
}

/** Outputs that would overwrite others. Equal banks and grades are made once and do not collide. */
function collisions(plans: readonly WorkflowPlan[]): Collision[] {
  const writers = new Map<string, { what: string; plan: WorkflowPlan }>()
  return plans.flatMap((plan) =>
    outputsOf(plan, true).flatMap(([what, path]) => {
      const before = writers.get(path)
      if (!before) writers.set(path, { what, plan })
      const made = before?.what === what ? makes(plan, what) : undefined
      const same = made !== undefined && made === makes(before!.plan, what)
      return before && !same ? { what, path, plan, before } : []
    }),
  )
}

function refuseCollisions(plans: readonly WorkflowPlan[], { file }: Workflow): void {
  const [first] = collisions(plans)
  if (!first) return
  const { what, path, plan, before } = first
  if (before.plan === plan)
    throw configError(
      `${file}: the ${before.what} and the ${what} of "${plan.configuration.name}" would both be ${path}: change filebase`,
    )
  const varies = [...plan.configuration.point.keys()]
  const hint = `{_name}${varies.map((key) => `-${key.replaceAll('_', '-')}{${key}}`).join('')}`
  throw configError(
    `${file}: ${titled(before.plan)} and ${titled(plan)} would both write ${path}: give them different names, for example with filebase: "${hint}"`,
  )
}

/** Everything that a bank or grades depend on; undefined for other outputs. */
function makes(plan: WorkflowPlan, what: string): string | undefined {
  const { given, configuration, startBank, bank, flags } = plan
  const phase = phaseOf(what)
  if (phase === 'judge' || (phase === 'qrels' && !flags.create_qrels)) return undefined
  const model = configuration.settings.get('llm_model') ?? null
  return JSON.stringify([settingJson(given[phase]), settingJson(model), startBank, bank])
}

/** Refuses configurations that differ in settings without effect alone: they would be one run under two names. */
function refuseRepeats(plans: readonly WorkflowPlan[], { file }: Workflow): void {
  const seen = new Map<string, WorkflowPlan>()
  for (const plan of plans) {
    const { configuration, flags, given, startBank, qrels } = plan
    const running = runningPhases(flags)
    const effective = running.map((phase) => [
      settingJson(given[phase]),
      configuration.phases[phase].get('on_missing_evals'),
    ])
    const key = JSON.stringify([
      effective,
      configuration.settings.get('llm_model'),
      startBank,
      flags.create_qrels || qrels,
    ])
    const before = seen.get(key)
    seen.set(key, plan)
    if (before && running.some((phase) => said(before, phase) !== said(plan, phase)))
      throw configError(
        `${file}: ${titled(before)} and ${titled(plan)} would be the same run: the settings in which they differ have no effect`,
      )
  }
}

/** What a configuration says to a phase's judge, with or without effect. */
const said = ({ configuration }: WorkflowPlan, phase: Phase) =>
  settingJson(chosen(configuration.phases[phase], (key) => key !== 'filebase'))

const titled = ({ configuration: { name, point } }: WorkflowPlan) =>
  point.size === 0
    ? `"${name}"`
    : `"${name}" (${[...point].map(([key, value]) => `${key} ${settingText(value)}`).join(', ')})`
