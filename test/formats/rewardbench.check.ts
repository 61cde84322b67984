/** RewardBench’s and LLMBar’s figures from their own files. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sectionScores, tiesScore } from '../../src/formats/_rewardbench.ts'
import { aggregate } from '../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../src/stages/aggregate/options.ts'
import { spec as readSpec } from '../../src/stages/read/options.ts'
import { read } from '../../src/stages/read/read.ts'
import { spec as writeSpec } from '../../src/stages/write/options.ts'
import { write } from '../../src/stages/write/write.ts'
import { sharedData } from '../helpers/folder.ts'
import { objects, staged } from '../helpers/stage.ts'

const input = async (...args: string[]) => (await staged(readSpec, read, args)).text
const report = async (args: string[], stdin?: string) =>
  objects((await staged(writeSpec, write, args, stdin)).text)[0]
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const near = (actual: number, expected: number, what: string) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${what}: ${actual}, expected ${expected}`)

test('RewardBench 1: sections and score, of accuracies and of scores', async (t) => {
  const path = sharedData(t, 'leaderboards/rewardbench/expected.json')
  if (path === undefined) return
  const { v1 } = json(path)
  const file = (name: string) => path.replace('expected.json', name)
  const beaver = await report(['rewardbench'], await input('json', file('beaver-7b-v1.0-cost_eval-set.json')))
  for (const [section, score] of Object.entries<number>(v1.beaver_sections))
    near(beaver[section], score, section)
  near(beaver.Score, v1.beaver_mean4, 'beaver')
  const toy = await report(
    ['rewardbench'],
    await input('rewardbench-scores', file('toy_v1_eval-set-scores.json')),
  )
  for (const [section, score] of Object.entries<number>(v1.toy_sections)) near(toy[section], score, section)
  near(toy.Score, v1.toy_overall_mean4, 'toy')
  const means = new Map(Object.entries<number>(toy.subsets))
  for (const name of ['anthropic_helpful', 'anthropic_hhh', 'summarize'])
    means.set(name, v1.with_prior_sets[name])
  near(sectionScores(means).overall!, v1.with_prior_sets.overall, 'with prior sets')
})

test('RewardBench 2: domains, ties, and what a failed rating is', async (t) => {
  const path = sharedData(t, 'leaderboards/rewardbench/expected.json')
  if (path === undefined) return
  const { v2 } = json(path)
  const items = path.replace('expected.json', 'toy_v2_items.jsonl')
  const found = await report(['rewardbench2', items])
  for (const [domain, score] of Object.entries<number>(v2.subsets)) near(found[domain], score, domain)
  near(found.Ties, v2.Ties, 'Ties')
  near(found.Score, v2.overall, 'overall')
  const failing = objects(readFileSync(items, 'utf8')).map((row) =>
    row.subset === 'Ties' ? { ...row, scores: undefined, ratings: [...row.scores.slice(0, -1), -1] } : row,
  )
  const text = failing.map((row) => `${JSON.stringify(row)}\n`).join('')
  near(
    (await report(['rewardbench2', '--compat', 'rewardbench2'], text)).Ties,
    v2['Ties_when_last_rating_of_each_failed_as_-1'],
    'failed as -1',
  )
  const own = await report(['rewardbench2'], text)
  assert.deepEqual([own.Ties, own.failed > 0], [null, true])
  assert.equal(tiesScore([]), null)
  // Of a prompt with one right answer the margins say nothing, as in the package.
  const ref = { id: 'ref:1', correct: 1, scores: [1, 0] }
  assert.equal(tiesScore([ref, { ...ref, id: 'tied:1' }]), 0.6)
})

test('LLMBar: how often an evaluator is right, in each order and in both', async (t) => {
  const path = sharedData(t, 'leaderboards/llmbar/expected.json')
  if (path === undefined) return
  const expect = json(path).evaluators['GPT-4/Vanilla']
  const folder = path.replace('expected.json', 'Dataset/LLMBar')
  const files = [
    'Natural',
    ...['GPTInst', 'GPTOut', 'Manual', 'Neighbor'].map((one) => `Adversarial/${one}`),
  ].map((subset) => `${folder}/${subset}/evaluators/GPT-4/Vanilla/result.json.gz`)
  const rows = await input('llmbar', ...files)
  const counted = async (combine: string) =>
    objects(
      (await staged(aggregateSpec, aggregate, ['--combine', combine, '--format', 'json'], rows)).text,
    )[0]
  const both = await counted('agree')
  const first = await counted('first')
  assert.equal(both.items, expect.items)
  assert.equal(first.correct, expect.correct_False)
  assert.equal(both.correct, expect.correct_both)
  assert.equal(both.items - both.inconsistent, expect.equal)
  assert.equal(first.by.subset.Natural.correct, 95)
})
