/** A Parquet file. */
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { parquet } from '../../formats/_parquet.ts'
import { filter, type Target } from '../_target.ts'

export const target: Target = {
  words: ['PAR1', '\u0015', '\u0019', '\u001c', '\u0000\u0000\u0000\u0000', '\u007f\u007f\u007f\u007f'],
  seeds: () => [
    parquet('question', ['x', 'yy', 'é']),
    parquet(
      'a',
      Array.from({ length: 40 }, (_, i) => `text ${i}`),
      'gzip',
      gzipSync,
    ),
  ],
  async run(input, folder) {
    writeFileSync(`${folder}/x.parquet`, input)
    return [await filter('read', ['parquet', `${folder}/x.parquet`])]
  },
}
