/** The table of docs/ci.md: how often the gates of jb-compare stop a run, by what it lost and the number of items. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { missedGate } from '../src/scoring/difference_gate.ts'
import { mcnemarMidP, newcombe } from '../src/statistics/mcnemar.ts'
import { Choices } from './helpers/random.ts'
import { ROOT } from './helpers/run.ts'

const RUNS = 1000
/** The share of right answers before. */
const RIGHT = 0.8
const LOSSES = [0.1, 0.05, 0]
const ITEMS = [50, 100, 200, 400, 800, 1600, 3200]
const GATES = [{ failWorse: 0.02 }, { failUnlessLevel: 0.05 }]

/** The shares of items on which both runs are right, only the old one, only the new one. */
const ANSWERS: Record<string, (loss: number) => [both: number, onlyA: number, onlyB: number]> = {
  // The new run gives most answers as before: 2 items of 100 become right, and 2 more than the loss wrong.
  'mostly the same': (loss) => [RIGHT - 0.02 - loss, 0.02 + loss, 0.02],
  // Each run draws its answers anew: whether one is right says nothing of the other.
  'drawn anew': (loss) => [RIGHT * (RIGHT - loss), RIGHT * (1 - RIGHT + loss), (1 - RIGHT) * (RIGHT - loss)],
}

/** In how many of 100 runs a gate says no. */
function stopped(
  n: number,
  loss: number,
  answers: string,
  gate: (typeof GATES)[number],
  random: Choices,
): number {
  const [both, onlyA, onlyB] = ANSWERS[answers]!(loss)
  let stops = 0
  for (let run = 0; run < RUNS; run++) {
    const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 }
    for (let item = 0; item < n; item++) {
      const at = random.next()
      if (at < both) counts.both++
      else if (at < both + onlyA) counts.onlyA++
      else if (at < both + onlyA + onlyB) counts.onlyB++
      else counts.neither++
    }
    const turned = { ...counts, onlyA: counts.onlyB, onlyB: counts.onlyA }
    const difference = (counts.onlyB - counts.onlyA) / n
    const pair = {
      items: n,
      difference,
      ci: newcombe(turned, 0.95),
      p: mcnemarMidP(counts),
      sentence: 'worse',
    }
    if (missedGate(pair, n, { ...gate, ci: 0.95, minCommon: 0.9 }) !== undefined) stops++
  }
  return (100 * stops) / RUNS
}

/** A line for each number of items; in bold where a loss is stopped, or no loss passes, in four of five runs. */
function table(): string {
  const random = new Choices(1)
  const columns = GATES.flatMap((gate) => Object.keys(ANSWERS).map((answers) => ({ gate, answers })))
  const head = columns.map(({ gate, answers }) => {
    const [[name, limit]] = Object.entries(gate) as [[string, number]]
    return `\`--${name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)} ${limit}\`, ${answers}`
  })
  const lines = ITEMS.map((n) => [
    String(n),
    ...columns.map(({ gate, answers }) =>
      LOSSES.map((loss) => {
        const share = stopped(n, loss, answers, gate, random)
        const text = share.toFixed(0)
        return (loss > 0 ? share >= 80 : share <= 20) ? `**${text}**` : text
      }).join(' · '),
    ),
  ])
  return [['items', ...head], ['---:', ...columns.map(() => '---')], ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

test('docs/ci.md has the table that this simulation gives', () => {
  const [, shown] = /<!-- gates -->\n([\s\S]*?)\n<!-- \/gates -->/.exec(
    readFileSync(`${ROOT}docs/ci.md`, 'utf8'),
  )!
  assert.equal(shown, table())
})
