/**
 * Plans → a Makefile, whose targets are the output files and whose recipes are the pipes.
 *
 * One rule per kind of file serves all configurations, which differ in variables. The inputs of a nugget bank are order-only
 * prerequisites: an existing bank is used, whatever its age. Other files are made again if their inputs are newer or their
 * step has changed. `.config.yml` is order-only, because it also lists the settings of other steps.
 */

import { basename, dirname } from 'node:path'
import { count } from '../../rows/maps.ts'
import { EXIT } from '../../rows/record.ts'
import type { Phase } from './load.ts'
import { titleOf, Variables } from './makefile_variables.ts'
import { type At, inComment, Names, wrapped } from './names.ts'
import type { WorkflowPlan } from './plan.ts'
import { isPlainName, quoted } from './quoting.ts'
import { type Inputs, type MakeRule, type PlannedRule, RULE_KINDS, type RuleKind } from './rule.ts'
import { configRule, judgeRules, nuggetRule, qrelsRules, STEP } from './rules.ts'
import type { Needs } from './run.ts'
import { KEEPING, TELLING } from './steps.ts'

interface GeneratedMakefile {
  text: string
  needs: Needs
  /** What make calls a target. */
  goal(target: string): string
}

const PHONY = { nuggify: ['banks'], qrels: ['grades'], judge: ['leaderboards', 'reports'] } as const

/** @returns the text, and the prerequisites of targets @throws Fatal (configuration) for names that a Makefile cannot have */
export function makefile(plans: readonly WorkflowPlan[], inputs: Inputs): GeneratedMakefile {
  const placed = [...rulesOf(plans, inputs).values()]
  const names = new Names(plans, inputs)
  const kinds = RULE_KINDS.filter((kind) => placed.some(({ rule }) => rule.kind === kind))
  const sections = kinds.map((kind) => {
    const rules = placed.filter(({ rule }) => rule.kind === kind)
    return new Section(kind, rules, names)
  })
  const pattern = (phase: Phase) => sections.every((one) => one.pattern || one.phase !== phase)
  const variables = new Variables(plans, placed, inputs, names, pattern)
  const made = (...wanted: readonly RuleKind[]) =>
    placed.flatMap(({ rule }) => (wanted.includes(rule.kind) ? rule.target : []))
  const phony = Object.entries(PHONY).map(([name, wanted]) => [name, made(...wanted)] as const)
  return {
    text: [
      ...opening(inputs),
      ...variables.lines(),
      '# The files',
      ...sections.map((section) => section.list(variables.names)),
      '',
      '.PHONY: all nuggify qrels judge force',
      'all: $(configs) $(phases)',
      ...Object.entries(PHONY).map(([name, wanted]) =>
        [`${name}:`, ...wanted.filter((kind) => kinds.includes(kind)).map((kind) => `$(${kind})`)].join(' '),
      ),
      'force:',
      '',
      ...sections.flatMap((section) => section.rules(variables)),
      ...linkRules(names, placed),
      KEEPING,
      ...(placed.some(({ rule }) => reportsReuse(rule)) ? [TELLING] : []),
      ...sections.flatMap((section) => section.keeps()),
    ].join('\n'),
    needs: new Map([
      ['all', [...made('configs'), ...phony.flatMap(([, paths]) => paths)]],
      ...phony,
      ...placed.map(({ rule }) => [rule.target, [...rule.needs, ...rule.orderOnly]] as const),
    ]),
    goal: (target) => (placed.some(({ rule }) => rule.target === target) ? names.goal(target) : target),
  }
}

/** Rules for the links to inputs. */
function linkRules(names: Names, placed: readonly PlannedRule[]): string[] {
  const made = new Set(placed.map(({ rule }) => names.path(rule.target)))
  const links = [...names.links.keys()].filter((link) => !made.has(link))
  return links.flatMap((link) => [`${link}:`, `\t${names.linking(link)}`, ''])
}

/** Rules by target, one for each. */
function rulesOf(plans: readonly WorkflowPlan[], inputs: Inputs): Map<string, PlannedRule> {
  const all = plans.flatMap((plan) => {
    const { create_nuggets: nuggets, create_qrels: qrels, judge } = plan.flags
    return [
      configRule(plan),
      ...(nuggets ? [nuggetRule(plan, inputs)] : []),
      ...(qrels ? qrelsRules(plan, inputs) : []),
      ...(judge ? judgeRules(plan, inputs) : []),
    ].map((rule) => ({ rule, plan }))
  })
  const made = new Map<string, PlannedRule>()
  for (const one of all) if (!made.has(one.rule.target)) made.set(one.rule.target, one)
  return made
}

const opening = ({ workflow, common }: Inputs): string[] => [
  `# Made by jb-workflow${workflow ? ` from ${inComment(basename(workflow))}` : ''}: make -j4 -f THIS runs it.`,
  '# A file that exists is not made again, unless an input or a value below that it depends on has changed.',
  'SHELL := bash',
  '.SHELLFLAGS := -e -o pipefail -c',
  '.DELETE_ON_ERROR:',
  '.SUFFIXES:',
  'MAKEFLAGS += --no-builtin-rules',
  ...common.map((variable) => `export ${variable}`),
]

/** Whether an existing file is used unchanged, and a changed step only reported. */
const reportsReuse = ({ reused, forced }: MakeRule) => reused === true && !forced

/** The parts of a Makefile for one kind of file. */
class Section {
  private readonly kind: RuleKind
  private readonly placed: readonly PlannedRule[]
  private readonly names: Names
  readonly phase: Phase
  /** Whether one pattern rule makes all files. */
  readonly pattern: boolean
  /** Whether the files have different steps. */
  private readonly own: boolean
  /** The number of files that need a path, by its name in the pattern. */
  private readonly counts = new Map<string, number>()

  constructor(kind: RuleKind, placed: readonly PlannedRule[], names: Names) {
    this.kind = kind
    this.placed = placed
    this.names = names
    this.phase = placed[0]!.rule.phase
    const texts = placed.map(({ rule, plan }) => {
      const at = names.of(plan, rule.phase, '%')
      for (const path of new Set([...rule.needs, ...rule.orderOnly].map(at))) count(this.counts, path)
      const stem = names.stem(plan, rule.phase)
      return stem && [at(rule.target), rule.step.command, rule.recipe].join('\n')
    })
    this.pattern = texts[0] !== undefined && texts.every((text) => text === texts[0])
    this.own = placed.some(({ rule }) => rule.step.command !== placed[0]!.rule.step.command)
  }

  /** The variable with all files. @param all the value of `$(names)` */
  list(all: readonly string[]): string {
    const { kind, placed, names } = this
    const [{ rule, plan }] = placed as [PlannedRule]
    const stems = placed.map((one) => names.stem(one.plan, rule.phase))
    if (this.pattern && stems.join('\n') === all.join('\n'))
      return `${kind} := $(names:%=${names.of(plan, rule.phase, '%')(rule.target)})`
    return wrapped(
      `${kind} :=`,
      placed.map(({ rule: { target } }) => names.path(target)),
    )
  }

  /** The first line of a rule; a pattern rule has only the prerequisites that all files share. */
  private head({ rule, plan }: PlannedRule, at: At, list = ''): string {
    const { target, forced, reused } = rule
    const wanted = (paths: readonly string[]) => (list ? paths.filter((path) => this.all(plan, path)) : paths)
    const all = this.names.needs(wanted(rule.needs), at)
    if (!reused) all.push(this.stepName(target, at))
    if (forced) all.push('force')
    const order = this.names.needs(wanted(rule.orderOnly), at)
    if (reportsReuse(rule)) order.push(this.stepName(target, at))
    return wrapped(`${list}${at(target)}:`, [...all, ...(order.length > 0 ? ['|', ...order] : [])])
  }

  /** Whether every file of the kind needs this path of the plan. */
  private all(plan: WorkflowPlan, path: string): boolean {
    return this.counts.get(this.names.of(plan, this.phase, '%')(path)) === this.placed.length
  }

  /** The other prerequisites of a file in a pattern rule. */
  private others({ rule, plan }: PlannedRule): string[] {
    const own = (paths: readonly string[]) =>
      this.names.needs(
        paths.filter((path) => !this.all(plan, path)),
        this.names.path,
      )
    const [needs, order] = [own(rule.needs), own(rule.orderOnly)]
    const all = [...needs, ...(order.length > 0 ? ['|', ...order] : [])]
    return all.length === 0 ? [] : [wrapped(`${this.names.path(rule.target)}:`, all)]
  }

  /** The file that records the step of a target. */
  private stepName(target: string, at: At): string {
    return at(target).replace(/[^/]*$/, (file) => `.jb/${file}`)
  }

  /** The pattern rule, or a rule for each file. */
  rules(variables: Variables): string[] {
    if (!this.pattern) return this.placed.flatMap((one) => this.rule(one, variables))
    const others = this.placed.flatMap((one) => this.others(one))
    return [...this.rule(this.placed[0]!, variables, '%'), ...others, ...(others.length > 0 ? [''] : [])]
  }

  private rule(one: PlannedRule, variables: Variables, mark?: '%'): string[] {
    const { names, kind } = this
    const { rule, plan } = one
    const at = mark ? names.of(plan, rule.phase, mark) : names.path
    const { name, command } = rule.step
    const linked = !isPlainName(rule.target)
    return [
      ...(mark || variables.single ? [] : [`# ${titleOf(plan)}`]),
      `# ${kind === 'configs' ? 'all phases' : rule.phase}: ${rule.about}`,
      ...(command === undefined
        ? []
        : [`${this.own ? `${at(rule.target)}: ` : ''}${name} = ${variables.text(command)}`]),
      this.head(one, at, mark ? `$(${kind}): ` : ''),
      `\t@mkdir -p $(@D)${rule.reused ? '/.jb' : ''}${linked ? ` ${quoted(dirname(rule.target))}` : ''} || exit ${EXIT.io}`,
      ...rule.recipe.map(
        (line) => `\t${this.real(line, rule).replace(STEP, `$(${name})`).replaceAll('\n', '\n\t')}`,
      ),
      ...(linked ? [`\t${names.linking(at(rule.target))}`] : []),
      ...(rule.reused
        ? [`\t@printf '%s\\n' '$(call text,${this.dependencies(rule)})' > $(@D)/.jb/$(@F)`]
        : []),
      '',
    ]
  }

  /** A line of a recipe with the files' own names in the place of links. */
  private real(line: string, { target, needs }: MakeRule): string {
    const named = isPlainName(target) ? line : line.replaceAll('$@', () => this.names.word(target))
    const [first] = needs
    return first === undefined || isPlainName(first)
      ? named
      : named.replaceAll('$<', () => this.names.word(first))
  }

  /** Variables on which the files depend, besides their inputs. */
  private dependencies({ step: { name, command }, needs, reused }: MakeRule): string {
    const asks = command !== undefined && /jb-call|jb-workflow python/.test(command)
    const runs = !reused && this.names.needs(needs, this.names.path).includes('$(runs)')
    const model = reused ? '$(usual_model)' : '$(environment)'
    return [`$(${name})`, ...(runs ? ['$(runs)'] : []), ...(asks ? [model] : [])].join(' ')
  }

  /** Rules that compare recorded steps with the current ones. */
  keeps(): string[] {
    const { placed, names } = this
    const [{ rule, plan }] = placed as [PlannedRule]
    if (rule.reused && rule.forced) return []
    const keep = `: force\n\t+$(call ${reportsReuse(rule) ? 'tell' : 'keep'},${this.dependencies(rule)})\n`
    if (!this.pattern) return placed.map((one) => this.stepName(one.rule.target, names.path) + keep)
    const step = this.stepName(rule.target, names.of(plan, rule.phase, '%'))
    return [`$(patsubst ${names.before}%,${names.before}.jb/%,$(${this.kind})): ${step}${keep}`]
  }
}
