/** `--as NAME`: what another format makes of the rows, with the gates beside it. */
import { formatOf, type Writer } from '../../formats/_format.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT } from '../../rows/record.ts'
import { type Context, soundRows } from '../../rows/stage.ts'
import { settled } from '../../scoring/_already_scored.ts'
import { deduplicatedText } from '../../scoring/_deduplicated.ts'
import { fieldsDigestOf } from '../../scoring/_item_fields.ts'
import { noteScorings, Provenance } from '../../scoring/_provenance.ts'
import { identityOf, nameOfRun, type RunIdentity, runKey } from '../../scoring/_run_identity.ts'
import { forEachRow, isProbe, noteProbes, scoredRows } from '../../scoring/_scored_rows.ts'
import { gatesOf } from './gates.ts'
import type { AggregateOptions } from './options.ts'
import { isJudged, Watch } from './watch.ts'

/** Yields the format's text; no more of it where the input ended before its end. */
export async function* writtenAs(
  name: string,
  rows: Rows,
  options: AggregateOptions,
  context: Context,
): AsyncGenerator<string> {
  const format = await formatOf(name, 'write', context.stage)
  if (format.countsRepeats !== undefined && options.compat === format.countsRepeats)
    return yield* written(format, soundRows(rows, context), options, context)
  const fieldsDigest = fieldsDigestOf(options, format.whole)
  yield* deduplicatedText(rows, { ...options, fieldsDigest }, context, (sound, within) =>
    written(format, sound, options, within),
  )
}

async function* written(
  format: Writer,
  rows: Rows,
  options: AggregateOptions,
  context: Context,
): AsyncGenerator<string> {
  const gates = await gatesOf(format, options, context)
  const watch = await Watch.create(format, gates, options, context)
  const checked = taken(rows, options, context)
  const scored = format.converts ? isJudged : undefined
  const ready = format.unscored ? checked : scoredRows(checked, options, context, scored)
  for await (const text of format.write(watch?.rows(ready, options) ?? ready, options, context)) {
    if (context.cut()) return
    yield text
  }
  if (context.cut() || !watch) return
  for (const message of watch.mismatches) context.finish(EXIT.gate, message)
  watch.check(options)
}

/** Rows as they are, but for those about changed items; none is scored where options for scoring are given. */
async function* taken(rows: Rows, options: AggregateOptions, context: Context): Rows {
  const onResult = settled(options, context)
  const made = new Map<string, { identity: RunIdentity; of: Provenance }>()
  let probes = 0
  for await (const batch of rows) {
    forEachRow(batch, context, (row) => {
      const result = row.get('result')
      if (!result) return
      onResult()
      const identity = identityOf(row)
      getOrInsert(made, runKey(identity), () => ({ identity, of: new Provenance() })).of.add([], result)
    })
    const kept = batch.filter((row) => !isProbe(row))
    probes += batch.length - kept.length
    if (kept.length > 0) yield kept
  }
  if (context.cut()) return
  noteProbes(probes, context.note)
  for (const run of made.values()) noteScorings(nameOfRun(run), run.of, context.note)
}
