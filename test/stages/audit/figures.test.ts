/** jb-audit: position, length, calibration, estimates, other judges, probes, against recorded values. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { cases } from '../../statistics/_vectors.ts'
import { calibration, card, near, run } from './_audit.ts'

test('position, length, calibration, corrected estimates: recorded values', async (t) => {
  for (const { name, input, expect } of cases('position').slice(0, 6)) {
    const rows = (input.items as [string, string][][]).flatMap((games, i) =>
      games.map(([order, decision], n) => game(`i${i}`, n, games.length, decision, { order, label: null })),
    )
    const { position } = await card([], rows)
    for (const key of [
      'decisive',
      'first',
      'first_share',
      'checked',
      'inconsistent',
      'same_slot',
      'same_slot_first',
      'same_slot_p',
      'tie_in_one_order',
    ])
      if (position) near(position[key], expect[key], `${name} ${key}`)
    if (position) near(position.ci, expect.first_share_wilson, `${name} interval`)
  }
  for (const { name, input, expect } of cases('length_bias').slice(0, 5)) {
    const said = { 1: 'A>B', 0: 'B>A', 0.5: 'A=B' } as Record<number, string>
    const rows = input.length_difference.map((difference: number, i: number) =>
      game(`i${i}`, 0, 1, said[input.outcome[i]]!, { a: 2000 + difference, b: 2000, label: null }),
    )
    const { length } = await card(['--length-a', 'a', '--length-b', 'b'], rows)
    for (const key of [
      'longer_won',
      'decisive_unequal',
      'slope',
      'p',
      'odds_ratio',
      'win_rate_at_equal_length',
    ])
      if (key in expect) near(length[key], expect[key], `${name} ${key}`)
  }
  for (const { name, input, expect } of cases('calibration').slice(0, 6)) {
    const rows = input.p.map((p: number, i: number) => ({
      id: String(i).padStart(6, '0'),
      p,
      human: input.y[i],
      said: 1,
    }))
    if (input.bins !== 10) continue
    const found = (await card(['--truth', 'human', '--value', 'said', '--p', 'p'], rows)).calibration
    for (const key of ['brier', 'ece', 'mce', 'bins', 'overconfidence'])
      near(found[key], expect[key], `${name} ${key}`)
  }
  for (const { name, input, expect } of cases('ppi').slice(0, 6)) {
    const rows = [
      ...input.y.map((human: number, i: number) => ({ id: `a${i}`, human, said: input.f[i] })),
      ...input.u.map((said: number, i: number) => ({ id: `b${i}`, said })),
    ]
    const { corrected } = await card(['--truth', 'human', '--value', 'said'], rows)
    near([corrected.estimate, corrected.lambda], [expect.ppi_plus, expect.lambda], name)
  }
  for (const { name, input, expect } of cases('rogan_gladen')) {
    const { k, n, tp, m1, tn, m0 } = input
    const rows = Array.from({ length: n }, (_, i) => ({ id: `i${i}`, said: Number(i < k) }))
    const { corrected } = await card(
      ['--value', 'said', '--calibration', calibration(t, tp, m1, tn, m0)],
      rows,
    )
    near([corrected.estimate, corrected.ci], [expect.estimate, expect.lang_reiczigel_ci], name)
  }
})

test('the judge’s own model, other judges, samples, cycles, probes', async () => {
  const jbOf = (judge: string, decision: string, more: object = {}) => ({
    judge,
    verdict: { label: '', decision },
    ...more,
  })
  const rows = Array.from({ length: 20 }, (_, i) => {
    const models = { model_a: 'xyz'[i % 3], model_b: 'yzx'[i % 3], human: i % 2 ? 'A>B' : 'B>A' }
    return ['p', 'q', 'r'].map((judge) =>
      game(`i${i}`, 0, 1, '', {
        ...models,
        label: null,
        jb: jbOf(judge, judge === 'p' || i % 4 ? 'A>B' : 'B>A'),
      }),
    )
  }).flat()
  const sections = objects((await run(['--truth', 'human', '--own', 'x'], rows)).text)
  const p = Object.fromEntries(
    sections.filter(({ judge }) => judge === 'p · m').map((one) => [one.section, one]),
  )
  assert.equal(p.majority.items, 20)
  assert.equal(p.majority.share, 0.75)
  assert.deepEqual([p.transitivity.triads, p.transitivity.cyclic], [1, 1])
  assert.ok(p.self_preference.items > 0)
  const samples = ['A>B', 'A>B', 'B>A', 'A>B'].map((decision, i) =>
    game(`i${i >> 1}`, i % 2, 2, decision, { order: 'AB', label: null }),
  )
  assert.equal((await card([], samples)).consistency.share, 0.5)
  const probed = [
    game('i1', 0, 1, 'A>B', { label: null }),
    game('i1#pad', 0, 1, 'B>A', { label: null, jb: { probe: { kind: 'pad', of: 'i1', answer: 1 } } }),
    game('i1#quote', 0, 1, 'A>B', { label: null, jb: { probe: { kind: 'quote', of: 'i1' } } }),
  ]
  const { probes } = await card([], probed)
  assert.deepEqual([probes.pad.share, probes.pad.toward_changed, probes.quote.share], [1, 1, 0])
})

test('words that are no amounts, such as names of what every object has, make no mean', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({
    id: `i${i}`,
    said: i % 2 === 0 ? 'constructor' : 'yes',
    ...(i < 20 && { human: i % 3 === 0 ? 'constructor' : 'yes' }),
  }))
  const sections = await card(['--truth', 'human', '--value', 'said'], rows)
  assert.deepEqual(Object.keys(sections), ['conclusion', 'agreement'])
})
