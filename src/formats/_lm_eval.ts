/** The output of lm-eval's llm_judge: a mean per metric, and a line of details per judgment. */
import { writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FileNames } from '../files/file_names.ts'
import { makeFolder } from '../files/folder.ts'
import { ManyFiles } from '../files/many_files.ts'
import type { Judge } from '../judges/_judge.ts'
import { type Allowed, allowJudges, judgeOfRow } from '../judges/_of_row.ts'
import { getOrInsert } from '../rows/maps.ts'
import { type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { Histogram } from '../statistics/describe.ts'
import type { FormatOptions } from './_format.ts'
import { judgmentsOf } from './_judgments.ts'
import { OneJudge } from './_one_judge.ts'

/** The metric's key: `llm_judge`, or `llm_judge_accuracy` for a judge with a name. */
const metricOf = (row: Row) => (row.get('name') === undefined ? 'llm_judge' : `llm_judge_${row.get('name')}`)

/** Scores of one metric, and the number of judgments without one. */
class Scores {
  readonly valid = new Histogram()
  failed = 0
}

/** Judgments of a metric, and how many of them have no reply: lm-eval's `max_error_rate` is their share. */
interface Calls {
  metric: string
  /** A row of the metric, whose judge has the limit. */
  row: Row
  asked: number
  failed: number
}

/** Names a metric: lm-eval's result files always name the filter, its printed figures only where there is one. */
type Naming = (metric: string, filter: string) => string

/** Means by judged model, task, metric and filter. */
export class Metrics {
  private readonly scores = new Map<string, Map<string, Map<string, Scores>>>()
  /** By metric. */
  private readonly judges = new Map<string, OneJudge>()
  private readonly calls = new Map<string, Calls>()
  private failed = 0
  /** Results of judges that give no score. */
  private unscored = 0
  private items = 0

  /** @param row a result, or an item that failed */
  add(row: Row): void {
    const [model, task] = [text(row.field('model')), text(row.field('task'))]
    const key = JSON.stringify([metricOf(row), row.get('variant') ?? ''])
    const tasks = getOrInsert(this.scores, model, () => new Map())
    const scores = getOrInsert(
      getOrInsert(tasks, task, () => new Map()),
      key,
      () => new Scores(),
    )
    const score = row.get('result')?.score
    const metric = metricOf(row)
    getOrInsert(this.judges, metric, () => new OneJudge('lm-eval')).check(row)
    const calls = getOrInsert(this.calls, metric, () => ({ metric, row, asked: 0, failed: 0 }))
    calls.asked++
    if (row.get('error')?.stage === 'call') calls.failed++
    this.items++
    if (typeof score === 'number') scores.valid.add(score)
    else {
      scores.failed++
      this.failed++
      if (row.has('result')) this.unscored++
    }
  }

  /** The calls of each metric. */
  callsOf(): Iterable<Calls> {
    return this.calls.values()
  }

  /** `{ model: { task: { metric: mean } } }`; null (lm-eval's NaN) where no score is valid. */
  private means(): Record<string, Record<string, Figures>> {
    const naming: Naming = (metric, filter) => (filter === '' ? metric : `${metric},${filter}`)
    return objectOf(this.scores, (tasks) => objectOf(tasks, (metrics) => figures(metrics, naming)))
  }

  /** lm-eval's results of each task, by model: means, standard errors (its code has none), numbers of samples. */
  results(code: boolean): Record<string, Record<string, { figures: Figures; samples: number }>> {
    const naming: Naming = (metric, filter) => `${metric},${filter === '' ? 'none' : filter}`
    return objectOf(this.scores, (tasks) =>
      objectOf(tasks, (metrics) => ({
        figures: figures(metrics, naming, code ? () => 'N/A' : standardError),
        samples: Math.max(...[...metrics.values()].map(({ valid, failed }) => valid.n + failed)),
      })),
    )
  }

  /** The metrics as one document, nested by model and task only where there are several. */
  report(): { text: string; failed: number; unscored: number; items: number } {
    const means = this.means()
    const only = <T>(levels: Record<string, T>) =>
      Object.keys(levels).length === 1 ? Object.values(levels)[0]! : undefined
    const tasks = only(means)
    const document = tasks ? (only(tasks) ?? tasks) : means
    return {
      text: `${JSON.stringify(document, null, 2)}\n`,
      failed: this.failed,
      unscored: this.unscored,
      items: this.items,
    }
  }
}

type Figures = Record<string, number | string | null>

/** As in lm-eval, `N/A` for fewer than two scores. */
const standardError = (scores: Histogram) =>
  scores.n < 2 ? 'N/A' : scores.deviation(1)! / Math.sqrt(scores.n)

/** Each metric's mean, its failures if any, and its standard error. */
function figures(
  metrics: ReadonlyMap<string, Scores>,
  naming: Naming,
  error?: (scores: Histogram) => number | string,
): Figures {
  const found: Figures = {}
  for (const [key, { valid, failed }] of metrics) {
    const [metric, filter] = JSON.parse(key) as [string, string]
    found[naming(metric, filter)] = valid.mean
    if (error) found[naming(`${metric}_stderr`, filter)] = error(valid)
    if (failed > 0) found[naming(`${metric}_failed`, filter)] = failed
  }
  return found
}

const text = (value: Json | undefined) => String(value ?? '')

const objectOf = <V, W>(map: Map<string, V>, of: (value: V) => W): Record<string, W> =>
  Object.fromEntries([...map].map(([key, value]) => [key, of(value)]))

/** `--compat lm-eval`: fields in the order in which lm-eval's code writes them. */
export const asItsCode = ({ compat }: FormatOptions) => compat === 'lm-eval'

/**
 * Details of one judgment. The documented order begins with `idx`; lm-eval's code (`code`) writes it last, explains a
 * reply without a score, and has no reply where the JSON is no object. A missing score is null (lm-eval's NaN).
 */
export function detailsOf(row: Row, index: number, code: boolean): JsonObject {
  const verdict = row.get('verdict')
  const error = row.get('error')?.message ?? (verdict?.error as string | undefined) ?? null
  const request = row.get('request')
  const prompt = request?.messages?.at(-1)?.content ?? request?.prompt ?? null
  const idx = { idx: row.field('idx') ?? index }
  const structured = verdict?.object !== undefined || (code && request?.response_format !== undefined)
  return {
    ...(!code && idx),
    score: verdict?.score ?? null,
    judgment_raw: (code && error !== null ? undefined : row.get('reply')?.text) ?? null,
    ...(structured && error === null
      ? { judgment_parsed: verdict?.object ?? null }
      : { explanation: error === null ? (verdict?.reason ?? null) : null }),
    formatted_prompt: prompt,
    prediction: asText(row, 'prediction'),
    reference: asText(row, 'reference'),
    error,
    ...(code && idx),
  }
}

/** A field as text: a string's value, or the JSON text of another value. */
function asText(row: Row, field: string): string | null {
  const value = row.field(field)
  return typeof value === 'string' ? value : value == null ? null : row.fieldText(field)!
}

/** The judges of rows, each read once: of files, those that --judge names or the user rendered with. */
export class Judges {
  private readonly known = new Map<string, Judge | RowFailure | undefined>()
  private readonly allowed: Allowed

  constructor({ judge }: FormatOptions, { env }: Pick<Context, 'env'>) {
    this.allowed = allowJudges((judge as string[] | undefined) ?? [], env)
  }

  /** @param note called once for a judge that cannot be found */
  async of(row: Row, note?: (message: string) => void): Promise<Judge | undefined> {
    const name = row.get('judge')
    if (!name) return undefined
    let judge = this.known.get(name)
    if (judge === undefined) {
      judge = await judgeOfRow(row, this.allowed).catch(failureOf)
      this.known.set(name, judge)
      if (judge instanceof RowFailure) note?.(judge.message)
    }
    return judge instanceof RowFailure ? undefined : judge
  }

  get all(): Judge[] {
    return [...this.known.values()].filter(
      (judge): judge is Judge => judge !== undefined && !(judge instanceof RowFailure),
    )
  }
}

function failureOf(error: unknown): RowFailure {
  if (error instanceof RowFailure) return error
  throw error
}

/** lm-eval's own `max_error_rate` where a task file has none. */
const MAX_ERROR_RATE = 0.1

/** The metric whose calls failed more often than its judge allows, in words. */
export async function tooManyFailed(
  metrics: Metrics,
  judges: Judges,
  given: number | undefined,
): Promise<string | undefined> {
  for (const { metric, row, asked, failed } of metrics.callsOf()) {
    const limit = given ?? (await judges.of(row))?.endpoint?.max_error_rate ?? MAX_ERROR_RATE
    if (failed / asked > limit)
      return `${metric}: ${failed} of ${asked} calls failed, more than max_error_rate ${limit} (--max-error-rate allows another share)`
  }
  return undefined
}

/**
 * lm-eval's output files: `DIR/model/llm_judge_task_name_judge-model_time.jsonl`, a line per judgment in input order, and
 * `results_time.json`. A run or filter with a name of its own (`jb.variant`) stands before the time.
 */
export class DetailFiles {
  private readonly folder: string
  private readonly now = new Date()
  private readonly time = this.now.toISOString().replaceAll(':', '-').replace('Z', '000')
  private readonly code: boolean
  private readonly files = new ManyFiles()
  private readonly made = new Set<string>()
  /** Files that cannot be made, and why. */
  readonly failed = new Map<string, string>()
  private readonly names = new FileNames()
  /** Paths by what they are of, and numbers of their lines. */
  private readonly details = new Map<string, { path: string; lines: number }>()
  private readonly judges: Judges

  constructor(path: string, judges: Judges, options: FormatOptions) {
    this.judges = judges
    // As in lm-eval, a path to a .json file stands for its folder.
    this.folder = path.endsWith('.json') ? dirname(path) : path
    this.code = asItsCode(options)
  }

  /**
   * Writes the judgments of a scored row to their files.
   * @param note called for a task file that --judge does not name, and that might turn details off or rename them
   */
  async add(scored: Row, note: (message: string) => void): Promise<void> {
    for (const row of judgmentsOf(scored, note)) await this.addJudgment(row, note)
  }

  private async addJudgment(row: Row, note: (message: string) => void): Promise<void> {
    const judge = await this.judges.of(row, note)
    if (judge?.details === false) return
    const of = detailsFor(row, judge?.ofTask)
    const file = getOrInsert(this.details, JSON.stringify(of), () => ({ path: this.pathOf(of), lines: 0 }))
    this.write(file.path, `${JSON.stringify(detailsOf(row, file.lines++, this.code))}\n`)
  }

  private write(path: string, text: string): void {
    if (this.failed.has(path)) return
    let file: number
    try {
      if (!this.made.has(path)) makeFolder(dirname(path))
      this.made.add(path)
      file = this.files.at(path)
    } catch (error) {
      this.failed.set(path, (error as Error).message)
      return
    }
    writeSync(file, text)
  }

  private pathOf(of: DetailsOf): string {
    const { model, task, name, judged, variant } = of
    const parts = ['llm_judge', task, name, judged ?? 'model', variant?.replaceAll(' ', '_'), this.time]
    const text = parts.filter((part) => part !== undefined).join('_')
    return this.pathIn(model, text, '.jsonl', JSON.stringify(of))
  }

  /** The path of a file of a model, in the folder itself if the rows name none. @param owner what it is of */
  private pathIn(model: string, text: string, ending: string, owner = text): string {
    const folder = model && this.names.of(model)
    return join(this.folder, folder, this.names.of(text, ending, owner, folder))
  }

  /** Writes lm-eval's result document of each judged model. */
  results(metrics: Metrics): void {
    // The task of rows that name none.
    const tasks = new Set(this.judges.all.map((judge) => judge.ofTask))
    const only = (tasks.size === 1 && [...tasks][0]) || 'task'
    for (const [model, results] of Object.entries(metrics.results(this.code))) {
      const named = <T>(of: (result: { figures: Figures; samples: number }, task: string) => T) =>
        Object.fromEntries(
          Object.entries(results).map(([task, one]) => [task || only, of(one, task || only)]),
        )
      const known = new Map(
        this.judges.all.flatMap((judge) =>
          judge.taskSettings ? [[judge.ofTask ?? judge.task ?? only, judge.taskSettings] as const] : [],
        ),
      )
      const document = {
        results: named(({ figures }, alias) => ({ alias, ...figures })),
        configs: named((_, task) => known.get(task) ?? {}),
        // lm-eval's word for a task without a version.
        versions: named((_, task) => versionOf(known.get(task)) ?? 'Yaml'),
        'n-shot': named((_, task) => Number(known.get(task)?.num_fewshot ?? 0)),
        higher_is_better: named((_, task) => directionsOf(known.get(task))),
        'n-samples': named(({ samples }) => ({ original: samples, effective: samples })),
        config: { model },
        date: this.now.getTime() / 1000,
      }
      const path = this.pathIn(model, `results_${this.time}`, '.json')
      this.write(path, `${JSON.stringify(document, null, 2)}\n`)
    }
  }

  close(): void {
    this.files.closeAll()
  }
}

/** What a file of details is of. */
interface DetailsOf {
  /** The model that was evaluated. */
  model: string
  task: string
  name: string | undefined
  /** The judge's model; undefined for a row that failed before it was asked. */
  judged: string | undefined
  variant: string | undefined
}

export function detailsFor(row: Row, task = 'task'): DetailsOf {
  return {
    model: text(row.field('model')),
    task: text(row.field('task')) || task,
    name: row.get('name'),
    judged: row.get('reply')?.model ?? (row.get('error')?.model as string | undefined),
    variant: row.get('variant'),
  }
}

const versionOf = (settings: JsonObject | undefined) =>
  (settings?.metadata as JsonObject | null | undefined)?.version

/** Of each llm_judge of a task, whether a higher score is better. */
function directionsOf(settings: JsonObject | undefined): JsonObject {
  const metrics = (settings?.metric_list ?? []) as JsonObject[]
  return Object.fromEntries(
    metrics
      .filter(({ metric }) => metric === 'llm_judge')
      .map(({ name, higher_is_better }) => [
        name == null ? 'llm_judge' : `llm_judge_${name}`,
        higher_is_better ?? true,
      ]),
  )
}
