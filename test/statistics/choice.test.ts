import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256 } from '../../src/rows/crypto.ts'
import { choose, type RunValues, type Worth } from '../../src/statistics/choice.ts'
import { juryScore, learnWeights, type Vote } from '../../src/statistics/jury_weights.ts'
import { casesOf, close } from './_cases.ts'

type Run = (number | null)[] | { grades: (number | null)[] }
interface ChoiceCase {
  by?: 'accuracy' | 'balanced'
  against?: string | null
  seed?: string
  rounds?: number
  level?: number
  items: { id: string; cluster?: string; label?: boolean | null }[]
  runs: Record<string, Run>
}
interface JuryCase {
  options?: boolean
  seed?: string
  items: string[]
  labels: (Vote | null)[]
  members: Record<string, (Vote | null)[]>
}

const worth = (one: Worth & { threshold: number | null; picked: number }) => ({
  value: one.value,
  ci: one.ci,
  threshold: one.threshold,
  picked: one.picked,
  sensitivity: one.sensitivity,
  sensitivity_ci: one.sensitivityCi,
  specificity: one.specificity,
  specificity_ci: one.specificityCi,
})

function chosen(of: ChoiceCase) {
  const clustered = of.items.every(({ cluster }) => cluster !== undefined)
  const labelled = of.items.every(({ label }) => label !== undefined && label !== null)
  const runs = Object.entries(of.runs).map(
    ([name, run]): RunValues => (Array.isArray(run) ? { name, right: run } : { name, scores: run.grades }),
  )
  const ids = of.items.map(({ id, cluster }) => String(cluster ?? id))
  const { by = 'accuracy', against = null, seed = '0', rounds = 1000, level = 0.95 } = of
  const labels = labelled ? of.items.map(({ label }) => Boolean(label)) : null
  const out = choose(runs, ids, labels, clustered, { by, against, seed, rounds, level })
  return {
    best: out.best,
    labels: of.items.length,
    candidates: out.candidates,
    ...worth(out),
    apparent: out.apparent,
    verdict: out.verdict,
    choice: out.choice,
    ...(out.difference !== undefined && {
      difference: out.difference,
      difference_ci: out.differenceCi,
      labels_needed: out.labelsNeeded,
    }),
    runs: Object.fromEntries(out.runs.map((run) => [run.name, { ...worth(run), failed: run.failed }])),
  }
}

function judged({ members, labels, items, options = false, seed = '0' }: JuryCase) {
  const votes = items.map((_, i) => Object.values(members).map((of): Vote => of[i] ?? 0))
  const hash = (i: number) => sha256(`${seed}\0${items[i]}`)
  const known = [...items.keys()]
    .filter((i) => labels[i] && Object.values(members).some((of) => of[i] !== null))
    .sort((i, j) => (hash(i) < hash(j) ? -1 : 1))
  const learn = (from: number[]) =>
    learnWeights(
      from.map((i) => votes[i]!),
      from.map((i) => labels[i]!),
      options,
    )
  const whole = learn(known)
  const scores = votes.map((of) => juryScore(whole, of))
  for (let fold = 0; fold < 10; fold++) {
    const weights = learn(known.filter((_, at) => at % 10 !== fold))
    for (const [at, i] of known.entries()) if (at % 10 === fold) scores[i] = juryScore(weights, votes[i]!)
  }
  const said = scores.map((score) => (score === 0 ? (options ? -1 : 0) : Math.sign(score)))
  return {
    ...whole,
    labels: known.length,
    right: known.filter((i) => said[i] === labels[i]).length / known.length,
    votes: said,
    confidence: scores.map((score) => 1 / (1 + Math.exp(-Math.abs(score)))),
  }
}

for (const { name, case: of, expect } of casesOf<{ case: ChoiceCase & JuryCase; expect: object }>('choice'))
  test(`as the independent program has it: ${name}`, () =>
    close(name.startsWith('jury') ? judged(of) : chosen(of), expect))

test('a run twice: neither is better than what one has', () => {
  const right = Array.from({ length: 40 }, (_, i) => Number(i % 4 !== 0))
  const ids = right.map((_, i) => `q${i}`)
  const settings = { by: 'accuracy', against: 'a', seed: '0', rounds: 1000, level: 0.95 } as const
  const out = choose(
    [
      { name: 'b', right },
      { name: 'a', right },
    ],
    ids,
    null,
    false,
    settings,
  )
  assert.deepEqual([out.verdict, out.choice, out.difference], ['no better', 'a', 0])
})
