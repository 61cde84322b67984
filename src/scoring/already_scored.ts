/** Options for scoring where all is scored: that they change nothing is said. */
import { ignoredOption } from '../options/ignored.ts'
import type { Rows } from '../rows/reader.ts'
import type { Context } from '../rows/stage.ts'
import { forEachRow } from './rows.ts'

/** Options that say how trials become a result. */
const SCORING = {
  combine: 'combine',
  label: 'label',
  labelMap: 'label-map',
  tie: 'tie',
  criteria: 'criteria',
}

type ScoringOptions = { [name in keyof typeof SCORING]?: unknown }

/** The options for scoring that are given. */
const given = (options: ScoringOptions) =>
  Object.entries(SCORING).flatMap(([key, name]) =>
    [options[key as keyof ScoringOptions] ?? []].flat().length > 0 ? [name] : [],
  )

/** Reports those that are given, where nothing is scored. @throws Fatal (usage) */
export function refuseScoring(options: ScoringOptions, why: string, context: Context): void {
  for (const option of given(options)) ignoredOption(option, why, context)
}

/** To be called for every row that is a result already; the first is reported. @throws Fatal (usage) */
export function settled(options: ScoringOptions, context: Context): () => void {
  let open: string[] = given(options)
  const why = `the rows are scored already: give it ${context.stage === 'score' ? 'the rows of jb-parse' : 'to jb-score'}`
  return () => {
    for (const option of open) ignoredOption(option, why, context)
    open = []
  }
}

/** The rows, none of which is a result if options for scoring are given. @throws Fatal (usage) */
export function unscored(rows: Rows, options: ScoringOptions, context: Context): Rows {
  return given(options).length === 0 ? rows : checked(rows, options, context)
}

async function* checked(rows: Rows, options: ScoringOptions, context: Context): Rows {
  const onResult = settled(options, context)
  for await (const batch of rows) {
    forEachRow(batch, context, (row) => {
      if (row.has('result')) onResult()
    })
    yield batch
  }
}
