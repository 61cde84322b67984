/** Results whose items got another label after they were scored: the label in the row counts, as it would for trials. */
import { isDeepStrictEqual } from 'node:util'
import { Fatal, type Json, type Result, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import type { ScoreSettings } from './kind.ts'
import { KIND, kindIn } from './kinds.ts'
import { firstOf, labelFields, labelIn } from './label.ts'
import { meantBy } from './label_map.ts'
import { decisionOf, labelNumber } from './label_terms.ts'

/** What a result has of the item's label. */
const OF_LABEL = ['label', 'correct', 'credit', 'label_option', 'label_score', 'label_error'] as const

/** What a label may be kept as. */
const MEANINGS: ((label: Json) => unknown)[] = [decisionOf, labelNumber, (label) => label]

const itemsOf = ({ items }: Result) => (items ?? []) as Result[]

/** Whether two results of the same trials have the same label. */
function haveSameLabel(one: Result, other: Result): boolean {
  const [items, others] = [itemsOf(one), itemsOf(other)]
  return (
    OF_LABEL.every((key) => (one[key] ?? null) === (other[key] ?? null)) &&
    items.length === others.length &&
    items.every((item, i) => haveSameLabel(item, others[i]!))
  )
}

/** A result without its label, and without what jb-score adds. */
function unlabelled(result: Result): object {
  const left = ([key]: [string, unknown]) =>
    ![...OF_LABEL, 'items', 'model', 'scored_with'].includes(key as 'label')
  const members = Object.entries(result).filter(left)
  return { ...Object.fromEntries(members), items: itemsOf(result).map(unlabelled) }
}

/** The options that a result was scored with; criteria of files are in the row. */
function settingsIn({ scored_with }: Result): ScoreSettings {
  const { criteria: _, label_map, ...options } = (scored_with ?? {}) as ScoreSettings
  return { ...options, ...(typeof label_map === 'string' && { labelMap: label_map }) }
}

/** The row of a result; scored again, with a note, if the item's label has changed since. */
export function relabelled(row: Row, { isLabelled }: ScoreSettings, note: Context['note']): Row {
  const result = row.get('result')
  if (!result || isLabelled?.(row) === false) return row
  const settings = settingsIn(result)
  if (result.kind === 'list' || (result.kind === 'grade' && settings.label === undefined)) return row
  const label = meantBy(firstOf(row, labelFields(settings)), settings.labelMap)
  // Mostly it is the same, and nothing need be compared.
  const known = result.label
  if (label === undefined || (known !== undefined && MEANINGS.some((of) => of(label) === known))) return row
  const trials = row.get('trials')
  if (!trials?.every(({ verdict, error }) => verdict && !error)) return row
  const tell = (how: string) =>
    note(`the item's label has changed since it was scored: ${how}`, {
      ...{ file: row.file, line: row.line, kind: 'label corrected' },
    })
  try {
    const kind = KIND[kindIn(result, trials)]
    const about = { ...labelIn(row, kind, settings), asked: row.get('criteria') ?? [] }
    const scored = kind.score(trials, about, settings)
    if (haveSameLabel(scored, result)) return row
    const written = JSON.parse(JSON.stringify(scored)) as Result
    if (isDeepStrictEqual(unlabelled(written), unlabelled(result))) {
      tell('the new one counts')
      const { model, scored_with } = result
      if (model !== undefined) scored.model = model
      if (scored_with !== undefined) scored.scored_with = scored_with
      return row.fork().set('result', scored)
    }
    tell('the earlier one counts (jb-score over the rows of jb-parse takes the new one)')
  } catch (error) {
    if (!(error instanceof RowFailure || error instanceof Fatal)) throw error
    tell(`the earlier one counts, since ${error.message}`)
  }
  return row
}
