/** --choose among 15 judges that are equally good, by 30 labels: how often it calls one better, and what it says it is worth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row } from '../../helpers/choice_rows.ts'
import { Choices } from '../../helpers/random.ts'
import { ndjson } from '../../helpers/rows.ts'
import { figures } from './_compare.ts'

const SETS = 300
const [JUDGES, ITEMS, RIGHT] = [15, 30, 0.7]

test('15 equal judges, 30 labels: false "better" in at most 5 %, the value within 1.5 points, the interval holds in 93 %', async (t) => {
  const choices = new Choices(65)
  let [better, sum, held, apparent] = [0, 0, 0, 0]
  for (let set = 0; set < SETS; set++) {
    const rows = Array.from({ length: JUDGES * ITEMS }, (_, i) => {
      const [run, item] = [`r${Math.floor(i / ITEMS)}`, `${set}-${i % ITEMS}`]
      const said = choices.chance(RIGHT) ? 'A>B' : 'B>A'
      return { run, ...row('pairs', run, { item, label: 'A>B' }, said) }
    })
    const [report] = await figures(['--choose', 'accuracy', '--run', 'run', '--against', 'r0'], ndjson(rows))
    if (report!.verdict === 'better') better++
    sum += report!.value
    apparent += report!.apparent
    if (report!.ci[0] <= RIGHT && RIGHT <= report!.ci[1]) held++
  }
  t.diagnostic(
    `better: ${better} of ${SETS}; value ${(sum / SETS).toFixed(4)}, before the choice is allowed for ${(apparent / SETS).toFixed(4)}, truth ${RIGHT}; intervals that hold it: ${held}`,
  )
  assert.ok(better <= 0.05 * SETS, `${better}`)
  assert.ok(Math.abs(sum / SETS - RIGHT) <= 0.015, `${sum / SETS}`)
  assert.ok(held >= 0.93 * SETS, `${held}`)
})
