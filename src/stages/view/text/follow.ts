/** jb-view --follow: a table that grows while a run is under way, and ends with it. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Rows } from '../../../rows/reader.ts'
import { type JsonObject, RowFailure } from '../../../rows/record.ts'
import type { Row } from '../../../rows/row.ts'
import type { Context } from '../../../rows/stage.ts'
import { type Modules, Report } from '../../../scoring/_report.ts'
import { Scorer, scoringModules } from '../../../scoring/_scorer.ts'
import { count } from '../../../statistics/count.ts'
import type { ViewOptions } from '../options.ts'
import { modelOf, stageOf } from '../runs.ts'
import { visible } from './plain.ts'
import { tailed } from './tail.ts'
import { widthOf } from './width.ts'

/** Milliseconds between two tables on a terminal. */
const REDRAW = 400

/** Yields tables: on a terminal one over the other, else the last alone. */
export async function* follow(rows: Rows, options: ViewOptions, context: Context): AsyncGenerator<string> {
  const watch = new Watch(await scoringModules(), await Scorer.create({ ...options }, context))
  const { sources, stop, terminal } = context
  const inputs = sources.length === 0 ? [rows] : sources.map((one) => context.rows([tailed(one, stop)]))
  let done = false
  const reading = Promise.all(inputs.map((input) => watch.read(input))).finally(() => (done = true))
  // Its error is thrown below, once the table is there.
  reading.catch(() => {})
  let lines = 0
  const settings = { ci: options.ci, color: terminal.color }
  while (terminal.output && !done) {
    await Promise.race([reading, wait(REDRAW)]).catch(() => {})
    if (done) break
    const table = watch.table(settings)
    yield over(lines) + table
    lines = table.split('\n').length - 1
  }
  await reading
  yield over(lines) + watch.table(settings)
}

/** Takes the table before away. */
const over = (lines: number) => (lines === 0 ? '' : `\u001b[${lines}F\u001b[J`)

interface Line {
  stages: Map<string, number>
  failures: Map<string, number>
  tokens: number
  cost: number
  report: Report
}

class Watch {
  private readonly lines = new Map<string, Line>()
  private readonly started = Date.now()
  private rows = 0
  private readonly modules: Modules
  private readonly scorer: Scorer

  constructor(modules: Modules, scorer: Scorer) {
    this.modules = modules
    this.scorer = scorer
  }

  async read(rows: Rows): Promise<void> {
    for await (const batch of rows) for (const row of batch) this.add(row)
  }

  private add(row: Row): void {
    this.rows++
    const line = this.line(row)
    count(line.stages, stageOf(row), 1)
    const code = row.get('error')?.code
    if (code !== undefined) count(line.failures, code, 1)
    const usage = row.has('reply') ? (row.part('reply', 'usage') as JsonObject | undefined) : undefined
    line.tokens += Number(usage?.prompt_tokens ?? 0) + Number(usage?.completion_tokens ?? 0) || 0
    const cost = row.has('reply') ? row.part('reply', 'cost') : undefined
    if (typeof cost === 'number') line.cost += cost
    if (!row.has('verdict') && !row.has('result')) return
    try {
      const result = this.scorer.add(row)
      if (result) this.line(result).report.add(result)
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error
      count(line.failures, error.code, 1)
    }
  }

  private line(row: Row): Line {
    const name = [row.get('judge'), row.get('name'), modelOf(row)].filter(Boolean).join(' · ') || 'no judge'
    let line = this.lines.get(name)
    if (!line) {
      const report = new Report(this.modules, ['none'])
      this.lines.set(name, (line = { stages: new Map(), failures: new Map(), tokens: 0, cost: 0, report }))
    }
    return line
  }

  table({ ci, color }: { ci: number; color: boolean }): string {
    const seconds = Math.max(0.001, (Date.now() - this.started) / 1000)
    const head = ['run', 'rows', 'failed', 'items', 'value', 'tokens', 'cost']
    const body = [...this.lines].map(([name, line]) => {
      const failed = [...line.failures.values()].reduce((sum, n) => sum + n, 0)
      const all = line.report.finish()[0]!.all
      const report = all.report({ ci })
      const rows = [...line.stages.values()].reduce((sum, n) => sum + n, 0)
      return [
        visible(name),
        String(rows),
        failed === 0
          ? '0'
          : `${failed} (${[...line.failures].map(([code, n]) => `${code} ${n}`).join(', ')})`,
        all.items === 0 ? '' : String(all.items),
        estimateOf(report),
        line.tokens === 0 ? '' : String(line.tokens),
        line.cost === 0 ? '' : `$${line.cost.toFixed(4)}`,
      ]
    })
    const kept = head.map((_, i) => i < 2 || body.some((cells) => cells[i] !== '' && cells[i] !== '0'))
    const table = [head, ...body].map((cells) => cells.filter((_, i) => kept[i]))
    const widths = table[0]!.map((_, i) => Math.max(...table.map((cells) => widthOf(cells[i]!))))
    const lines = table.map((cells) =>
      cells
        .map((cell, i) => {
          const space = ' '.repeat(widths[i]! - widthOf(cell))
          return i === 0 ? cell + space : space + cell
        })
        .join('  ')
        .trimEnd(),
    )
    const rate = `${this.rows} rows in ${seconds.toFixed(0)} s, ${(this.rows / seconds).toFixed(1)} a second`
    const faint = (text: string) => (color ? `\u001b[2m${text}\u001b[0m` : text)
    return `${[faint(lines[0]!), ...lines.slice(1), faint(rate)].join('\n')}\n`
  }
}

function estimateOf({ accuracy, score, ci }: JsonObject): string {
  const bounds = Array.isArray(ci) ? (ci as number[]) : undefined
  if (typeof accuracy === 'number') {
    const interval = bounds ? ` (${bounds.map((bound) => (bound * 100).toFixed(1)).join('–')})` : ''
    return `${(accuracy * 100).toFixed(1)} %${interval}`
  }
  if (typeof score !== 'number') return ''
  return `${score.toFixed(2)}${bounds ? ` (${bounds.map((bound) => bound.toFixed(2)).join('–')})` : ''}`
}
