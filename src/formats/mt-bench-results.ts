/**
 * `jb-write mt-bench-results`: the tables of FastChat's show_result. Ratings: means per model, for the first turn, the second
 * turn and both. Pairs: wins, losses and ties per model; if the two games of a pair disagree, it is a tie. Failed items
 * are in no table.
 */
import { didYouMean } from '../options/nearest.ts'
import { toFixed } from '../python/numbers.ts'
import { byCodePoint, codePoints } from '../python/unicode.ts'
import { getOrInsert } from '../rows/maps.ts'
import { EXIT } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { Histogram } from '../statistics/describe.ts'
import type { Format } from './_format.ts'
import { OneJudge } from './_one_judge.ts'

export const format: Format = {
  about: 'MT-bench: the tables of show_result, for ratings or for pairs',
  countsRepeats: 'mt-bench',
  writeOptions: [
    {
      name: 'baseline',
      type: 'string',
      value: 'MODEL',
      about: 'only pairs against this model, which is left out of the table',
    },
  ],
  fields: ['model', 'model_1', 'model_2', 'turn'],
  async *write(rows, options, context) {
    const ratings = new Ratings()
    const pairs = new Pairs(options.baseline as string | undefined)
    const one = new OneJudge('mt-bench-results')
    let failed = 0
    let unread = 0
    for await (const batch of rows)
      for (const row of batch) {
        one.check(row)
        const result = row.get('result')
        if (!result) {
          failed++
          pairs.failed ||= row.field('model_1') !== undefined
        } else if (result.decision === undefined) ratings.add(row)
        else if (!pairs.add(row)) unread++
      }
    if (failed > 0) context.note(`${failed} items failed and are in no table`)
    if (unread > 0) context.note(`pairs with a game without a verdict, in no table: ${unread}`)
    // If every rating failed, print the empty tables: show_result prints nothing for pairs.
    yield* ratings.tables(options.compat === 'mt-bench' && pairs.empty && !pairs.failed)
    if (pairs.others > 0)
      context.note(`pairs without ${options.baseline}, the baseline, in no table: ${pairs.others}`)
    const absent = pairs.absentBaseline()
    if (absent !== undefined) context.finish(EXIT.gate, absent)
    yield* pairs.tables()
  },
}

class Ratings {
  private readonly byTurn = new Map<number, Map<string, Histogram>>()
  private readonly all = new Map<string, Histogram>()

  add(row: Row): void {
    const model = String(row.field('model') ?? 'unknown')
    const turn = Number(row.field('turn') ?? 1)
    const score = row.get('result')!.score!
    const ofTurn = getOrInsert(this.byTurn, turn, () => new Map<string, Histogram>())
    for (const models of [ofTurn, this.all]) getOrInsert(models, model, () => new Histogram()).add(score)
  }

  get empty(): boolean {
    return this.all.size === 0
  }

  /** @param all print every table, as show_result does: also an empty second turn, and the average of a single turn */
  *tables(all: boolean): Generator<string> {
    if (this.empty && !all) return
    for (const [index, title] of ['First turn', 'Second turn'].entries()) {
      const turn = index + 1
      const models = this.byTurn.get(turn)
      if (!models && !all) continue
      yield `\n########## ${title} ##########\n`
      yield table(
        ['model', 'turn'],
        ['score'],
        ranked(models ?? new Map()).map(([model, mean]) => [model, turn, mean]),
      )
    }
    if (!this.byTurn.has(2) && !all) return
    yield '\n########## Average ##########\n'
    yield table(['model'], ['score'], ranked(this.all))
  }
}

const ranked = (models: Map<string, Histogram>) =>
  [...models]
    .map(([model, scores]): [string, number] => [model, scores.mean!])
    .sort(([a, x], [b, y]) => y - x || byCodePoint(a, b))

interface Wins {
  win: number
  loss: number
  tie: number
}

class Pairs {
  private readonly models = new Map<string, Wins>()
  private readonly baseline: string | undefined
  private readonly named = new Set<string>()
  /** Pairs without the baseline. */
  others = 0
  /** Whether a pair failed. */
  failed = false

  constructor(baseline: string | undefined) {
    this.baseline = baseline
  }

  get empty(): boolean {
    return this.models.size === 0
  }

  /** The message for a --baseline that is in no pair. */
  absentBaseline(): string | undefined {
    const { baseline, named } = this
    if (baseline === undefined || named.size === 0 || named.has(baseline)) return undefined
    const hint = didYouMean(baseline, [...named])
    return `--baseline ${baseline}: no pair is against that model${hint} (there are: ${[...named].join(', ')})`
  }

  /** @returns false for a pair with a game without a verdict: show_result leaves it out */
  add(row: Row): boolean {
    const trials = row.get('trials')?.map(({ verdict }) => verdict?.decision)
    const games = trials ?? [row.get('result')!.decision]
    if (games.some((game) => game !== 'A>B' && game !== 'B>A' && game !== 'A=B')) return false
    const agreed = games.every((game) => game === games[0]) ? games[0] : 'A=B'
    const names = ['model_1', 'model_2'].map((field) => String(row.field(field) ?? field))
    for (const name of names) this.named.add(name)
    if (this.baseline !== undefined && !names.includes(this.baseline)) {
      this.others++
      return true
    }
    const [first, second] = names.map((name) => this.of(name)) as [Wins, Wins]
    if (agreed === 'A=B') {
      first.tie++
      second.tie++
    } else {
      const [winner, loser] = agreed === 'A>B' ? [first, second] : [second, first]
      winner.win++
      loser.loss++
    }
    return true
  }

  private of(name: string): Wins {
    return getOrInsert(this.models, name, () => ({ win: 0, loss: 0, tie: 0 }))
  }

  *tables(): Generator<string> {
    const rows = [...this.models]
      .filter(([model]) => model !== this.baseline)
      .map(([model, { win, loss, tie }]) => {
        const n = win + loss + tie
        return [model, win, loss, tie, win / n, loss / n, (win + 0.5 * tie) / n] as (string | number)[]
      })
      .sort((a, b) => (b[6] as number) - (a[6] as number) || byCodePoint(a[0] as string, b[0] as string))
    if (rows.length > 0)
      yield table(['model'], ['win', 'loss', 'tie', 'win_rate', 'loss_rate', 'win_rate_adjusted'], rows)
  }
}

/** A table as pandas prints it: column names above index names, floats with as many decimals as the longest needs. */
function table(index: string[], columns: string[], rows: (string | number)[][]): string {
  if (rows.length === 0) return `Empty DataFrame\nColumns: [${columns.join(', ')}]\nIndex: []\n`
  const count = index.length
  const cells = [...index, ...columns].map((name, at) => {
    const values = rows.map((row) => row[at]!)
    const texts =
      at < count ? values.map(escaped) : numbers(values as number[], !/^(win|loss|tie)$/.test(name))
    const lines = at < count ? ['', name, ...texts] : [name, '', ...texts]
    const widths = lines.map(codePoints)
    const width = Math.max(...widths)
    return lines.map((text, i) => {
      const space = ' '.repeat(width - widths[i]!)
      return at < count ? text + space : space + text
    })
  })
  return cells[0]!
    .map((_, line) => {
      const left = cells
        .slice(0, count)
        .map((column) => column[line]!)
        .join(' ')
      return [left, ...cells.slice(count).map((column) => column[line]!)].join('  ')
    })
    .join('\n')
    .concat('\n')
}

const escaped = (value: string | number) =>
  String(value).replace(/[\t\r\n]/g, (char) => JSON.stringify(char).slice(1, -1))

function numbers(values: number[], floats: boolean): string[] {
  if (!floats) return values.map(String)
  let texts = values.map((value) => toFixed(value, 6))
  while (texts.every((text) => /\.\d+0$/.test(text) && !text.endsWith('.0')))
    texts = texts.map((text) => text.slice(0, -1))
  const tooSmall = values.some((value) => value > 0 && value < 1e-6)
  const tooLarge = values.some((value) => value > 1e6) && texts.some(({ length }) => length >= 12)
  if (!tooSmall && !tooLarge) return texts
  return values.map((value) => value.toExponential(6).replace(/(?<=[+-])\d$/, '0$&'))
}
