/** A stream of lines whose `jb` is scanned with a plan. (By way of rows, until the reader gives lines.) */
import type { Rows } from './reader.ts'
import type { Row } from './row.ts'
import { type Plan, scan } from './scan.ts'

export class Lines {
  bytes: Buffer = Buffer.alloc(0)
  begin = 0
  end = 0
  jb = -1
  file = ''
  line = 0
  private at = 0
  private readonly rows: readonly Row[]
  private readonly plan: Plan

  constructor(rows: readonly Row[], plan: Plan) {
    this.rows = rows
    this.plan = plan
  }

  next(): boolean {
    const row = this.rows[this.at++]
    if (!row) return false
    const user = row.source.user as string
    this.bytes = Buffer.from(`${user}\n${row.jbText()}\n`, 'latin1')
    this.end = user.length
    this.file = row.file
    this.line = row.line
    const isBare = row.keys.length === 0 && row.jbText() === '{}'
    this.jb = isBare ? -1 : user.length + 1
    if (isBare) this.plan.at.fill(-1)
    else if (scan(this.bytes, this.jb, this.bytes.length - 1, this.plan) < 0) throw new Error('not scanned')
    return true
  }

  row(): Row {
    return this.rows[this.at - 1]!
  }
}

export async function* linesOf(rows: Rows, plan: Plan): AsyncGenerator<Lines> {
  for await (const batch of rows) yield new Lines(batch, plan)
}
