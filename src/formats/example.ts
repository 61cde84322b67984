import { openSources } from '../files/files.ts'
import { folderPath } from '../files/members.ts'
import type { Format } from './_format.ts'

/** The pairs that come with the package. */
export const format: Format = {
  about: '48 pairs of answers with labels, to try things with: needs no file',
  noStdin: true,
  read: (_sources, _options, context) =>
    context.rows(openSources([`${folderPath('../fixtures')}pairs.jsonl`], () => process.stdin)),
}
