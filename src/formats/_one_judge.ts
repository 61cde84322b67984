/** An original's report is of one judge and model: over rows of two its figures would be those of neither. */
import { EXIT, Fatal } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { identityOf } from '../scoring/_run_identity.ts'

/** What identifies a run, and how messages name it. */
const PARTS = ['judge', 'name', 'model'] as const

export class OneJudge {
  private readonly format: string
  private readonly known: { [part in (typeof PARTS)[number]]?: string } = {}

  /** Names in the field `model`, of rows that no judge has seen. */
  private readonly named = new Set<string>()

  constructor(format: string) {
    this.format = format
  }

  /** To be called for every row. @throws Fatal (data) for one of another judge or model than those before it */
  check(row: Row): void {
    const found = identityOf(row)
    for (const part of PARTS) {
      const [before, now] = [this.known[part], found[part]]
      if (before !== undefined && now !== undefined && before !== now)
        throw new Fatal(
          EXIT.data,
          `${row.place}: --as ${this.format} is for one judge and model: the ${part} is ${now} here, ${before} before (jq 'select(…)' takes one)`,
        )
      this.known[part] ??= now
    }
    const named = row.field('model')
    if (found.model === undefined && typeof named === 'string') this.named.add(named)
  }

  /** The judge's model, else what the rows name as theirs; undefined where that is not one. */
  get model(): string | undefined {
    const [first, second] = this.named
    return this.known.model ?? (second === undefined ? first : undefined)
  }
}
