/**
 * Plans → a Makefile: an explicit rule for each output file, whose recipe is the pipe that makes it.
 *
 * The inputs of a nugget bank are order-only prerequisites: an existing bank is used, whatever its age. Other files are made
 * again if their inputs are newer or their step has changed. `.config.yml` is order-only, because it also lists the settings of
 * other steps.
 */

import { basename, dirname } from 'node:path'
import { EXIT } from '../../rows/record.ts'
import { inComment, Names, wrapped } from './names.ts'
import type { WorkflowPlan } from './plan.ts'
import { isPlainName, quoted } from './quoting.ts'
import type { Inputs, MakeRule, RuleKind } from './rule.ts'
import { configRule, judgeRules, nuggetRule, qrelsRules, STEP } from './rules.ts'
import type { Needs } from './run.ts'
import { settingText } from './settings.ts'
import { KEEPING, TELLING } from './steps.ts'

interface GeneratedMakefile {
  text: string
  needs: Needs
  /** What make calls a target. */
  goal(target: string): string
}

/** A rule, its plan, and the variable with its step. */
interface PlacedRule {
  rule: MakeRule
  plan: WorkflowPlan
  step: string
}

const PHONY = { nuggify: ['banks'], qrels: ['grades'], judge: ['leaderboards', 'reports'] } as const

/** @returns the text, and the prerequisites of targets @throws Fatal (configuration) for names that a Makefile cannot have */
export function makefile(plans: readonly WorkflowPlan[], inputs: Inputs): GeneratedMakefile {
  const placed = rulesOf(plans, inputs)
  const names = new Names(inputs)
  const made = (...wanted: readonly RuleKind[]) =>
    placed.flatMap(({ rule }) => (wanted.includes(rule.kind) ? rule.target : []))
  const phony = Object.entries(PHONY).map(([name, wanted]) => [name, made(...wanted)] as const)
  const rules = placed.flatMap((one) => ruleLines(one, names, plans.length === 1))
  return {
    text: [
      ...opening(inputs),
      wrapped('runs :=', inputs.responseFiles.map(names.path)),
      "# Further options of every jb-call: make CALL='-j 64 --base-url http://localhost:8000/v1'",
      'CALL ?=',
      '',
      '.PHONY: all nuggify qrels judge force',
      wrapped('all: nuggify qrels judge', made('configs').map(names.path)),
      ...phony.map(([name, paths]) => wrapped(`${name}:`, paths.map(names.path))),
      'force:',
      '',
      ...rules,
      ...linkRules(names, placed),
      KEEPING,
      ...(placed.some(({ rule }) => reportsReuse(rule)) ? [TELLING] : []),
      ...placed.flatMap((one) => keepLines(one, names)),
    ].join('\n'),
    needs: new Map([
      ['all', [...made('configs'), ...phony.flatMap(([, paths]) => paths)]],
      ...phony,
      ...placed.map(({ rule }) => [rule.target, [...rule.needs, ...rule.orderOnly]] as const),
    ]),
    goal: (target) => (placed.some(({ rule }) => rule.target === target) ? names.path(target) : target),
  }
}

/** The rules of all plans, one for each target. */
function rulesOf(plans: readonly WorkflowPlan[], inputs: Inputs): PlacedRule[] {
  const made = new Map<string, PlacedRule>()
  for (const plan of plans) {
    const { create_nuggets: nuggets, create_qrels: qrels, judge } = plan.flags
    for (const rule of [
      configRule(plan, inputs),
      ...(nuggets ? [nuggetRule(plan, inputs)] : []),
      ...(qrels ? qrelsRules(plan, inputs) : []),
      ...(judge ? judgeRules(plan, inputs) : []),
    ])
      if (!made.has(rule.target)) made.set(rule.target, { rule, plan, step: `step${made.size + 1}` })
  }
  return [...made.values()]
}

const opening = ({ workflow, common }: Inputs): string[] => [
  `# Made by jb-workflow${workflow ? ` from ${inComment(basename(workflow))}` : ''}: make -j4 -f THIS runs it.`,
  '# A file that exists is not made again, unless an input or the step that makes it has changed.',
  'SHELL := bash',
  '.SHELLFLAGS := -e -o pipefail -c',
  '.DELETE_ON_ERROR:',
  '.SUFFIXES:',
  'MAKEFLAGS += --no-builtin-rules',
  ...common.map((variable) => `export ${variable}`),
]

/** Rules for the links to inputs. */
function linkRules(names: Names, placed: readonly PlacedRule[]): string[] {
  const made = new Set(placed.map(({ rule }) => names.path(rule.target)))
  const links = [...names.links.keys()].filter((link) => !made.has(link))
  return links.flatMap((link) => [`${link}:`, `\t${names.linking(link)}`, ''])
}

/** A configuration's name for comments, on one line. */
const titleOf = ({ configuration: { name, from, point } }: WorkflowPlan): string =>
  inComment(
    [
      from === 'default' ? 'default' : `${from} ${name}`,
      ...[...point].map(([key, value]) => `${key} ${settingText(value)}`),
    ].join(', '),
  )

/** Whether an existing file is used unchanged, and a changed step only reported. */
const reportsReuse = ({ reused, forced }: MakeRule) => reused === true && !forced

/** The file that records the step of a target. */
const recordOf = (target: string, names: Names): string =>
  names.path(target).replace(/[^/]*$/, (file) => `.jb/${file}`)

/** The rule of a file, and the variable with its step. */
function ruleLines(one: PlacedRule, names: Names, single: boolean): string[] {
  const { rule, plan, step } = one
  const { target, reused } = rule
  const linked = !isPlainName(target)
  const path = names.path(target)
  return [
    `# ${single ? '' : `${titleOf(plan)}: `}${rule.kind === 'configs' ? 'all phases' : rule.phase}: ${rule.about}`,
    `${step} = ${rule.command}`,
    headOf(rule, names),
    `\t@mkdir -p $(@D)${reused ? '/.jb' : ''}${linked ? ` ${quoted(dirname(target))}` : ''} || exit ${EXIT.io}`,
    ...rule.recipe.map((line) => `\t${line.replace(STEP, () => `$(${step})`)}`),
    ...(linked ? [`\t${names.linking(path)}`] : []),
    ...(reused ? [`\t@printf '%s\\n' '$(call text,${dependencies(one, names)})' > $(@D)/.jb/$(@F)`] : []),
    '',
  ]
}

/** The first line of a rule. */
function headOf(rule: MakeRule, names: Names): string {
  const { target, forced, reused } = rule
  const needs = names.needs(rule.needs)
  if (!reused) needs.push(recordOf(target, names))
  if (forced) needs.push('force')
  const order = names.needs(rule.orderOnly)
  if (reportsReuse(rule)) order.push(recordOf(target, names))
  return wrapped(`${names.path(target)}:`, [...needs, ...(order.length > 0 ? ['|', ...order] : [])])
}

/** What a file depends on besides its inputs, as make's variables. */
function dependencies({ rule, step }: PlacedRule, names: Names): string {
  const { command, needs, reused } = rule
  const runs = !reused && names.needs(needs).includes('$(runs)')
  const asks = /jb-call|jb-workflow python/.test(command)
  const model = reused ? '$(usual_model)' : '$(environment)'
  return [`$(${step})`, ...(runs ? ['$(runs)'] : []), ...(asks ? [model] : [])].join(' ')
}

/** The rule that compares the recorded step with the current one. */
function keepLines(one: PlacedRule, names: Names): string[] {
  const { rule } = one
  if (rule.reused && rule.forced) return []
  const how = reportsReuse(rule) ? 'tell' : 'keep'
  return [`${recordOf(rule.target, names)}: force\n\t+$(call ${how},${dependencies(one, names)})\n`]
}
