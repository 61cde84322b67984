/** Trials of an item that stand far apart, as after `cat ab.ndjson ba.ndjson`: the report of trials side by side. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'

const ITEMS = 700
const error = { stage: 'call', code: 'timeout', message: 'late', retryable: true }

/** Two games of an item; of some one failed, without or with a model, or is missing, or there is another reply to it. */
function games(i: number): [first: object[], second: object[]] {
  const one = (n: number, more: object = {}) =>
    game(`p${i}`, n, 2, i % 3 === n ? 'A>B' : 'B>A', {
      source: `s${i % 4}`,
      jb: { reply: { text: `${i} ${n}`, model: 'm', usage: { prompt_tokens: i }, cost: 0.25 }, ...more },
    })
  const failed = (n: number, more: object = {}) => one(n, { verdict: undefined, ...more })
  if (i % 100 === 1) return [[one(0)], [failed(1, { reply: undefined, error })]]
  if (i % 100 === 2) return [[failed(0, { error }), one(0)], [one(1)]]
  if (i % 100 === 3) return [[one(0)], []]
  if (i % 100 === 4) return [[one(0)], [one(1), one(1), one(0)]]
  return [[one(0)], [one(1)]]
}

test('trials far apart add up as those side by side, and incomplete items are named with their lines', async (t) => {
  const all = Array.from({ length: ITEMS }, (_, i) => games(i))
  const apart = [...all.flatMap(([first]) => first), ...all.toReversed().flatMap(([, second]) => second)]
  // One that cannot be scored, far from the first: its place is that in the input.
  const mislabelled = [0, 1].map((n) => game('none', n, 2, 'A>B', { label: 'nonsense', source: 's0' }))
  const rows = [...apart.slice(0, -1), mislabelled[0]!, apart.at(-1)!, mislabelled[1]!]
  const path = folder(t, { 'a.ndjson': ndjson(rows.slice(0, 1000)), 'b.ndjson': ndjson(rows.slice(1000)) })
  const args = ['--label', 'label']
  const side = ndjson([...all.flat(2), ...mislabelled])
  const expected = fine(await jb('aggregate', ['-q', ...args], { stdin: side })).stdout
  const piped = await jb('aggregate', args, { stdin: ndjson(rows) })
  const filed = await jb('aggregate', [...args, `${path}/a.ndjson`, `${path}/b.ndjson`])
  assert.equal(piped.stdout, expected)
  assert.equal(filed.stdout, expected)
  const line = rows.indexOf(mislabelled[0]!) + 1
  assert.ok(piped.stderr.includes(`(stdin):${line}: missing_field`), piped.stderr)
  assert.ok(filed.stderr.includes(`b.ndjson:${line - 1000}: missing_field`), filed.stderr)
})
