/** Writes the output of a stage. */
import type { StageName } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { writeOrFail } from '../rows/stage.ts'
import type { Output } from '../rows/writer.ts'

interface WriteSettings {
  stage: StageName
  /** The first row that fails in this stage ends the run. */
  strict: boolean
  /** Each batch is written at once. */
  eager: boolean
  /** Called for each row that is written. */
  count(row: Row): void
  /** Told that the output is a text, such as a report. */
  onText(): void
}

/**
 * Writes what a stage yields: rows or text.
 * @returns the message, if --strict ended it early
 */
export async function writeOutput(
  yielded: AsyncIterable<Row[] | string | Uint8Array>,
  output: Output,
  settings: WriteSettings,
): Promise<string | undefined> {
  for await (const batch of yielded) {
    if (typeof batch === 'string') {
      settings.onText()
      output.text(batch)
    } else if (batch instanceof Uint8Array) {
      settings.onText()
      output.bytes(batch)
    } else {
      const strictly = await writeRows(batch, output, settings)
      if (strictly !== undefined) return strictly
    }
    if (settings.eager || output.full) await output.flush()
    else output.flushSoon()
  }
  return undefined
}

async function writeRows(
  rows: Row[],
  output: Output,
  { stage, strict, count }: WriteSettings,
): Promise<string | undefined> {
  for (const row of rows) {
    writeOrFail(row, stage, output)
    count(row)
    if (output.full) await output.flush()
    if (row.failure && strict) return `${row.place}: ${row.failure.code}: ${row.failure.message} (--strict)`
  }
  return undefined
}
