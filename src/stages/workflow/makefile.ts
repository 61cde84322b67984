/**
 * Plans → a Makefile: its targets are the output files, its recipes the pipes.
 *
 * A nugget bank has its inputs after `|`: one that is there is used, however old. Everything else is made
 * again when what it is made from is newer, or when its own step reads otherwise, for which it has a stamp.
 * A `.config.yml` stands after `|`: what it says of other steps makes nothing again.
 */
import type { Plan } from './plan.ts'
import { broken, target } from './quoting.ts'
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
  const rules = new Map<string, Stamped>()
  const phony: Record<'nuggify' | 'qrels' | 'judge', Set<string>> = {
    nuggify: new Set(),
    qrels: new Set(),
    judge: new Set(),
  }
  const banks = new Map<string, string>()
  const add = (rule: Rule) => {
    rules.set(rule.target, { ...rule, stamp: stampFor(rule, inputs) })
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
  for (const { target: path, needs: of, orderOnly, stamp } of rules.values()) {
    needs.set(path, [...of, ...orderOnly])
    if (stamp !== undefined) needs.set(stamp, [])
  }
  return { text: textOf(inputs, all, phases, [...rules.values()]), needs, banks }
}

function textOf(
  inputs: Inputs,
  all: readonly string[],
  phases: readonly (readonly [name: string, paths: readonly string[]])[],
  rules: readonly Stamped[],
): string {
  const plain = namesOf(inputs)
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
    ...(plain.topics === undefined ? [] : wrapped('topics :=', [plain.topics])),
    ...(plain.responses === undefined ? [] : wrapped('responses :=', plain.responses)),
    '',
    '.PHONY: all nuggify qrels judge force',
    ...wrapped('all:', all.map(target)),
    ...phases.flatMap(([name, paths]) => wrapped(`${name}:`, paths.map(target))),
    'force:',
    '',
    ...rules.flatMap((rule) => ruleLines(rule, plain)),
    '# From here on: by which step each file was made. Another model, setting or list of files is another step, whose',
    '# stamp is not there yet, so that the file is made again.',
    ...rules.flatMap(stampLines),
  ].join('\n')
}

/** A rule as a person reads it. @param plain variables that stand for files in it */
function ruleLines(
  { about, target: path, needs, orderOnly, recipe, forced, made }: Rule,
  plain: Names,
): string[] {
  const all = [...(forced ? ['force'] : []), ...named(needs, plain)]
  const order = orderOnly.length > 0 ? ['|', ...named(orderOnly, plain)] : []
  return [
    ...(about === undefined ? [] : [about]),
    ...wrapped(`${target(path)}:`, [...all, ...order]),
    ...recipe.map((line) => `\t${broken(line)}`),
    ...(made === undefined ? [] : ['\t$(made)']),
    '',
  ]
}

/** What a rule has to do with its stamp. */
function stampLines({ target: path, made, stamp }: Stamped): string[] {
  // In a variable # begins a comment.
  if (made !== undefined) return [`${target(path)}: made = ${made.replaceAll('#', '\\#')}`]
  if (stamp === undefined) return []
  return [`${target(path)}: ${target(stamp)}`, `${target(stamp)}:`, `\t${setStamp(stamp)}`]
}

interface Stamped extends Rule {
  stamp?: string
}

/** The variables for the topics and for all files with responses: those whose names make takes as they are. */
type Names = { topics?: string; responses?: readonly string[] }
const PLAIN = /^[\w@+,./-]+$/

function namesOf({ topics, responseFiles }: Inputs): Names {
  return {
    ...(PLAIN.test(topics) && { topics }),
    ...(responseFiles.length > 0 &&
      responseFiles.every((path) => PLAIN.test(path)) && { responses: responseFiles }),
  }
}

/** Files of a rule, with the variables in their place. */
function named(paths: readonly string[], { topics, responses }: Names): string[] {
  const all = responses?.every((path) => paths.includes(path))
  return [
    ...new Set(
      paths.map((path) =>
        path === topics ? '$(topics)' : all && responses!.includes(path) ? '$(responses)' : target(path),
      ),
    ),
  ]
}

/** Words after a name, on lines that stay short. */
function wrapped(name: string, words: readonly string[]): string[] {
  const lines = [name]
  for (const word of words) {
    const last = lines.at(-1)!
    if (last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return [lines.join(' \\\n')]
}

const WIDTH = 110
