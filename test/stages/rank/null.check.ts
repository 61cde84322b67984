/** How often jb-rank tells equal models apart: at most 5.5 % of 1,000, by Bradley–Terry and by means, with clusters and without. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sigmoid } from '../../../src/statistics/matrix.ts'
import { board } from './_rank.ts'

const RUNS = 1000
/** Of all designs together. */
const MOST = 0.055

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Design {
  models: number
  clusters: number
  /** Battles of a cluster; of `uneven` ones from 1 to twice as many. */
  size: number
  uneven?: boolean
  /** Deviation of a model's strength from cluster to cluster, on the natural scale. */
  effect: number
  /** All battles are against the first model. */
  baseline?: boolean
}

function battles({ models, clusters, size, uneven, effect, baseline }: Design, random: () => number) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Array.from({ length: clusters }, (_, cluster) => {
    const strength = Array.from({ length: models }, () => effect * normal())
    const games = uneven ? 1 + Math.floor(2 * size * random()) : size
    return Array.from({ length: games }, () => {
      const a = baseline ? 0 : Math.floor(random() * models)
      const b = (a + 1 + Math.floor(random() * (models - 1))) % models
      const isTie = random() < 0.1
      const winner = isTie ? 'tie' : random() < sigmoid(strength[a]! - strength[b]!) ? 'model_a' : 'model_b'
      return { cluster, model_a: `m${a}`, model_b: `m${b}`, winner }
    })
  }).flat()
}

/** The share of pairs of ranked models without a group in common. */
async function toldApart(design: Design, seed: number): Promise<{ apart: number; pairs: number }> {
  const random = generator(seed)
  let [apart, pairs] = [0, 0]
  for (let run = 0; run < RUNS; run++) {
    const args = design.baseline ? ['--method', 'mean', '--baseline', 'm0'] : ['--method', 'bt']
    const found = [
      ...(await board([...args, '--cluster', 'cluster'], battles(design, random))).values(),
    ].filter(({ groups }) => groups.length > 0)
    for (const [i, one] of found.entries())
      for (const other of found.slice(i + 1)) {
        pairs++
        if (!one.groups.some((group: number) => other.groups.includes(group))) apart++
      }
  }
  return { apart, pairs }
}

const DESIGNS: Omit<Design, 'models'>[] = [
  { clusters: 300, size: 1, effect: 0 },
  { clusters: 6, size: 20, effect: 0.5 },
  { clusters: 30, size: 10, effect: 0.5 },
  { clusters: 6, size: 20, effect: 0.5, uneven: true },
]

for (const models of [2, 3, 6])
  test(`of ${models} equal models two are told apart in at most 5.5 %`, async (t) => {
    const all = { apart: 0, pairs: 0 }
    for (const design of DESIGNS)
      for (const baseline of [false, true]) {
        const { apart, pairs } = await toldApart(
          { ...design, models, baseline },
          1000 * models + design.clusters,
        )
        const share = apart / pairs
        t.diagnostic(
          `${JSON.stringify({ ...design, baseline })}: ${apart} of ${pairs} pairs, ${(100 * share).toFixed(1)} %`,
        )
        // Of a rate of 5 %, what 1,000 runs show is above this in one of a thousand cases.
        assert.ok(share <= 0.05 + 3.1 * Math.sqrt((0.05 * 0.95) / RUNS), JSON.stringify(design))
        all.apart += apart
        all.pairs += pairs
      }
    assert.ok(all.apart <= MOST * all.pairs, `${all.apart} of ${all.pairs}`)
  })
