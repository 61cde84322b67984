/** jb-workflow: a workflow.yml → a run of make, its Makefile, or its plan. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasSecret, URL_ADVICE } from '../../files/api_key.ts'
import { COMMON } from '../../options/common.ts'
import { nearest } from '../../options/nearest.ts'
import { camel, envName, type Option } from '../../options/option.ts'
import { type Exact, pythonJson } from '../../python/json.ts'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { filesIn } from '../../trec/files.ts'
import { writeConfig } from './config_file.ts'
import { isFirstGeneration } from './generation.ts'
import { type Given, type Only, readGiven, readOnly } from './given.ts'
import { loadWorkflow, type Workflow } from './load.ts'
import { makefile } from './makefile.ts'
import { chooseModel, modelIn } from './models.ts'
import type { PlanOptions, WorkflowOptions } from './options.ts'
import { judgesOf, runningPhases } from './phases.ts'
import { outputsOf, plansOf, type WorkflowPlan } from './plan.ts'
import { PythonHost } from './python_host.ts'
import { pythonStep } from './python_step.ts'
import { quoted, splitWords } from './quoting.ts'
import type { Inputs } from './rule.ts'
import { isPart } from './rules.ts'
import { checkTargets, runMake } from './run.ts'
import { plainSettings } from './settings.ts'
import { topicsBeside } from './topics_beside.ts'
import { wordsJson } from './variables.ts'

/** Yields the Makefile or the plan; a run yields nothing. */
export const workflow: Stage<WorkflowOptions> = async function* (_rows, given, context) {
  const [first, ...rest] = context.positional
  if (first === 'config') return config(rest)
  if (first === 'python') return await pythonStep(rest, given, context)
  const asked = askedFor(context.positional, given.workflow)
  const file = await loadWorkflow(asked.path)
  const seed = await isFirstGeneration(await judgesOf(file, given), given, context)
  const options: WorkflowOptions = { ...given, compat: seed ? 'seed' : undefined }
  const only = readOnly(options.only)
  const settings = readGiven(options.set, flagsOf(asked.command, options))
  const plans = await plansOf(file, planOptions(options, settings, only, asked.running))
  for (const note of file.notes) context.note(note)
  if (plans.length === 0) throw usageError(`${file.file}: nothing to run: the sweep has no configuration`)
  if (options.plan) {
    for (const plan of plans) yield `${pythonJson(planLine(plan), { unicode: true })}\n`
    return
  }
  const inputs = await inputsOf(file, asked.path, plans, { ...options, ...only }, settings, context)
  const made = makefile(plans, inputs)
  if (!asked.running) return yield made.text
  checkTargets(made.needs, asked.targets)
  const quiet = (options as { quiet?: boolean }).quiet === true
  const host = plans.some(usesPython)
    ? new PythonHost({ ...context.env, JB_CACHE: inputs.cache ?? context.env.JB_CACHE })
    : undefined
  try {
    const env = await host?.open()
    await runMake(
      made.text,
      { jobs: options.jobs, quiet, targets: asked.targets.map(made.goal), env },
      context,
    )
  } finally {
    await host?.close()
  }
}

const usesPython = ({ flags, judges }: WorkflowPlan) =>
  runningPhases(flags).some((phase) => judges[phase].kind === 'python')

/** The phases that AutoJudge's subcommands run. */
const COMMANDS: Readonly<Record<string, Given['flags']>> = {
  run: {},
  nuggify: { create_nuggets: true, create_qrels: false, judge: false },
  judge: { create_nuggets: false, judge: true },
}

interface Asked {
  command: string
  /** Whether to run the workflow; else its Makefile is printed. */
  running: boolean
  path?: string
  targets: string[]
}

/** What the operands ask for: without a subcommand a FILE's Makefile, without FILE a run. @throws Fatal (usage) */
function askedFor(operands: readonly string[], workflow: string | undefined): Asked {
  const [first, ...rest] = operands
  if (first === undefined) return { command: 'run', running: true, path: workflow, targets: [] }
  const command = Object.hasOwn(COMMANDS, first) ? first : undefined
  if (command === undefined) {
    const meant = existsSync(first) ? undefined : nearest(first, Object.keys(COMMANDS))
    if (meant !== undefined) throw usageError(`${first}: no such file: did you mean ${meant}?`)
    const [extra] = workflow === undefined ? rest : operands
    if (extra !== undefined) throw usageError(`${extra}: one FILE, and targets only after "run FILE"`)
    return { command: 'run', running: false, path: first, targets: [] }
  }
  // `run nuggify` runs the target of the default workflow, unless there is such a file.
  const named = workflow === undefined && rest[0] !== undefined && !isTarget(rest[0])
  const targets = named ? rest.slice(1) : rest
  if (command !== 'run' && targets.length > 0)
    throw usageError(`${targets[0]}: targets stand after "run FILE", and ${command} has none`)
  return { command, running: true, path: named ? rest[0] : workflow, targets: [...targets] }
}

const isTarget = (word: string) => ['nuggify', 'qrels', 'judge', 'all'].includes(word) && !existsSync(word)

const flagsOf = (command: string, { forceRecreateNuggets, compat }: WorkflowOptions): Given['flags'] => ({
  ...COMMANDS[command],
  // Leaderboard and qrels of the first generation come from one call.
  ...(command === 'judge' && compat !== 'seed' && { create_qrels: false }),
  ...(forceRecreateNuggets && { force_recreate_nuggets: true }),
})

/** `jb-workflow config PATH KEY=TEXT…`: the Makefile's command for writing .config.yml files. */
function config([path, ...words]: string[]): void {
  if (path === undefined || words.length === 0)
    throw usageError('jb-workflow config PATH KEY=TEXT KEY:=JSON…')
  writeConfig(path, wordsJson(words))
}

const planOptions = (options: WorkflowOptions, given: Given, only: Only, running: boolean): PlanOptions => ({
  ...options,
  given,
  seed: options.compat === 'seed',
  prefix: isPart(only) ? 'tmp-' : '',
  output: running ? options.output : undefined,
})

async function inputsOf(
  { bankFormat }: Workflow,
  path: string | undefined,
  plans: readonly WorkflowPlan[],
  options: WorkflowOptions & Only,
  given: Given,
  context: Context,
): Promise<Inputs> {
  const { ragResponses: responses } = options
  const wanted = plans.some(
    ({ flags }) =>
      flags.judge || flags.create_qrels || (flags.create_nuggets && flags.nugget_depends_on_responses),
  )
  if (responses === undefined && wanted)
    throw usageError(
      '--rag-responses DIR is missing (nuggets alone: nuggify --set nugget_depends_on_responses=no)',
    )
  const responseFiles =
    responses === undefined ? [] : existsSync(responses) ? filesIn(responses) : [responses]
  const topics = options.ragTopics ?? (await foundTopics(responses, responseFiles, context))
  const call = splitWords(options.call ?? '')
  for (const [i, word] of call.entries())
    if (hasSecret(/^--base-url=(.*)$/s.exec(word)?.[1] ?? (call[i - 1] === '--base-url' ? word : '')))
      throw usageError(`--call: --base-url: ${URL_ADVICE}`)
  const model = await chooseModel(options, context.env)
  for (const note of model.notes) context.note(note)
  return {
    ...options,
    workflow: path,
    topics,
    responses,
    responseFiles,
    bank: bankName(given.bankFormat ?? bankFormat),
    leaderboardFormat: options.leaderboardFormat ?? (options.compat === 'seed' ? 'tot' : 'ir_measures'),
    model: options.model ?? model.model,
    usualModel: modelIn(call, context.env),
    cache: cacheIn(context.env),
    callOptions: [...model.options, ...call.map(quoted)],
    common: commonOf({ ...options }),
  }
}

/** The topics beside the runs, with a note. @throws Fatal (usage) if there are none */
async function foundTopics(
  responses: string | undefined,
  files: readonly string[],
  context: Context,
): Promise<string> {
  if (responses !== undefined && !existsSync(responses))
    throw new Fatal(EXIT.noInput, `${responses}: no such folder`)
  const topics = await topicsBeside(responses, files)
  if (topics === undefined)
    throw usageError(
      '--rag-topics FILE is missing, and no README.md or topics.jsonl beside the runs names them',
    )
  context.note(`the topics are those of ${topics}`)
  return topics
}

/** AutoJudge's classes of banks. */
const BANK_CLASSES: Readonly<Record<string, string>> = {
  NuggetBanks: 'argue',
  NuggetizerNuggetBanks: 'nuggetizer',
  Ragtime26NuggetBanks: 'ragtime26',
}

/** A format of banks by its name, its file, or AutoJudge's class. */
function bankName(format: string | undefined): string | undefined {
  const name = /^(?:trec_auto_judge|autojudge_base)[.:].*?(\w+)$/.exec(format ?? '')?.[1]
  return name === undefined ? format : (BANK_CLASSES[name] ?? format)
}

/** Common options that are not passed to the steps. */
const OWN: readonly string[] = ['quiet', 'help', 'help-all', 'version']

/** The other common options that were given, as NAME := VALUE. */
const commonOf = (options: Record<string, unknown>): string[] =>
  COMMON.filter(({ name }) => !OWN.includes(name)).flatMap((option: Option) => {
    const value = options[camel(option.name)]
    const given = value !== undefined && value !== (option.default ?? false)
    return given ? `${envName(option.name)} := ${value}` : []
  })

/** The cache file in CACHE_DIR, which TREC uses to repeat runs without network; undefined if JB_CACHE is set. */
function cacheIn({ JB_CACHE, CACHE_DIR, LLM_CACHE_DIR }: Context['env']): string | undefined {
  const folder = CACHE_DIR || LLM_CACHE_DIR
  return folder && !JB_CACHE ? join(folder, 'replies.ndjson') : undefined
}

/** A configuration as one line of --plan. */
function planLine(plan: WorkflowPlan): Exact {
  const { configuration, flags, judges, given, bank, startBank, qrels, model } = plan
  const { name, from, point } = configuration
  return {
    name,
    from,
    ...(point.size > 0 && { point: plainSettings(point) }),
    flags,
    judges: Object.fromEntries(Object.entries(judges).map(([phase, judge]) => [phase, judge.name])),
    ...(model !== undefined && { llm_model: model }),
    settings: plainSettings(configuration.settings),
    nugget_settings: plainSettings(given.nugget),
    qrels_settings: plainSettings(given.qrels),
    judge_settings: plainSettings(given.judge),
    ...(startBank !== undefined && { nugget_input: startBank }),
    ...(bank !== undefined && { nuggets: bank }),
    ...(qrels !== undefined && { qrels }),
    files: Object.fromEntries(outputsOf(plan)),
  }
}
