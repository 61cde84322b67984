/**
 * Plans → a Makefile: its targets are the output files, its recipes the pipes.
 *
 * A nugget bank has its inputs behind `|`: one that is there is used, however old. Everything else is made
 * again when what it is made from is newer, or when its own step reads otherwise, for which it has a stamp.
 * A `.config.yml` stands behind `|`: what it says of other steps makes nothing again.
 */
import type { Plan } from './plan.ts'
import { target } from './quoting.ts'
import type { Inputs, Rule } from './rule.ts'
import { configRule, judgeRules, nuggetRule, qrelsRules, stampFor } from './rules.ts'
import { setStamp } from './stamps.ts'
import type { Needs } from './targets.ts'

export interface Made {
  text: string
  needs: Needs
  /** Banks that are used where they are there, with their stamps. */
  banks: ReadonlyMap<string, string>
}

/** The Makefile's text, and what it makes from what. */
export function makefile(plans: readonly Plan[], inputs: Inputs): Made {
  const rules = new Map<string, Rule>()
  const phony: Record<'nuggify' | 'qrels' | 'judge', Set<string>> = {
    nuggify: new Set(),
    qrels: new Set(),
    judge: new Set(),
  }
  const banks = new Map<string, string>()
  const add = (rule: Rule) => {
    for (const one of stamped(rule, inputs)) rules.set(one.target, one)
    return rule.target
  }
  for (const plan of plans) {
    const { files, flags } = plan
    add(configRule(plan, inputs))
    if (flags.create_nuggets) {
      const { rule, stamp } = nuggetRule(plan, inputs)
      rules.set(rule.target, rule)
      phony.nuggify.add(rule.target)
      if (!rule.forced) banks.set(rule.target, stamp)
    }
    if (flags.create_qrels) for (const rule of qrelsRules(plan, inputs)) phony.qrels.add(add(rule))
    if (flags.judge) for (const rule of judgeRules(plan, inputs)) phony.judge.add(add(rule))
    for (const made of Object.values(phony))
      for (const path of Object.values(files.replies)) made.delete(path)
  }
  const phases = Object.entries(phony).map(([name, paths]) => [name, [...paths]] as const)
  const all = [...plans.map(({ files }) => files.config), ...phases.flatMap(([, paths]) => paths)]
  const needs = new Map<string, readonly string[]>([['all', all], ...phases])
  for (const rule of rules.values()) needs.set(rule.target, [...rule.needs, ...rule.orderOnly])
  return { text: textOf(inputs, all, phases, [...rules.values()]), needs, banks }
}

function textOf(
  inputs: Inputs,
  all: readonly string[],
  phases: readonly (readonly [name: string, paths: readonly string[]])[],
  rules: readonly Rule[],
): string {
  const list = (paths: readonly string[]) => paths.map(target).join(' ')
  return [
    `# Made by jb-workflow${inputs.workflow ? ` from ${inputs.workflow.replace(/[^\x20-\x7e]/g, '?').replaceAll('$', '$$$$')}` : ''}: make -j4 -f THIS runs it, and what is there is not made again.`,
    'SHELL := bash',
    '.SHELLFLAGS := -e -o pipefail -c',
    '.DELETE_ON_ERROR:',
    '.SUFFIXES:',
    'MAKEFLAGS += --no-builtin-rules',
    'equals := =',
    '',
    "# Further options of every jb-call: make CALL='-j 64 --base-url http://localhost:8000/v1'",
    'CALL ?=',
    '',
    '.PHONY: all nuggify qrels judge force',
    `all: ${list(all)}`,
    ...phases.map(([name, paths]) => `${name}: ${list(paths)}`.trimEnd()),
    'force:',
    '',
    ...rules.flatMap(ruleLines),
  ].join('\n')
}

/** A rule, and before it that of the stamp by which it is made again when its step changes. */
function stamped(rule: Rule, inputs: Inputs): Rule[] {
  const stamp = stampFor(rule, inputs)
  return [
    { target: stamp, needs: [], orderOnly: [], recipe: [setStamp(stamp)] },
    { ...rule, needs: [...rule.needs, stamp] },
  ]
}

function ruleLines({ target: path, needs, orderOnly, recipe, forced }: Rule): string[] {
  const all = [...(forced ? ['force'] : []), ...needs]
  const order = orderOnly.length > 0 ? ` | ${orderOnly.map(target).join(' ')}` : ''
  return [
    `${target(path)}:${all.map((need) => ` ${target(need)}`).join('')}${order}`,
    ...recipe.map((line) => `\t${line}`),
    '',
  ]
}
