/** Checks that a report in an original's format covers one judge and model, as the original's does (or a judge for each part of it). */
import { EXIT, Fatal } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { identityOf } from '../scoring/run_identity.ts'

/** The parts of a run's identity, as messages name them. */
const PARTS = ['judge', 'name', 'model'] as const

export class OneJudge {
  private readonly format: string
  private readonly known = new Map<string, string>()

  /** Values of the field `model`, in rows whose judge's model is not known. */
  private readonly named = new Set<string>()

  constructor(format: string) {
    this.format = format
  }

  /**
   * Call for every row.
   * @param of the part of the report that the row is in, if each part may have its own judge
   * @throws Fatal (data) if its judge or model differs from the rows before
   */
  check(row: Row, of = ''): void {
    const found = identityOf(row)
    for (const part of PARTS) {
      const key = part === 'model' ? part : part + of
      const [before, now] = [this.known.get(key), found[part]]
      if (before !== undefined && now !== undefined && before !== now)
        throw new Fatal(
          EXIT.data,
          `${row.place}: ${this.format} is for one judge and model: the ${part} is ${now} here, ${before} before (jq 'select(…)' takes one)`,
        )
      if (now !== undefined) this.known.set(key, now)
    }
    const named = row.field('model')
    if (found.model === undefined && typeof named === 'string') this.named.add(named)
  }

  /** The judge's model, else the one that the rows' `model` fields name; undefined if they name several. */
  get model(): string | undefined {
    const [first, second] = this.named
    return this.known.get('model') ?? (second === undefined ? first : undefined)
  }
}
