/** jb-audit --cluster: errors of rows that are not independent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JudgedItem } from '../../../src/stages/audit/items.ts'
import { clustersOf } from '../../../src/stages/audit/shares.ts'
import { card, documents, near, run } from './_audit.ts'

test('--cluster FIELD: errors by cluster, as statsmodels 0.15.0 has them', async () => {
  const of = [
    '--truth',
    'human',
    '--value',
    'said',
    '--own',
    'x',
    '--length-a',
    'length',
    '--length-b',
    'eleven',
  ]
  const found = await card([...of, '--cluster', 'doc'], documents())
  // proportion_confint(wilson) on the effective number; Logit and OLS with cov_type=cluster, without its factor (n−1)/(n−k).
  near(found.agreement.ci, [0.7349929765, 0.9668930462], 'accuracy')
  near(
    [found.length.slope, found.length.se, found.length.p],
    [0.6602844293, [0.37327644, 0.6028575], 0.3096507869],
    'slope',
  )
  near(
    [found.self_preference.ci, found.self_preference.p],
    [[-0.06823121, 0.16823121], 0.35061666],
    'own model',
  )
  assert.deepEqual([found.agreement.clusters, found.length.clusters], [8, 8])
  assert.notDeepEqual(found.agreement.kappa_ci, (await card(of, documents())).agreement.kappa_ci)
  // Each item a cluster of its own: the closed form of kappa but for the factor of clusters.
  const [alone, single] = [
    await card(of, documents()),
    await card(
      [...of, '--cluster', 'id'],
      [...documents(), ...documents().map((row) => ({ ...row, id: `${row.id}+` }))],
    ),
  ]
  const width = ({ agreement }: typeof alone) => agreement.kappa_ci[1] - agreement.kappa_ci[0]
  assert.ok(Math.abs((width(single) / width(alone)) * Math.SQRT2 * Math.sqrt(79 / 80) - 1) < 1e-9)
})

test('of one large cluster and many small ones a card says how many of equal size they come to, and its intervals are as wide', async () => {
  const rows = [95, ...new Array<number>(19).fill(5)].flatMap((size, c) =>
    Array.from({ length: size }, (_, i) => ({
      ...{ id: `${c}-${i}`, doc: `d${c}`, human: i % 2, said: (i + c) % 5 ? i % 2 : 1 - (i % 2) },
    })),
  )
  const { agreement, conclusion } = await card(
    ['--truth', 'human', '--value', 'said', '--cluster', 'doc'],
    rows,
  )
  assert.equal(agreement.clusters, 20)
  near(agreement.effective_clusters, 190 ** 2 / (95 ** 2 + 19 * 5 ** 2), 'effective')
  assert.ok(
    conclusion.warnings.some(({ sentence }: { sentence: string }) =>
      /^20 clusters of unequal size come to 3.8 of equal size: below 15/.test(sentence),
    ),
  )
})

test('rows that share an id are no independent ones, unless --cluster none says so', async () => {
  const of = ['--truth', 'human', '--value', 'said']
  const rows = documents().map(({ doc, ...row }) => ({ ...row, id: `d${doc}` }))
  const { agreement } = await card(of, rows)
  assert.deepEqual(agreement, (await card([...of, '--cluster', 'doc'], documents())).agreement)
  const { agreement: none } = await card([...of, '--cluster', 'none'], rows)
  assert.deepEqual(none, (await card(of, documents())).agreement)
})

test('--cluster: few clusters and a field that is not there are told; Rogan–Gladen has none', async () => {
  const of = ['--value', 'said', '--truth', 'human']
  const { warnings } = (await card([...of, '--cluster', 'doc'], documents())).conclusion
  assert.deepEqual(
    warnings.map(({ sentence }: { sentence: string }) => sentence),
    ['8 clusters: below 15, intervals are rough'],
  )
  const [note] = (await run([...of, '--cluster', 'dok'], documents())).notes
  assert.match(note!, /^--cluster dok: no row has this field \(did you mean "doc"\?/)
  await assert.rejects(
    run([...of, '--cluster', 'doc', '--calibration', 'labelled.ndjson'], documents()),
    /--cluster FIELD with --calibration: the interval of Rogan and Gladen’s estimate is of independent items/,
  )
})

test('a probe’s copy is in the cluster of its original', () => {
  const items = [{ id: 'a' }, { id: 'b', probe: { of: 'a' } }, { id: 'c' }] as unknown as JudgedItem[]
  assert.deepEqual(clustersOf(items, { cluster: 'item' }), ['a', 'a', 'c'])
  assert.equal(clustersOf(items.slice(1), { cluster: 'item' }), undefined, 'each is alone')
})
