/** A judge against people, as statsmodels and SciPy have it: `make oracles` records them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { card, near } from './_audit.ts'

const FILE = new URL('../../../fixtures/statistics/judge_agreement.json', import.meta.url)

interface Recorded {
  truth: number[]
  judged: number[]
}

test('sensitivity, specificity, kappa and weighted kappa, and their intervals', async () => {
  const { cases } = JSON.parse(readFileSync(process.env.JUDGE_AGREEMENT ?? FILE, 'utf8'))
  const differing: string[] = []
  for (const [at, { truth, judged, ...figures }] of (cases as Recorded[]).entries()) {
    const rows = truth.map((human, i) => ({ id: `i${i}`, human, said: judged[i] }))
    const { agreement } = await card(['--truth', 'human', '--value', 'said'], rows)
    for (const [name, expected] of Object.entries(figures))
      try {
        near(agreement[name], expected, `case ${at}, ${name}`)
      } catch (error) {
        differing.push(`${(error as Error).message} (case ${at}, ${name})`)
      }
  }
  assert.deepEqual(differing, [])
})
