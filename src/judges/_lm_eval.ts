/**
 * Task files of lm-evaluation-harness: every `llm_judge` in `metric_list` is a judge.
 * https://github.com/EleutherAI/lm-evaluation-harness/pull/3534
 */
import { dirname, resolve } from 'node:path'
import { didYouMean, nearest } from '../options/nearest.ts'
import { Dict } from '../python/dict.ts'
import { dumps, type JsonStyle } from '../python/json.ts'
import { readFloat } from '../python/numbers.ts'
import { float, type Value } from '../python/values.ts'
import { configError, type Json, type JsonObject, type OwnEndpoint } from '../rows/record.ts'
import { type Example, FloatText, inferSchema } from './_example_schema.ts'
import type { Judge } from './_judge.ts'
import {
  functionIn,
  isSettings,
  judgeFields,
  loadTasks,
  type Task,
  type TaskSettings,
} from './_lm_eval_files.ts'
import { PythonFunction } from './_pyyaml.ts'

/** Keys of an entry that are settings; all others are variables of its template. */
const RESERVED = [
  'metric',
  'aggregation',
  'higher_is_better',
  'hf_evaluate',
  'name',
  'task_name',
  'prompt_template',
  'api_base',
  'api_key',
  'model',
  'temperature',
  'max_tokens',
  'concurrency',
  'save_details',
  'response_format',
  'score_field',
  'retry_attempts',
  'retry_min_wait',
  'retry_max_wait',
  'max_error_rate',
  'preflight_check',
]

/** Of these, the ones that only lm-eval uses. */
const NOT_READ = ['aggregation', 'higher_is_better', 'hf_evaluate', 'task_name', 'api_key']

/** Whether the text of a YAML file is a task, not a judge file. */
export const isTask = (text: string) =>
  /^(metric_list|include|task)[ \t]*:/m.test(text) && !/^(messages|prompt|verdict)[ \t]*:/m.test(text)

/**
 * The judges of a task file and its includes, or of the tasks in a group's file. A judge without a name has that of the
 * file; others are called `task.yaml#accuracy`, or `group.yaml#task/accuracy` in a group.
 * @throws Fatal (configuration) with file, entry and what was expected
 */
export async function taskJudges(path: string): Promise<Judge[]> {
  const notes: string[] = []
  const tasks = await loadTasks(path, notes)
  const judges = tasks.flatMap((task) => judgesOf(task, path))
  if (judges.length === 0) throw configError(noJudge(tasks, path))
  const names = judges.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined)
    throw configError(
      `${path}: two llm_judge entries have the same name: give each its own "name" (${repeated})`,
    )
  const elsewhere = tasks.flatMap(({ name, only }) => (only ? [name] : []))
  if (elsewhere.length > 0)
    notes.push(
      `${path} only names ${elsewhere.join(', ')}: the llm_judge of such a task is read from its own file`,
    )
  if (notes.length > 0) judges[0]!.notes = [...(judges[0]!.notes ?? []), ...notes]
  return judges
}

const metricsOf = ({ settings }: Task) => (Array.isArray(settings.metric_list) ? settings.metric_list : [])

function judgesOf(task: Task, path: string): Judge[] {
  return metricsOf(task).flatMap((metric, index) =>
    isSettings(metric) && metric.metric === 'llm_judge'
      ? [judgeOf(metric, task, path, `${path}: ${task.where}metric_list[${index}]`)]
      : [],
  )
}

/** Says why a task file has no judge. */
function noJudge(tasks: Task[], path: string): string {
  const named = tasks.filter(({ only }) => only).map(({ name }) => name)
  if (named.length > 0 && named.length === tasks.length)
    return `${path}: a group that only names its tasks (${named.join(', ')}): give jb-render the file of each, where its llm_judge is`
  const others = tasks.flatMap(metricsOf).map((metric) => (isSettings(metric) ? String(metric.metric) : '?'))
  return `${path}: no llm_judge in metric_list (${others.length > 0 ? `there are: ${others.join(', ')}` : 'it is empty'})`
}

function judgeOf(entry: TaskSettings, task: Task, path: string, where: string): Judge {
  refuseFunctions(entry, where)
  refuseFunctions(judgeFields(task.settings), `${path}: extra_llm_judge_fields`)
  const name = entry.name === undefined || entry.name === null ? undefined : String(entry.name)
  const template = entry.prompt_template
  if (typeof template !== 'string')
    throw configError(`${where}: prompt_template is missing: the Jinja2 text of the question to the judge`)
  const format = entry.response_format
  if (format !== undefined && format !== null && !isSettings(format))
    throw configError(`${where}: response_format must be an example of the object to reply with`)
  const structured = isSettings(format)
  const scoreField = String(entry.score_field ?? 'score')
  if (structured && !(scoreField in format)) {
    const keys = Object.keys(format)
    const hint = didYouMean(scoreField, keys, ` (${keys.join(', ')})`)
    throw configError(`${where}: score_field "${scoreField}" is not a key of response_format${hint}`)
  }
  const own = Object.entries(entry).filter(([key]) => !RESERVED.includes(key))
  const texts = Object.fromEntries(
    [...Object.entries(judgeFields(task.settings)), ...own].map(([key, value]) => [key, exampleJson(value)]),
  )
  if (structured) texts.response_format = JSON.stringify(exampleJson(format, { indent: '  ' }))
  const part = [task.group ? task.name : undefined, name].filter((one) => one !== undefined).join('/')
  return {
    name: part === '' ? path : `${path}#${part}`,
    where,
    about: `llm_judge ${name ?? ''} of ${task.name}`,
    kind: 'grade',
    fields: {},
    answers: ['prediction'],
    use: name,
    ofTask: typeof task.settings.task === 'string' ? task.settings.task : undefined,
    taskSettings: plain(task.settings) as JsonObject,
    ...(task.group && { task: task.name }),
    messages: [{ role: 'user', content: structured ? withFormat(template) : template }],
    texts,
    optional: { reference: 'null' },
    inner: 'doc',
    scaleless: true,
    request: {
      temperature: numberOr(entry, 'temperature', 0, where),
      max_tokens: numberOr(entry, 'max_tokens', 1024, where),
      ...(structured && { response_format: strictFormat(format) }),
    },
    verdict: structured
      ? { rule: 'json', score: scoreField }
      : { rule: 'number', name: 'Score', first: true, reason: 'after', example: 'Score: {score}' },
    compat: { 'lm-eval': structured ? 'json' : 'text' },
    endpoint: endpointOf(entry, where),
    details: flag(entry, 'save_details', where) !== false,
    // The patterns are jb's, but the file is the user's.
    builtin: false,
    folder: dirname(resolve(path)),
    ...(structured && { example: format }),
    notes: [
      ...(entry.api_key === undefined
        ? []
        : [`${where}: api_key is not read from a file: set LLM_JUDGE_API_KEY`]),
      ...own.flatMap(([key]) => misspelt(key, template).map((meant) => `${where}: ${key} ${meant}`)),
    ],
  }
}

/** What is wrong with a key that is no setting and that the template does not use, if it resembles a setting. */
function misspelt(key: string, template: string): string[] {
  const meant = template.includes(key) ? undefined : nearest(key, RESERVED)
  return meant === undefined
    ? []
    : [`is no setting, and the template does not use it: did you mean ${meant}?`]
}

/** Settings as results show them: Python functions by name, infinities as texts, API keys left out. */
function plain(value: Example): Json {
  if (value instanceof PythonFunction) return String(value)
  if (value instanceof FloatText)
    return Number.isFinite(Number(value.text)) ? Number(value.text) : exampleJson(value)
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(
    entriesOf(value).flatMap(([key, one]) => (key === 'api_key' ? [] : [[key, plain(one)]])),
  )
}

const entriesOf = (value: Map<string, Example> | TaskSettings) =>
  value instanceof Map ? [...value] : Object.entries(value)

/** @throws Fatal (configuration) for a setting that only Python could compute */
function refuseFunctions(settings: TaskSettings, where: string): void {
  for (const [key, value] of Object.entries(settings)) {
    const found = NOT_READ.includes(key) ? undefined : functionIn(value)
    if (found)
      throw configError(
        `${where}: ${key} is ${found}: a Python function cannot be used here, write its value into the file`,
      )
  }
}

/** The template with a request for the reply's form, unless it has one. */
const withFormat = (template: string) =>
  /\{[{%][^}]*\bresponse_format\b/.test(template)
    ? template
    : `${template.replace(/\n$/, '')}\n\nReply with one JSON object of exactly this form, and nothing else:\n{{ response_format }}`

const strictFormat = (example: TaskSettings): Json => ({
  type: 'json_schema',
  json_schema: { name: 'llm_judge_response', strict: true, schema: inferSchema(example, 'strict') },
})

function endpointOf(entry: TaskSettings, where: string): OwnEndpoint {
  const endpoint: OwnEndpoint = {}
  if (entry.model) endpoint.model = String(entry.model)
  else endpoint.default_model = 'gpt-4'
  if (entry.api_base) endpoint.base_url = String(entry.api_base)
  for (const [key, name, expected, fits] of [
    ['concurrency', 'concurrency', 'a whole number of at least 1', (n) => Number.isInteger(n) && n >= 1],
    ['retry_attempts', 'retries', 'a whole number of at least 0', (n) => Number.isInteger(n) && n >= 0],
    ['retry_min_wait', 'retry_min', 'seconds', (n) => n >= 0],
    ['retry_max_wait', 'retry_max', 'seconds', (n) => n >= 0],
    ['max_error_rate', 'max_error_rate', 'a share from 0 to 1', (n) => n >= 0 && n <= 1],
  ] as const satisfies [string, string, string, (n: number) => boolean][]) {
    if ((entry[key] ?? null) === null) continue
    const value = numberOr(entry, key, 0, where)
    if (!fits(value)) throw configError(`${where}: ${key} is ${value}, expected ${expected}`)
    endpoint[name] = value
  }
  const preflight = flag(entry, 'preflight_check', where)
  if (preflight !== undefined) endpoint.preflight = preflight
  return endpoint
}

/** @throws Fatal (configuration) for a setting that is neither true nor false */
function flag(entry: TaskSettings, key: string, where: string): boolean | undefined {
  const value = entry[key] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw configError(`${where}: ${key} is ${JSON.stringify(value)}, expected true or false`)
}

function numberOr(entry: TaskSettings, key: string, otherwise: number, where: string): number {
  const value = entry[key]
  if (value === undefined || value === null) return otherwise
  const number = Number(value instanceof FloatText ? value.text : value)
  if (Number.isFinite(number) && typeof value !== 'boolean') return number
  throw configError(`${where}: ${key} must be a number, not ${JSON.stringify(value)}`)
}

/** As Python's json writes it: floats keep their form, 8.0 stays 8.0. */
export const exampleJson = (value: Example, style: JsonStyle = {}): string =>
  dumps(pythonValue(value), { spaces: true, ...style })

function pythonValue(value: Example): Value {
  if (value instanceof FloatText) return float(readFloat(value.text)!)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(pythonValue)
  return new Dict(new Map(entriesOf(value).map(([key, one]) => [key, pythonValue(one)])))
}
