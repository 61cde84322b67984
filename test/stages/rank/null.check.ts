/** How often a ranking tells equal models apart: at most 5.5 % of 1,000, by Bradley–Terry and by means, with clusters and without. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getOrInsert } from '../../../src/rows/maps.ts'
import type { AllBattles, PairSums } from '../../../src/stages/rank/battle_sums.ts'
import { isApart } from '../../../src/stages/rank/groups.ts'
import { rankByMean } from '../../../src/stages/rank/mean.ts'
import { countBattles } from '../../../src/stages/rank/standing.ts'
import { rankByStrength } from '../../../src/stages/rank/strength.ts'
import { sigmoid } from '../../../src/statistics/matrix.ts'

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

function battlesOf(
  { models, clusters, size, uneven, effect, baseline }: Design,
  random: () => number,
): AllBattles {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const all = Array.from({ length: clusters }, (_, id) => {
    const strength = Array.from({ length: models }, () => effect * normal())
    const games = uneven ? 1 + Math.floor(2 * size * random()) : size
    const pairs = new Map<string, PairSums>()
    for (let game = 0; game < games; game++) {
      const one = baseline ? 0 : Math.floor(random() * models)
      const other = (one + 1 + Math.floor(random() * (models - 1))) % models
      const tie = random() < 0.1
      const won = !tie && random() < sigmoid(strength[one]! - strength[other]!)
      // Of a pair, a's name sorts first.
      const [a, b] = [Math.min(one, other), Math.max(one, other)]
      const start = { cluster: `${id}`, a: `m${a}`, b: `m${b}`, n: 0, share: 0, wins: 0, ties: 0 }
      const sums = getOrInsert(pairs, `${a} ${b}`, () => start)
      const isWin = !tie && won === (one === a)
      sums.n++
      sums.wins += Number(isWin)
      sums.ties += Number(tie)
      sums.share += isWin ? 1 : tie ? 0.5 : 0
    }
    return { id: `${id}`, pairs: [...pairs.values()] }
  })
  const met = new Set(all.flatMap(({ pairs }) => pairs.flatMap(({ a, b }) => [a, b])))
  return { models: [...met].sort(), clusters: all }
}

const SETTINGS = { ci: 0.95, bootstrap: 0, seed: '0', ridge: 0 }

/** The share of pairs of ranked models that are told apart. */
function toldApart(design: Design, seed: number): { apart: number; pairs: number } {
  const random = generator(seed)
  let [apart, pairs] = [0, 0]
  for (let run = 0; run < RUNS; run++) {
    const battles = battlesOf(design, random)
    const { standings, difference } = design.baseline
      ? rankByMean(battles, { ...SETTINGS, baseline: 'm0' })
      : rankByStrength(battles, countBattles(battles), { ...SETTINGS, baseline: undefined })
    const rated = standings.filter(({ se, ratingSe }) => (ratingSe ?? se) !== null)
    for (const [i, one] of rated.entries())
      for (const other of rated.slice(i + 1)) {
        const found = difference(one.model, other.model)
        pairs++
        if (found === null || isApart(found, SETTINGS.ci)) apart++
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
  test(`of ${models} equal models two are told apart in at most 5.5 %`, (t) => {
    const all = { apart: 0, pairs: 0 }
    for (const design of DESIGNS)
      for (const baseline of [false, true]) {
        const { apart, pairs } = toldApart({ ...design, models, baseline }, 1000 * models + design.clusters)
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
