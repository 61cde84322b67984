/** How often intervals by cluster, and of means on a scale, hold the truth: a part of `make test-long`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { Choices } from '../../helpers/random.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

const ROUNDS = 1000

const report = async (rows: object[], ...args: string[]) =>
  objects((await staged(spec, aggregate, ['--by', 'none', ...args], ndjson(rows))).text)[0]

const graded = (item: string, score: number, doc: string) => ({
  doc,
  jb: { judge: 'g', item, verdict: { score, range: [0, 1] } },
})

const even = (clusters: number) => new Array<number>(clusters).fill(5)
const DESIGNS: [name: string, sizes: number[]][] = [
  ...[10, 20, 40].map((n): [string, number[]] => [`${n} clusters of five`, even(n)]),
  ['one of 95 and 19 of five', [95, ...even(19)]],
  ['one of 200 and 39 of five', [200, ...even(39)]],
]

for (const [name, sizes] of DESIGNS)
  test(`--cluster: at least 93 % of intervals hold the truth: ${name}`, async (t) => {
    const choices = new Choices(sizes.length)
    const [right, share, score] = [0, 0, 0].map(() => ({ held: 0, alone: 0 }))
    const see = (
      found: { held: number; alone: number },
      by: [number, number],
      alone: [number, number],
      truth: number,
    ) => {
      if (by[0] <= truth && truth <= by[1]) found.held++
      if (alone[0] <= truth && truth <= alone[1]) found.alone++
    }
    for (let round = 0; round < ROUNDS; round++) {
      const [pairs, unlabelled, grades]: object[][] = [[], [], []]
      for (const [c, size] of sizes.entries()) {
        const [won, level] = [choices.chance(0.7), choices.next()]
        for (let i = 0; i < size; i++) {
          const [id, doc] = [`${c}-${i}`, `d${c}`]
          // Half of the items say what their cluster says.
          const said = (choices.chance(0.5) ? won : choices.chance(0.7)) ? 'A>B' : 'B>A'
          pairs!.push(game(id, 0, 1, said, { doc }))
          unlabelled!.push(game(id, 0, 1, said, { doc, label: null }))
          grades!.push(graded(id, choices.chance(0.5) ? level : choices.next(), doc))
        }
      }
      for (const [rows, found, truth] of [
        [pairs, right, 0.7],
        [unlabelled, share, 0.7],
        [grades, score, 0.5],
      ] as const)
        see(found!, (await report(rows!, '--cluster', 'doc')).ci, (await report(rows!)).ci, truth)
    }
    t.diagnostic(JSON.stringify({ right, share, score }))
    for (const found of [right, share, score]) assert.ok(found!.held >= 0.93 * ROUNDS, JSON.stringify(found))
  })
