/**
 * Plans → a Makefile: its targets are the output files, its recipes the pipes.
 *
 * A nugget bank has its inputs behind `|`: one that is there is used, however old. Everything else is made
 * again when what it is made from is newer, or when its own step reads otherwise, for which it has a stamp.
 * A `.config.yml` stands behind `|`: what it says of other steps makes nothing again.
 */
import { configContent } from './config_file.ts'
import type { Phase } from './load.ts'
import type { Plan } from './plan.ts'
import { folders, into, option, quoted, recipeLine, sets, target, variable, words } from './quoting.ts'
import { setStamp, stampOf } from './stamps.ts'
import type { Needs } from './targets.ts'

export interface Inputs {
  workflow?: string
  topics: string
  /** As given, and the files in it. */
  responses?: string
  responseFiles: readonly string[]
  topicFilter: readonly string[]
  runFilter: readonly string[]
  leaderboardFormat: string
  /** Options of every jb-call: model, endpoint. */
  model?: string
  callOptions: readonly string[]
  /** NAME=VALUE of the environment, which every jb-call reads as well. */
  environment: readonly string[]
  bankFormat?: string
}

interface Rule {
  target: string
  needs: string[]
  orderOnly: string[]
  recipe: string[]
  /** Made again whatever is there. */
  forced?: boolean
}

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
    `# Made by jb-workflow${inputs.workflow ? ` from ${inputs.workflow}` : ''}: make -j4 -f THIS runs it, and what is there is not made again.`,
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

const REFRESH = '--refresh'

/** A rule's stamp. What asks anew is left out of it: that changes replies, not what they are replies to. */
function stampFor({ target: path, needs, recipe }: Rule, { environment }: Inputs): string {
  const lines = recipe.map((line) => line.replace(` ${REFRESH}`, ''))
  const asks = lines.some((line) => line.includes('jb-call'))
  return stampOf(path, [...needs, ...lines, ...(asks ? environment : [])])
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
    ...recipe.map((line) => `\t${recipeLine(line)}`),
    '',
  ]
}

/** What jb-read makes items of, for a judge of this kind. */
function readPart(plan: Plan, inputs: Inputs, phase: Phase): string {
  const { flags, judges } = plan
  const per = phase === 'nugget' ? 'topic' : judges[phase].kind === 'pairwise' ? 'pair' : 'response'
  const responses = phase !== 'nugget' || flags.nugget_depends_on_responses
  const bank = phase === 'nugget' ? plan.startBank : usesBank(plan, phase) ? plan.bank : undefined
  return words(
    'jb-read autojudge',
    option('topics', inputs.topics),
    responses && option('responses', inputs.responses),
    per !== 'response' && `--per ${per}`,
    option('nuggets', bank),
    bank !== undefined && option('bank', inputs.bankFormat),
    phase === 'judge' && flags.judge_uses_qrels && option('qrels', plan.qrels),
    phase === 'judge' && flags.augment_report && '--whole',
    ...inputs.topicFilter.map((topic) => option('topic', topic)),
    ...inputs.runFilter.map((run) => option('run', run)),
  )
}

function usesBank(plan: Plan, phase: Phase): boolean {
  if (plan.bank === undefined) return false
  return phase === 'judge' ? plan.flags.judge_uses_nuggets : plan.flags.qrels_uses_nuggets
}

/** From items to replies. */
function askPart(plan: Plan, inputs: Inputs, phase: Phase, forced = false): string {
  const model = modelOf(plan, inputs, phase)
  return [
    words('jb-render', quoted(plan.judges[phase].name), ...sets(plan.given[phase])),
    words('jb-call', option('model', model), ...inputs.callOptions, forced && REFRESH, variable('(CALL)')),
  ].join(' | ')
}

/** A configuration's `llm_model` counts before the command's. */
function modelOf(plan: Plan, inputs: Inputs, phase: Phase): string | undefined {
  const { llm_model: own } = plan.configuration.phases[phase]
  return typeof own === 'string' ? own : inputs.model
}

const judgeFiles = (plan: Plan, phase: Phase) => plan.judges[phase].file ?? []

/** Topics that the outputs are checked against: not those left out on purpose. */
const expected = (inputs: Inputs) => inputs.topicFilter.length === 0 && option('topics', inputs.topics)

function configRule(plan: Plan, inputs: Inputs): Rule {
  return {
    target: plan.files.config,
    needs: [],
    orderOnly: [],
    recipe: [
      ...folders(plan.files.config),
      `jb-workflow config ${quoted(plan.files.config)} ${quoted(JSON.stringify(configContent(plan, modelOf(plan, inputs, 'judge'))))}`,
    ],
  }
}

/** A bank has its stamp set with it and does not depend on it: it is used, however it was made. */
function nuggetRule(plan: Plan, inputs: Inputs): { rule: Rule; stamp: string } {
  const { files, flags } = plan
  const responses = flags.nugget_depends_on_responses ? inputs.responseFiles : []
  const start = plan.startBank === undefined ? [] : [plan.startBank]
  const forced = flags.force_recreate_nuggets
  const rule: Rule = {
    target: files.nuggets,
    needs: [],
    orderOnly: [inputs.topics, ...responses, ...start, ...[judgeFiles(plan, 'nugget')].flat(), files.config],
    recipe: [
      ...folders(files.nuggets),
      words(
        `${readPart(plan, inputs, 'nugget')} | ${askPart(plan, inputs, 'nugget', forced)} | tee ${quoted(files.replies.nugget)}`,
        '| jb-parse | jb-score --as nuggets',
        expected(inputs),
        option('bank', inputs.bankFormat),
        into(files.nuggets),
      ),
    ],
    forced,
  }
  const stamp = stampFor(rule, inputs)
  return { rule: { ...rule, recipe: [...rule.recipe, setStamp(stamp)] }, stamp }
}

/** The replies to a phase's questions: a file of their own, so that nothing behind them is paid for again. */
function repliesRule(plan: Plan, inputs: Inputs, phase: Phase): Rule {
  const { files, flags } = plan
  const forced = phase === 'qrels' && flags.force_recreate_qrels
  return {
    target: files.replies[phase],
    needs: [
      inputs.topics,
      ...inputs.responseFiles,
      ...(usesBank(plan, phase) ? [plan.bank!] : []),
      ...(phase === 'judge' && flags.judge_uses_qrels && plan.qrels !== undefined ? [plan.qrels] : []),
      ...[judgeFiles(plan, phase)].flat(),
    ],
    orderOnly: [files.config],
    recipe: [
      ...folders(files.replies[phase]),
      `${readPart(plan, inputs, phase)} | ${askPart(plan, inputs, phase, forced)} ${into(files.replies[phase])}`,
    ],
    forced,
  }
}

function reportPart(plan: Plan, inputs: Inputs, phase: Phase, format: string, path: string): string {
  const missing = plan.configuration.phases[phase].on_missing_evals
  return words(
    'jb-aggregate --as',
    format,
    expected(inputs),
    typeof missing === 'string' && option('on-missing', missing),
    ...sets(plan.given[phase]),
    '-o',
    quoted(path),
  )
}

function judgeRules(plan: Plan, inputs: Inputs): Rule[] {
  const { files, flags, judges } = plan
  const board = reportPart(plan, inputs, 'judge', inputs.leaderboardFormat, files.leaderboard)
  if (judges.judge.kind === 'none')
    return [
      {
        target: files.leaderboard,
        needs: [inputs.topics, ...inputs.responseFiles],
        orderOnly: [files.config],
        recipe: [
          ...folders(files.leaderboard),
          `${readPart(plan, inputs, 'judge')} | ${board} --measure LENGTH --measure RANDOM`,
        ],
      },
    ]
  const from = (path: string, recipe: string): Rule => ({
    target: path,
    needs: [files.replies.judge, inputs.topics],
    orderOnly: [files.config],
    recipe: [...folders(path), recipe],
  })
  const parse = `jb-parse ${quoted(files.replies.judge)}`
  return [
    repliesRule(plan, inputs, 'judge'),
    from(files.leaderboard, `${parse} | ${board}`),
    ...(flags.augment_report
      ? [from(files.responses, `${parse} | jb-score --as responses ${into(files.responses)}`)]
      : []),
  ]
}

function qrelsRules(plan: Plan, inputs: Inputs): Rule[] {
  const { files } = plan
  return [
    repliesRule(plan, inputs, 'qrels'),
    {
      target: files.qrels,
      needs: [files.replies.qrels, inputs.topics],
      orderOnly: [files.config],
      recipe: [
        ...folders(files.qrels),
        `jb-parse ${quoted(files.replies.qrels)} | ${reportPart(plan, inputs, 'qrels', 'qrels', files.qrels)}`,
      ],
    },
  ]
}
