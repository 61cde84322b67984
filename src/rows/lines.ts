/** Rows as lines of bytes, for the scanner. */
import { readLine } from './line.ts'
import { type Plan, scan } from './plan.ts'
import type { Rows } from './reader.ts'
import type { Row } from './row.ts'

/** The rows of a batch, one after the other. @internal */
export class Lines {
  file = ''
  line = 0
  /** The current row's line, where it begins and ends, and where `jb`'s object begins (-1: there is none). */
  bytes = Buffer.alloc(0)
  begin = 0
  end = 0
  jb = -1
  /** Where the user's part ends: at a `jb` that ends the line, else with the line. */
  userEnd = 0
  private readonly given: readonly Row[]
  private readonly plan: Plan
  private index = -1

  constructor(rows: readonly Row[], plan: Plan) {
    this.given = rows
    this.plan = plan
  }

  /** Goes to the next row, and scans it. */
  next(): boolean {
    const row = this.given[++this.index]
    if (!row) return false
    this.file = row.file
    this.line = row.line
    const line = readLine(row.toText())
    this.bytes = Buffer.from(`${line.text}\n`)
    this.end = this.userEnd = this.bytes.length - 1
    this.jb = -1
    if (line.jb) {
      const before = Buffer.byteLength(line.text.slice(0, line.from))
      this.jb = this.bytes.indexOf('{', this.bytes.indexOf(':', before))
      if (line.to === line.text.length - 1) this.userEnd = before
      scan(this.bytes, this.jb, this.end, this.plan)
    } else this.plan.clear()
    return true
  }

  row(): Row {
    return this.given[this.index]!
  }
}

/** The rows of batches as lines, scanned with a plan. @internal */
export async function* linesOf(rows: Rows, plan: Plan): AsyncGenerator<Lines> {
  for await (const batch of rows) yield new Lines(batch, plan)
}
