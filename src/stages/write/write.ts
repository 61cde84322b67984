/** jb-write: rows, results or trials → another program's file or table. */

import { existsSync } from 'node:fs'
import { validMember } from '../../formats/_cells.ts'
import { listEntry, roomOf } from '../../formats/_fit.ts'
import { formatMembers, formatOf, type Writer } from '../../formats/_format.ts'
import { judgmentsOf } from '../../formats/_judgments.ts'
import { getOrInsert } from '../../rows/maps.ts'
import type { Rows } from '../../rows/reader.ts'
import { EXIT, usageError } from '../../rows/record.ts'
import type { Row } from '../../rows/row.ts'
import { type Context, type Stage, validRows } from '../../rows/stage.ts'
import { followed } from '../../scoring/followed.ts'
import { BY_DEFAULT } from '../../scoring/item_fields.ts'
import { labelFields } from '../../scoring/label.ts'
import { onResults } from '../../scoring/options.ts'
import { addScoring, noteScorings, type ProvenanceSums, provenanceSums } from '../../scoring/provenance.ts'
import { forEachRow, isProbe, noteProbes } from '../../scoring/rows.ts'
import { identityOf, nameOfRun, type RunIdentity, runKey } from '../../scoring/run_identity.ts'
import { sampleNumbers } from '../../scoring/samples.ts'
import { scoredRows } from '../../scoring/scored_rows.ts'
import type { WriteOptions } from './options.ts'

export type { WriteOptions } from './options.ts'

/** Yields the format's text; no more of it where the input ended before its end. */
export const write: Stage<WriteOptions> = async function* (rows, options, context) {
  if (options.list) {
    for (const { name, about } of await formatMembers('write').all())
      yield listEntry(`${name.padEnd(20)} `, about, roomOf(context))
    return
  }
  const name = context.positional[0]!
  const format = await formatOf(name, 'write').catch((error) => {
    throw existsSync(name)
      ? usageError(
          `${name} is a file: the format comes first, as in jb-write csv ${name} (jb-write --list shows all)`,
        )
      : error
  })
  const { rows: known, options: settings } = await followed(rows, options, context)
  const repeats = format.countsRepeats !== undefined && settings.compat === format.countsRepeats
  const seen: Seen = { rows: 0, valid: 0 }
  const valid = validRows(withoutProbes(known, settings, context), context)
  const scored = scoredFor(format, valid, { ...settings, repeats }, context)
  const ready = counted(format.judgments ? judgments(scored, context.note) : scored, seen)
  for await (const text of format.write(ready, { ...settings }, context)) {
    if (context.cut()) return
    yield text
  }
  if (context.cut() || seen.valid > 0 || (format.unjudged && seen.rows > 0)) return
  const why =
    seen.rows === 0
      ? 'there is no item in the input'
      : `none of ${seen.rows} has a verdict: ${seen.failure ?? 'run jb-parse first'}`
  context.finish(EXIT.gate, `nothing was measured: ${why}`)
}

/** A result for each item. @param repeats all rows count */
function scoredFor(
  { unjudged, fields: own = [] }: Writer,
  rows: Rows,
  { repeats, ...options }: WriteOptions & { repeats: boolean },
  context: Context,
): Rows {
  const { label } = options
  const named = typeof own === 'function' ? own({ ...options }) : own
  const fields = named === 'all' ? named : [...BY_DEFAULT, ...labelFields({ label }), ...named]
  const sampleOf = repeats ? sampleNumbers() : undefined
  return scoredRows(
    rows,
    { ...options, fields, ...(sampleOf && { subject: (row: Row) => String(sampleOf(row)) }) },
    context,
    // A text's length, a nugget bank and a grade that a person gave need no judge.
    { keepsRows: true, isTrial: unjudged === 'pass' ? isJudged : undefined },
  )
}

/** The judgments of scored rows. */
async function* judgments(rows: Rows, note: Context['note']): Rows {
  for await (const batch of rows) yield batch.flatMap((row) => judgmentsOf(row, note))
}

/** Keys of `jb` that a row has once a judge was asked about it. */
const JUDGED = ['judge', 'trial', 'verdict', 'result', 'error'] as const
const isJudged = (row: Row) => JUDGED.some((key) => row.has(key))

interface Seen {
  rows: number
  /** Verdicts and results. */
  valid: number
  /** Why the first of the others failed. */
  failure?: string
}

/** The same rows, counted. */
async function* counted(rows: Rows, seen: Seen): Rows {
  for await (const batch of rows) {
    seen.rows += batch.length
    for (const row of batch) {
      const error = validMember(row, 'error')
      if (error) seen.failure ??= `${error.code}: ${error.message}`
      else if (row.has('result') || row.has('verdict')) seen.valid++
    }
    yield batch
  }
}

/** The same rows, without those about changed items. @throws Fatal (usage) for options of scoring beside results */
async function* withoutProbes(rows: Rows, options: WriteOptions, context: Context): Rows {
  const onResult = onResults(options, context)
  const provenance = new Map<string, { identity: RunIdentity; of: ProvenanceSums }>()
  let probes = 0
  for await (const batch of rows) {
    forEachRow(batch, context, (row) => {
      const result = row.get('result')
      if (!result) return
      onResult()
      const identity = identityOf(row)
      addScoring(
        getOrInsert(provenance, runKey(identity), () => ({ identity, of: provenanceSums() })).of,
        result,
      )
    })
    const kept = batch.filter((row) => !isProbe(row))
    probes += batch.length - kept.length
    if (kept.length > 0) yield kept
  }
  if (context.cut()) return
  noteProbes(probes, context.note)
  for (const run of provenance.values()) noteScorings(nameOfRun(run), run.of, context.note)
}
