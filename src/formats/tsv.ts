import type { Format } from './_format.ts'
import { format as csv } from './csv.ts'

export const format: Format = {
  about: 'a spreadsheet as TSV: a line an item, its own fields first',
  fields: 'all',
  unjudged: 'fail',
  writeOptions: csv.writeOptions!,
  async *write(rows, options, context) {
    const { spreadsheet } = await import('./_spreadsheet.ts')
    yield* spreadsheet(rows, { ...options, format: 'tsv' }, context)
  },
}
