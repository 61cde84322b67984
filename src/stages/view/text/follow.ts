/** `jb-view --follow`: a table of a run in progress. */

import { setTimeout as wait } from 'node:timers/promises'
import { fittedLines, type Room, roomOf } from '../../../formats/_fit.ts'
import { noteUnread } from '../../../formats/_marks.ts'
import { type Style, styled } from '../../../formats/_table.ts'
import { monotonicMs } from '../../../rows/clock.ts'
import { inLine } from '../../../rows/controls.ts'
import { count, getOrInsert } from '../../../rows/maps.ts'
import type { Rows } from '../../../rows/reader.ts'
import { type JsonObject, RowFailure } from '../../../rows/record.ts'
import type { Row } from '../../../rows/row.ts'
import { type Context, soundRows } from '../../../rows/stage.ts'
import { type Modules, Report } from '../../../scoring/_report.ts'
import { identityOf, identityTitle } from '../../../scoring/_run_identity.ts'
import { Scorer } from '../../../scoring/_scorer.ts'
import { scoringModules } from '../../../scoring/_scoring.ts'
import type { ViewOptions } from '../options.ts'
import { modelOf, stageOf } from '../runs.ts'
import { visible } from './plain.ts'
import { tailed } from './tail.ts'

/** Milliseconds between two tables on a terminal. */
const REDRAW = 400
/** Lines of a terminal if unknown. */
const HEIGHT = 24

/** Yields the final table; on a terminal also earlier ones, each drawn over the last and no longer than the terminal. */
export async function* follow(rows: Rows, options: ViewOptions, context: Context): AsyncGenerator<string> {
  const watch = new Watch(await scoringModules(), await Scorer.create({ ...options }, context))
  const { sources, stop, terminal } = context
  const inputs =
    sources.length === 0
      ? [rows]
      : sources.map((one) => soundRows(noteUnread(context.rows([tailed(one, stop)]), context), context))
  let done = false
  const reading = Promise.all(inputs.map((input) => watch.read(input))).finally(() => (done = true))
  // Its error is thrown by the await below.
  reading.catch(() => {})
  const table = () => watch.table(options.ci, styled(terminal.color), roomOf(context, { wide: false }))
  let drawn = 0
  while (terminal.output && !done) {
    await Promise.race([reading, wait(REDRAW)]).catch(() => {})
    if (done) break
    // Lines that have scrolled away cannot be overwritten.
    const lines = shortened(table(), Math.max(4, (terminal.rows ?? HEIGHT) - 1))
    yield over(drawn, lines)
    drawn = lines.length
  }
  await reading
  yield over(drawn, table())
}

/** Overwrites the lines drawn before, one by one, because clearing the screen flickers. */
const over = (before: number, lines: string[]) =>
  before === 0
    ? `${lines.join('\n')}\n`
    : `\u001b[${before}F${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`

/** The first lines that fit and the last one. */
const shortened = (lines: string[], room: number) =>
  lines.length <= room
    ? lines
    : [...lines.slice(0, room - 2), `… ${lines.length - room + 1} more lines`, lines.at(-1)!]

interface Line {
  stages: Map<string, number>
  failures: Map<string, number>
  tokens: number
  cost: number
  report: Report
}

class Watch {
  private readonly lines = new Map<string, Line>()
  private readonly started = monotonicMs()
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
    const name = identityTitle(identityOf(row, modelOf(row))) || 'no judge'
    const make = () => {
      const report = new Report(this.modules, ['none'])
      return { stages: new Map(), failures: new Map(), tokens: 0, cost: 0, report }
    }
    return getOrInsert(this.lines, name, make)
  }

  table(ci: number, style: Style, room: Room): string[] {
    const seconds = Math.max(0.001, (monotonicMs() - this.started) / 1000)
    const head = ['run', 'rows', 'items', 'value', 'failed', 'tokens', 'cost', 'failures']
    const body = [...this.lines].map(([name, line]) => {
      const report = line.report.finish()[0]!.all.report({ ci })
      return [
        inLine(visible(name)),
        String(sum(line.stages)),
        String(report.items || ''),
        estimateOf(report),
        String(sum(line.failures)),
        String(line.tokens || ''),
        line.cost === 0 ? '' : `$${line.cost.toFixed(4)}`,
        [...line.failures].map(([code, n]) => `${code} ${n}`).join(', '),
      ]
    })
    const kept = head.map((_, i) => i < 2 || body.some((cells) => cells[i] !== '' && cells[i] !== '0'))
    const [titles, ...lines] = [head, ...body].map((cells) => cells.filter((_, i) => kept[i]))
    const rate = `${this.rows} rows in ${seconds.toFixed(0)} s, ${(this.rows / seconds).toFixed(1)} a second`
    return [...fittedLines({ head: titles!, lines }, style, { room }), style(2, rate)]
  }
}

const sum = (counts: Map<string, number>) => [...counts.values()].reduce((all, n) => all + n, 0)

function estimateOf({ accuracy, score, ci }: JsonObject): string {
  const bounds = Array.isArray(ci) ? (ci as number[]) : undefined
  if (typeof accuracy === 'number') {
    const interval = bounds ? ` (${bounds.map((bound) => (bound * 100).toFixed(1)).join('–')})` : ''
    return `${(accuracy * 100).toFixed(1)} %${interval}`
  }
  if (typeof score !== 'number') return ''
  return `${score.toFixed(2)}${bounds ? ` (${bounds.map((bound) => bound.toFixed(2)).join('–')})` : ''}`
}
