/** jb-compare: figures against those of SciPy and statsmodels. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { figures, near, run, values } from './_compare.ts'

const oracle = JSON.parse(
  readFileSync(new URL('../../../fixtures/statistics/oracle.json', import.meta.url), 'utf8'),
)

test('outcomes and scores of plain rows: the figures of SciPy and statsmodels', async (t) => {
  for (const kind of ['binary', 'scores']) {
    const { a, b, expect } = oracle[kind]
    const dir = folder(t, { 'a.jsonl': values(a), 'b.jsonl': values(b) })
    const [pair] = await figures([`a=${dir}/a.jsonl`, `b=${dir}/b.jsonl`, '--value', 'value'])
    assert.deepEqual([pair.a, pair.b, pair.items], ['a', 'b', a.length])
    for (const key of ['difference', 'ci', 'p', 'p_wilcoxon'])
      if (key in expect) near(pair[key], expect[key], 1e-9, `${kind} ${key}`)
    if ('kappa' in expect) near(pair.agreement.kappa, expect.kappa, 1e-9, 'kappa')
    if (kind === 'binary') {
      const [exact] = await figures([`${dir}/a.jsonl`, `${dir}/b.jsonl`, '--value', 'value', '--exact'])
      near(exact.p, expect.p_exact, 1e-9, 'exact p')
    }
  }
})

test('edge cases are rows that say so: nothing discordant, one item, none in common', async (t) => {
  const dir = folder(t, {
    a: values([1, 1, 0]),
    b: values([1, 1, 0]),
    one: values([0.5]),
    c: ndjson([{ id: 'x', value: 1 }]),
  })
  const [same] = await figures([`${dir}/a`, `b=${dir}/b`, '--value', 'value'])
  assert.deepEqual([same.difference, same.p, same.wins, same.losses], [0, 1, 0, 0])
  assert.ok(same.ci[0] < 0 && same.ci[1] > 0)
  const [one] = await figures([`${dir}/a`, `${dir}/one`, '--value', 'value'])
  assert.deepEqual([one.items, one.ci, one.p, one.mde], [1, null, null, null])
  const [none] = await figures([`${dir}/a`, `${dir}/c`, '--value', 'value'])
  assert.deepEqual([none.items, none.difference], [0, null])
  assert.match(none.reason, /no item has an outcome in both/)
})

test('several runs: every two, adjusted; a slice; clusters; resamples by seed', async () => {
  const numbers = (shift: number) => Array.from({ length: 81 }, (_, i) => ((i * 37 + shift * 11) % 97) / 97)
  const text = [0, 1, 2].flatMap((k) =>
    objects(values(numbers(k), (i) => ({ run: `r${k}`, doc: `d${i % 9}` }))),
  )
  const args = ['--value', 'value', '--run', 'run', '--by', 'doc', '--bootstrap', '200', '--cluster', 'doc']
  const first = await run(args, ndjson(text))
  assert.equal((await run(args, ndjson(text.toReversed()))).text, first.text)
  assert.notEqual((await run([...args, '--seed', '1'], ndjson(text))).text, first.text)
  const pairs = objects(first.text)
  assert.equal(pairs.filter(({ by }) => by === undefined).length, 3)
  assert.equal(pairs.filter(({ by }) => by === 'doc').length, 27)
  for (const { p, p_holm, p_bh } of pairs.slice(0, 3)) assert.ok(p <= p_bh && p_bh <= p_holm)
  const [clustered] = await figures(['--value', 'value', '--run', 'run', '--cluster', 'doc'], ndjson(text))
  assert.deepEqual([clustered.method, clustered.clusters], ['clustered t', 9])
  // Both by the noncentral t distribution with 8 degrees of freedom: 3.2009 standard errors of the clustered mean.
  const error = (clustered.ci[1] - clustered.ci[0]) / 2 / 2.306004135
  near(clustered.mde / error, 3.20092, 1e-5, 'mde')
  assert.equal(
    clustered.items_needed,
    Math.ceil((clustered.clusters_needed * clustered.items) / clustered.clusters),
  )
  const against = await figures(['--value', 'value', '--run', 'run', '--against', 'r2'], ndjson(text))
  assert.deepEqual(
    against.map(({ a, b }) => [a, b]),
    [
      ['r2', 'r0'],
      ['r2', 'r1'],
    ],
  )
})

test('without labels the share of the first answer is what the verdict says of its chance, not its decision', async () => {
  const rows = (model: string, chances: number[]) =>
    chances.map((preference, i) =>
      game(`i${i}`, 0, 1, preference > 0.5 ? 'B>A' : 'A>B', {
        label: null,
        jb: {
          reply: { text: 't', model },
          verdict: { label: 'm', decision: preference > 0.5 ? 'B>A' : 'A>B', preference },
        },
      }),
    )
  const [pair] = await figures([], ndjson([...rows('x', [0.1, 0.4, 0.8]), ...rows('y', [0.2, 0.4, 0.7])]))
  near([pair.mean_a, pair.mean_b, pair.difference], [1.7 / 3, 1.7 / 3, 0], 1e-9, 'shares')
  assert.deepEqual([pair.wins, pair.losses, pair.ties], [1, 1, 1])
})

test('--show writes the value that was compared: the mean of samples, whatever sample came last', async (t) => {
  const rows = (scores: (number | null)[]) => ndjson(scores.map((score) => ({ id: 1, score })))
  const dir = folder(t, { a: rows([1, 5]), b: rows([5, 1]), c: rows([4, null]) })
  const shown = async (...names: string[]) => {
    const args = ['--value', 'score', '--duplicates', 'mean', '--show', 'flips']
    return await figures([...args, ...names.map((name) => `${name}=${dir}/${name}`)])
  }
  assert.deepEqual(await shown('a', 'b'), [])
  const [item] = await shown('a', 'c')
  assert.deepEqual(item.jb.runs, { a: { value: 3 }, c: { value: 4 } })
})

test('of shares that are probabilities the agreement is a correlation, of decisions a share of items', async () => {
  const judged = (model: string, preferences: number[]) =>
    preferences.map((preference, i) => ({
      jb: {
        judge: 'alpaca_eval',
        item: `i${i}`,
        trial: { n: 0, of: 1 },
        reply: { text: '', model },
        verdict: { label: '', decision: preference < 0.5 ? 'A>B' : 'B>A', preference },
      },
    }))
  const agreement = async (a: number[], b: number[]) =>
    (await figures([], ndjson([...judged('a', a), ...judged('b', b)])))[0].agreement
  assert.deepEqual(await agreement([0.1, 0.4, 0.7], [0.2, 0.5, 0.8]), { pearson: 1 })
  assert.equal((await agreement([0, 1, 1], [0, 0, 1])).po, 0.6666666667)
})

test('no interval of a difference has values that it cannot have: of grades, clusters, --margin and --truth', async (t) => {
  const grades = (few: number, more: object = {}) =>
    ndjson(
      Array.from({ length: 4 }, (_, i) => ({
        ...{ id: `i${i}`, doc: `d${i}`, human: i < 3 ? few : null, ...more },
        jb: {
          ...{ judge: 'r', item: `i${i}`, trial: { n: 0, of: 1 } },
          verdict: { label: 'x', score: i === 0 ? 3 : few, range: [1, 5] },
        },
      })),
    )
  const dir = folder(t, { 'a.ndjson': grades(1), 'b.ndjson': grades(5) })
  const args = [`a=${dir}/a.ndjson`, `b=${dir}/b.ndjson`]
  for (const more of [[], ['--cluster', 'doc'], ['--margin', '4'], ['--truth', 'human']]) {
    const [pair] = await figures([...args, ...more])
    for (const [low, high] of [pair!.ci, pair!.margin_ci].filter(Boolean))
      assert.ok(low < high && low >= -4 && high <= 4, `${more}: ${low} to ${high}`)
  }
  const [pair] = await figures(args)
  // t gives −0.18 to 6.18.
  near(pair!.ci, [-0.1824463, 4], 1e-6, 'ci')
})
