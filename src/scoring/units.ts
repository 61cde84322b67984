/** Units, items or clusters of items, in the order of jb-render --shuffle, whatever the order in which their rows come. */
import { ignoredOption } from '../options/ignored.ts'
import { getOrInsert } from '../rows/maps.ts'
import type { Rows } from '../rows/reader.ts'
import { EXIT, Fatal, type Shuffle, usageError } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { itemOf, shuffleKey, unitOf } from '../rows/shuffle.ts'
import type { Context } from '../rows/stage.ts'
import { forEachRow, isProbe } from './rows.ts'

/** A unit whose rows are not all there. */
interface Waiting {
  /** The number of its items. */
  size: number
  rows: Row[]
  /** By item: the trials that came, and how many there are. */
  items: Map<string, { trials: Set<number>; of: number }>
}

const isWhole = ({ size, items }: Waiting) =>
  items.size === size && [...items.values()].every(({ trials, of }) => trials.size >= of)

/** Notes that a trial is there. @returns false if it came before */
function isNew({ items }: Waiting, row: Row): boolean {
  // A result has all trials of its item.
  const { n = 0, of = 1 } = row.has('trials') ? {} : (row.get('trial') ?? {})
  const item = getOrInsert(items, itemOf(row), () => ({ trials: new Set(), of: 1 }))
  if (item.trials.has(n)) return false
  item.trials.add(n)
  item.of = Math.max(item.of, of)
  return true
}

export class Units {
  /** Of the first row: the seed; the number of all units, undefined if it is not known; the size of the largest. */
  seed: string | undefined
  of: number | undefined
  most = 1
  /** The unit that comes next, and the key of the one before. */
  private next = 0
  private key = ''
  private first: Shuffle | undefined
  /** By place: the id of its unit. */
  private readonly ids: string[] = []
  private readonly waiting = new Map<number, Waiting>()
  /** --shuffled: the numbers of items, in the order in which they came. */
  private readonly numbers = new Map<string, number>()
  private readonly shuffled: number | undefined
  private readonly context: Pick<Context, 'stage' | 'note' | 'env'>

  /** @param shuffled the user's word that rows without a mark are in a random order: of so many items, 0 if not known */
  constructor(shuffled: number | undefined, context: Pick<Context, 'stage' | 'note' | 'env'>) {
    this.shuffled = shuffled
    this.context = context
  }

  /**
   * Yields the rows of each unit, in the order of their places, as soon as all trials of its items came once.
   * @throws Fatal (usage) for rows in no known order, (data) where marks contradict each other
   */
  async *read(rows: Rows): AsyncGenerator<Row[]> {
    for await (const batch of rows) {
      forEachRow(batch, this.context, (row) => {
        if (!isProbe(row)) this.take(row)
      })
      yield* this.whole()
    }
    const later = [...this.waiting.values()].reduce((sum, { rows }) => sum + rows.length, 0)
    if (later > 0)
      this.context.note(
        `not all rows of item ${this.next + 1}${this.of === undefined ? '' : ` of ${this.of}`} came: ${later} rows of it and of later items do not count`,
      )
  }

  private *whole(): Generator<Row[]> {
    for (let unit = this.waiting.get(this.next); unit && isWhole(unit); unit = this.waiting.get(this.next)) {
      if (this.seed !== undefined) this.checkOrder(shuffleKey(this.seed, this.ids[this.next]!), unit.rows[0]!)
      this.waiting.delete(this.next++)
      yield unit.rows
    }
  }

  private checkOrder(key: string, row: Row): void {
    if (key < this.key) throw wrong(row, `this is not the order that seed "${this.seed}" gives`)
    this.key = key
  }

  private take(row: Row): void {
    const mark = row.get('shuffle')
    const { n, size = 1 } = mark ? this.checked(mark, row) : this.numbered(row)
    const id = (this.ids[n] ??= unitOf(row))
    if (id !== unitOf(row)) throw wrong(row, `"${id}" and "${unitOf(row)}" have one place, ${n}`)
    const unit =
      n < this.next ? undefined : getOrInsert(this.waiting, n, () => ({ size, rows: [], items: new Map() }))
    if (unit && isNew(unit, row)) unit.rows.push(row)
    else {
      const { file, line } = row
      this.context.note('a trial that came before: only the first counts', {
        file,
        line,
        kind: 'trial again',
      })
    }
  }

  /** @throws Fatal (data) if it contradicts the first mark */
  private checked(mark: Shuffle, row: Row): Shuffle {
    if (!this.first) {
      if (this.shuffled !== undefined)
        ignoredOption('shuffled', 'the rows have the mark of jb-render --shuffle', this.context)
      this.first = mark
      ;({ seed: this.seed, of: this.of } = mark)
      this.most = mark.most ?? 1
    }
    const { seed, of, most } = this.first
    if (mark.seed !== seed || mark.of !== of || mark.most !== most)
      throw wrong(row, 'rows of two orders are mixed')
    if (mark.n >= of) throw wrong(row, `place ${mark.n} of ${of}`)
    return mark
  }

  private numbered(row: Row): { n: number; size?: number } {
    const { numbers, shuffled } = this
    if (shuffled === undefined || this.first)
      throw usageError(
        `${row.place}: the order is not known to be random: jb-render --shuffle SEED (or --shuffled N, if it is)`,
      )
    const n = getOrInsert(numbers, itemOf(row), () => numbers.size)
    if (shuffled > 0) this.of = shuffled
    if (shuffled > 0 && n >= shuffled) throw wrong(row, `more items than --shuffled ${shuffled}`)
    return { n }
  }
}

const wrong = (row: Row, message: string) => new Fatal(EXIT.data, `${row.place}: jb.shuffle: ${message}`)
