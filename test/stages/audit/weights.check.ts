/** How often intervals of labels that count 1/p hold the truth: a part of `make test-long`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Choices } from '../../helpers/random.ts'
import { card } from './_audit.ts'

const ROUNDS = 400
const ITEMS = 400

/** A judge that is right where it is sure in `sure` of cases, elsewhere in `unsure`: items are taken by how unsure it is. */
const DESIGNS = [
  { name: 'half of items 25 times as often', heavy: 0.5, ratio: 25, labels: 40, sure: 0.97, unsure: 0.6 },
  { name: 'a tenth of items 25 times as often', heavy: 0.1, ratio: 25, labels: 40, sure: 0.8, unsure: 0.8 },
  { name: 'few items 25 times as often', heavy: 0.02, ratio: 25, labels: 40, sure: 0.85, unsure: 0.7 },
  { name: 'half of items four times as often', heavy: 0.5, ratio: 4, labels: 100, sure: 0.9, unsure: 0.7 },
]

for (const { name, heavy, ratio, labels, sure, unsure } of DESIGNS)
  test(`of intervals that are printed at least 93 % hold the truth: ${name}`, async (t) => {
    const figures = { po: [0, 0], kappa: [0, 0], estimate: [0, 0] }
    let without = 0
    for (let seed = 0; seed < ROUNDS; seed++) {
      const choices = new Choices(seed)
      const all = Array.from({ length: ITEMS }, (_, i) => {
        const isHeavy = choices.chance(heavy)
        const truth = Number(choices.chance(0.45))
        const said = choices.chance(isHeavy ? unsure : sure) ? truth : 1 - truth
        return { id: `i${i}`, truth, said, size: isHeavy ? ratio : 1 }
      })
      const total = all.reduce((sum, { size }) => sum + size, 0)
      const rows = all.map(({ id, truth, said, size }) => {
        const p = Math.min(1, (labels * size) / total)
        return { id, said, p, ...(choices.chance(p) && { human: truth }) }
      })
      const args = ['--value', 'said', '--truth', 'human']
      const whole = await card(
        args,
        all.map(({ id, truth, said }) => ({ id, said, human: truth })),
      )
      const { agreement, corrected, conclusion } = await card([...args, '--weight', 'p'], rows)
      const isTold = conclusion.warnings.some(({ code }: { code: string }) => code === 'uneven_weights')
      assert.equal(agreement.ci === null, isTold)
      if (isTold) without++
      const mean = all.reduce((sum, { truth }) => sum + truth / ITEMS, 0)
      const seen = [
        [figures.po, agreement.ci, whole.agreement.po],
        [figures.kappa, agreement.kappa_ci, whole.agreement.kappa],
        [figures.estimate, corrected.ci, mean],
      ] as const
      for (const [found, ci, right] of seen) {
        if (!ci) continue
        found[0]!++
        if (ci[0] <= right && right <= ci[1]) found[1]!++
      }
    }
    t.diagnostic(`${without} of ${ROUNDS} without intervals; ${JSON.stringify(figures)}`)
    for (const [figure, [printed, held]] of Object.entries(figures))
      assert.ok(printed! < 20 || held! >= 0.93 * printed!, `${figure}: ${held} of ${printed}`)
  })
