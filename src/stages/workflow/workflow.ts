/** jb-workflow: a workflow.yml → a Makefile, its plan, or a run of make. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasSecret, URL_ADVICE } from '../../files/api_key.ts'
import { COMMON } from '../../options/common.ts'
import { camel, envName, type Option } from '../../options/option.ts'
import { pythonJson, type Exact as Value } from '../../python/json.ts'
import { type JsonObject, usageError } from '../../rows/record.ts'
import type { Context, Stage } from '../../rows/stage.ts'
import { filesIn } from '../../trec/files.ts'
import { writeConfig } from './config_file.ts'
import { flagsGiven } from './lifecycle.ts'
import { loadWorkflow } from './load.ts'
import { makefile } from './makefile.ts'
import { chooseModel, modelIn } from './models.ts'
import type { PlanOptions, WorkflowOptions } from './options.ts'
import { runningPhases } from './phases.ts'
import { outputsOf, plansOf, type WorkflowPlan } from './plan.ts'
import { PythonHost } from './python_host.ts'
import { pythonStep } from './python_step.ts'
import { quoted, splitWords } from './quoting.ts'
import type { Inputs } from './rule.ts'
import { isPart } from './rules.ts'
import { checkTargets, runMake } from './run.ts'
import { wordsJson } from './variables.ts'

/** Yields the Makefile or the plan; with `run` nothing. */
export const workflow: Stage<WorkflowOptions> = async function* (_rows, options, context) {
  const [first, ...rest] = context.positional
  if (first === 'config') return await config(rest)
  if (first === 'python') return await pythonStep(rest, options, context)
  const running = first === 'run'
  const [operand, ...targets] = running ? rest : context.positional
  // `run nuggify` runs the target of the default workflow, unless there is such a file.
  const path =
    options.workflow ?? (running && operand !== undefined && isTarget(operand) ? undefined : operand)
  if (!running && targets.length > 0)
    throw usageError(`${targets[0]}: one FILE, and targets only after "run FILE"`)
  const file = await loadWorkflow(path)
  const plans = await plansOf(file, planOptions(options, running))
  for (const note of file.notes) context.note(note)
  if (plans.length === 0) throw usageError(`${file.file}: nothing to run: the sweep has no configuration`)
  if (options.plan) {
    for (const plan of plans) yield `${pythonJson(planLine(plan), { unicode: true })}\n`
    return
  }
  const inputs = await inputsOf(path, plans, options, context)
  const made = makefile(plans, inputs)
  if (!running) return yield made.text
  const wanted = path === operand ? targets : rest
  checkTargets(made.needs, wanted)
  const quiet = (options as { quiet?: boolean }).quiet === true
  const host = plans.some(usesPython)
    ? new PythonHost({ ...context.env, JB_CACHE: inputs.cache ?? context.env.JB_CACHE })
    : undefined
  try {
    const env = await host?.open()
    await runMake(made.text, { ...options, quiet, targets: wanted, env }, context)
  } finally {
    await host?.close()
  }
}

const usesPython = ({ flags, judges }: WorkflowPlan) =>
  runningPhases(flags).some((phase) => judges[phase].kind === 'python')

const isTarget = (word: string) => ['nuggify', 'qrels', 'judge', 'all'].includes(word) && !existsSync(word)

/** `jb-workflow config PATH KEY=TEXT…`: the Makefile's command for writing .config.yml files. */
async function config([path, ...words]: string[]): Promise<void> {
  if (path === undefined || words.length === 0)
    throw usageError('jb-workflow config PATH KEY=TEXT KEY:=JSON…')
  const text = wordsJson(words)
  let content: JsonObject
  try {
    content = JSON.parse(text)
  } catch (error) {
    throw usageError(`jb-workflow config: ${(error as Error).message}`)
  }
  await writeConfig(path, content)
}

function planOptions(options: WorkflowOptions, running: boolean): PlanOptions {
  const output = running ? options.output : undefined
  if (output !== undefined && options.leaderboardFile !== undefined)
    throw usageError('with run, --output and --leaderboard-file name the same file: give one of them')
  return {
    ...options,
    setPhase: {
      nugget: [...options.setNugget, ...options.nset],
      qrels: [...options.setQrels, ...options.qset],
      judge: [...options.setJudge, ...options.jset],
    },
    seed: options.compat === 'seed',
    prefix: isPart(options) ? 'tmp-' : '',
    flags: flagsGiven(options),
    nuggets: options.nuggets ?? options.nuggetBanks,
    leaderboardFile: output ?? options.leaderboardFile,
    ignoreSettings: options.ignoreSettings.flatMap((one) => one.split(',')),
  }
}

async function inputsOf(
  path: string | undefined,
  plans: readonly WorkflowPlan[],
  options: WorkflowOptions,
  context: Context,
): Promise<Inputs> {
  const topics = options.topics ?? options.ragTopics
  const responses = options.responses ?? options.ragResponses
  if (topics === undefined) throw usageError('--topics FILE is missing (--plan needs none)')
  const wanted = plans.some(
    ({ flags }) =>
      flags.judge || flags.create_qrels || (flags.create_nuggets && flags.nugget_depends_on_responses),
  )
  if (responses === undefined && wanted)
    throw usageError(
      '--responses DIR is missing (nuggets alone: --flag judge=no --flag nugget_depends_on_responses=no)',
    )
  const call = splitWords(options.call ?? '')
  for (const [i, word] of call.entries())
    if (hasSecret(/^--base-url=(.*)$/s.exec(word)?.[1] ?? (call[i - 1] === '--base-url' ? word : '')))
      throw usageError(`--call: --base-url: ${URL_ADVICE}`)
  const chosen = await chooseModel(options, context.env)
  for (const note of chosen.notes) context.note(note)
  return {
    ...options,
    workflow: path,
    topics,
    responses,
    responseFiles: responses === undefined ? [] : existsSync(responses) ? filesIn(responses) : [responses],
    leaderboardFormat: options.leaderboardFormat ?? (options.compat === 'seed' ? 'tot' : 'ir_measures'),
    model: options.model ?? chosen.model,
    usualModel: modelIn(call, context.env),
    cache: cacheIn(context.env),
    callOptions: [...chosen.options, ...call.map(quoted)],
    common: commonOf({ ...options }),
  }
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
function planLine(plan: WorkflowPlan): { [key: string]: Value } {
  const { configuration, flags, judges, given, bank, startBank, qrels, model } = plan
  const { name, from, point } = configuration
  return {
    name,
    from,
    ...(Object.keys(point).length > 0 && { point }),
    flags,
    judges: Object.fromEntries(Object.entries(judges).map(([phase, judge]) => [phase, judge.name])),
    ...(model !== undefined && { llm_model: model }),
    settings: configuration.settings,
    nugget_settings: given.nugget,
    qrels_settings: given.qrels,
    judge_settings: given.judge,
    ...(startBank !== undefined && { nugget_input: startBank }),
    ...(bank !== undefined && { nuggets: bank }),
    ...(qrels !== undefined && { qrels }),
    files: Object.fromEntries(outputsOf(plan)),
  }
}
