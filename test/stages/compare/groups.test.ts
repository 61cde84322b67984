/** --by: a difference that is not the same in all groups. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heterogeneity } from '../../../src/statistics/heterogeneity.ts'
import { folder } from '../../helpers/folder.ts'
import { figures, near, run, values } from './_compare.ts'

const field = (i: number) => ({ subset: i < 40 ? 'math' : 'code', half: (i >> 2) % 2 ? 'odd' : 'even' })

/** Two runs with 75 % right; the new one is better in math, and worse in code. */
const opposite = {
  'old.ndjson': values(
    Array.from({ length: 80 }, (_, i) => Number(i % 4 > 0)),
    field,
  ),
  'new.ndjson': values(
    Array.from({ length: 80 }, (_, i) => Number(i < 40 || i % 4 > 1)),
    field,
  ),
}

test('opposite effects are named by their groups; fields that do not matter are not', async (t) => {
  const dir = folder(t, opposite)
  const args = [`old=${dir}/old.ndjson`, `new=${dir}/new.ndjson`, '--value', 'value']
  const [whole, ...parts] = await figures([...args, '--by', 'subset', '--by', 'half'])
  assert.equal(whole!.difference, 0)
  assert.equal(whole!.verdict, 'undecided')
  const [code, math] = parts
  assert.match(
    whole!.sentence,
    /^undecided: new against old 0\.000 \(−0\.112 to 0\.112\); not the same in all groups of subset \(p below 0\.0001\): math \+0\.250 \(0\.\d+ to 0\.\d+\), code −0\.250 \(−0\.\d+ to −0\.\d+\)$/,
  )
  const [bySubset, byHalf] = whole!.heterogeneity
  assert.deepEqual(
    [bySubset.by, bySubset.groups, bySubset.most, bySubset.least],
    [
      'subset',
      2,
      { group: 'math', difference: 0.25, ci: math!.ci },
      { group: 'code', difference: -0.25, ci: code!.ci },
    ],
  )
  assert.equal(byHalf.by, 'half')
  assert.ok(byHalf.p_holm >= byHalf.p && byHalf.p > 0.05, `${byHalf.p}`)
  assert.equal(math!.heterogeneity, undefined)
  // The same bytes whatever the order of rows.
  const reversed = folder(
    t,
    Object.fromEntries(
      Object.entries(opposite).map(([name, text]) => [
        name,
        `${text.trimEnd().split('\n').reverse().join('\n')}\n`,
      ]),
    ),
  )
  const again = [
    `old=${reversed}/old.ndjson`,
    `new=${reversed}/new.ndjson`,
    '--value',
    'value',
    '--by',
    'subset',
  ]
  assert.equal((await run(again)).text, (await run([...args, '--by', 'subset'])).text)
})

test('groups of one item, and items without the field, are in no test', () => {
  const d = [1, 0, 1, 1, -1, 0, -1, -1, 1]
  const groups = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'alone']
  const found = heterogeneity(d, groups)!
  assert.deepEqual(found.names, ['a', 'b'])
  // By hand: two imaginary values a group, one deviation of 0.9258 above the mean of 0 and one below; t with Welch's freedom.
  near(found.p, 0.0740516346652612, 1e-9, 'p')
  assert.equal(heterogeneity([1, 1, 0], ['a', 'a', 'b']), null)
  assert.equal(heterogeneity([1, 1, 1, 1], ['a', 'a', 'b', 'b']), null)
  assert.equal(heterogeneity([1, 0, 1, 0], ['a', 'a', undefined, undefined]), null)
})
