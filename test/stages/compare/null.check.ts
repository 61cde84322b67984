/** How often jb-compare --by says that a difference is not the same in all groups, where it is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heterogeneity } from '../../../src/statistics/heterogeneity.ts'
import { Choices } from '../../helpers/random.ts'

const RUNS = 1000

interface Design {
  name: string
  /** The difference of one item of a group. */
  draw(choices: Choices, group: number): number
  /** Whether differences of a cluster (of 3 items) have a part in common. */
  clusters?: boolean
}

/** b wins a share of the items, and loses another. */
const flips = (wins: number, losses: number) => (choices: Choices) => {
  const x = choices.next()
  return x < wins ? 1 : x < wins + losses ? -1 : 0
}

const normal = (choices: Choices) =>
  Math.sqrt(-2 * Math.log(1 - choices.next())) * Math.cos(2 * Math.PI * choices.next())

const DESIGNS: Design[] = [
  { name: 'right or wrong, few flips', draw: flips(0.03, 0.03) },
  { name: 'right or wrong, many flips', draw: flips(0.3, 0.3) },
  { name: 'right or wrong, b better in each', draw: flips(0.2, 0.02) },
  {
    name: 'right or wrong, more flips in every other group',
    draw: (choices, group) => (group % 2 ? flips(0.1, 0) : flips(0.35, 0.25))(choices),
  },
  { name: 'grades of five', draw: (choices) => choices.between(-2, 2) + choices.between(-2, 2) },
  { name: 'amounts', draw: normal },
  { name: 'right or wrong, by cluster', draw: flips(0.2, 0.2), clusters: true },
]

const SIZES: { name: string; of(group: number): number }[] = [
  { name: '10 each', of: () => 10 },
  { name: '30 each', of: () => 30 },
  { name: '100 each', of: () => 100 },
  { name: '5, 12, 40 and 150', of: (group) => [5, 12, 40, 150][group % 4]! },
]

function drawn(
  { draw, clusters }: Design,
  size: (group: number) => number,
  groups: number,
  choices: Choices,
) {
  const [values, names, ids]: [number[], string[], string[]] = [[], [], []]
  for (let group = 0; group < groups; group++) {
    let common = 0
    for (let i = 0; i < size(group); i++) {
      if (i % 3 === 0) common = draw(choices, group)
      // Half of a cluster's items say what its first one does.
      values.push(clusters && choices.chance(0.5) ? common : draw(choices, group))
      names.push(`g${group}`)
      ids.push(`${group} ${Math.floor(i / 3)}`)
    }
  }
  return heterogeneity(values, names, clusters ? ids : undefined)
}

for (const design of DESIGNS)
  test(`equal differences are called unequal in at most 5 %: ${design.name}`, (t) => {
    const all = { found: 0, runs: 0 }
    for (const size of SIZES)
      for (const groups of [2, 4, 12]) {
        const choices = new Choices(1000 * groups + size.of(1))
        let found = 0
        for (let run = 0; run < RUNS; run++)
          if ((drawn(design, size.of, groups, choices)?.p ?? 1) <= 0.05) found++
        t.diagnostic(`${groups} groups of ${size.name}: ${found} of ${RUNS}`)
        // Of a rate of 5 %, what 1,000 runs show is above this in one of 30,000 cases.
        assert.ok(found / RUNS <= 0.05 + 4 * Math.sqrt((0.05 * 0.95) / RUNS), `${size.name}: ${found}`)
        all.found += found
        all.runs += RUNS
      }
    assert.ok(all.found <= 0.05 * all.runs, `${all.found} of ${all.runs}`)
  })

test('differences that are opposite in two groups of 40 are found', (t) => {
  const choices = new Choices(5)
  let found = 0
  for (let run = 0; run < RUNS; run++) {
    const values = Array.from({ length: 80 }, (_, i) =>
      (i < 40 ? flips(0.25, 0.05) : flips(0.05, 0.25))(choices),
    )
    const groups = values.map((_, i) => (i < 40 ? 'a' : 'b'))
    if (heterogeneity(values, groups)!.p <= 0.05) found++
  }
  t.diagnostic(`${found} of ${RUNS}`)
  assert.ok(found > 0.8 * RUNS, `${found}`)
})
