/** Reads files of lm-evaluation-harness: a task and its includes, or a group and the tasks in it. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readText } from '../files/text.ts'
import { configError, EXIT } from '../rows/record.ts'
import { type Example, FloatText } from './_example_schema.ts'
import { PythonFunction, readPyYaml } from './_pyyaml.ts'

export type TaskSettings = { [key: string]: Example }

export interface Task {
  name: string
  settings: TaskSettings
  /** It is in a group's file, at `where`. */
  group: boolean
  where: string
  /** The group's file only names it; the task is defined elsewhere. */
  only: boolean
}

/** The first Python function in a value. */
export function functionIn(value: unknown): PythonFunction | undefined {
  if (value instanceof PythonFunction) return value
  if (value === null || typeof value !== 'object') return undefined
  return (value instanceof Map ? [...value.values()] : Object.values(value)).map(functionIn).find(Boolean)
}

/** Keys of a group itself; all others apply to each of its tasks. */
const OF_GROUP = ['group', 'group_alias', 'task', 'aggregate_metric_list']

/** The tasks of a file: one, or all in its `task:` list and in groups in it. @param notes are appended @throws Fatal (configuration) */
export async function loadTasks(path: string, notes: string[]): Promise<Task[]> {
  const settings = await loadTask(path, [], notes)
  if (!Array.isArray(settings.task))
    return [{ name: String(settings.task ?? path), settings, group: false, where: '', only: false }]
  return tasksOf(settings, path, '', notes)
}

async function tasksOf(group: TaskSettings, path: string, inside: string, notes: string[]): Promise<Task[]> {
  const shared = Object.fromEntries(Object.entries(group).filter(([key]) => !OF_GROUP.includes(key)))
  const found: Task[] = []
  for (const [index, entry] of (group.task as Example[]).entries()) {
    const where = `${inside}task[${index}]`
    const own = typeof entry === 'string' ? { task: entry } : entry
    if (!isSettings(own) || own.task === undefined || own.task === null)
      throw configError(`${path}: ${where}: expected the name of a task, or a mapping with "task"`)
    const settings = over(shared, await withIncludes(own, path, [], notes))
    if (Array.isArray(settings.task)) found.push(...(await tasksOf(settings, path, `${where}.`, notes)))
    else
      found.push({
        name: String(settings.task),
        settings,
        group: true,
        where: `${where}.`,
        only: settings.metric_list === undefined,
      })
  }
  return found
}

/** A task's settings, which override those of included files; `extra_llm_judge_fields` are merged. */
async function loadTask(path: string, from: string[], notes: string[]): Promise<TaskSettings> {
  if (from.includes(path)) throw configError(`${path}: includes itself through ${from.join(', ')}`)
  if (!existsSync(path))
    throw configError(`${path}: no such file${from.length > 0 ? ` (included by ${from.at(-1)})` : ''}`)
  const { value: task } = await readPyYaml(readText(path, EXIT.config), path, notes)
  if (!isSettings(task)) throw configError(`${path}: a task file must be a mapping`)
  return withIncludes(task, path, from, notes)
}

async function withIncludes(
  { include, ...rest }: TaskSettings,
  path: string,
  from: string[],
  notes: string[],
): Promise<TaskSettings> {
  const included = [include ?? []].flat().map(String)
  let task: TaskSettings = {}
  if (included.length > 1)
    notes.push(
      `${path}: of several included files the later overrides the earlier, as in lm-eval since 0.4.12; until 0.4.11 the first did`,
    )
  for (const file of included) {
    const found = existsSync(resolve(dirname(path), file)) ? resolve(dirname(path), file) : file
    task = over(task, await loadTask(found, [...from, path], notes))
  }
  return over(task, rest)
}

function over(base: TaskSettings, own: TaskSettings): TaskSettings {
  const fields = { ...judgeFields(base), ...judgeFields(own) }
  const task = { ...base, ...own }
  if (Object.keys(fields).length > 0) {
    const metadata = isSettings(task.metadata) ? task.metadata : {}
    task.metadata = { ...metadata, extra_llm_judge_fields: fields }
  }
  return task
}

/** `metadata.extra_llm_judge_fields` */
export function judgeFields(task: TaskSettings): TaskSettings {
  const fields = isSettings(task.metadata) ? task.metadata.extra_llm_judge_fields : undefined
  return isSettings(fields) ? fields : {}
}

export const isSettings = (value: Example | undefined): value is TaskSettings =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  !(value instanceof FloatText || value instanceof PythonFunction || value instanceof Map)
