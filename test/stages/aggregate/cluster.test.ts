/** --cluster: intervals by cluster, in one run and over shards; scores whose interval stays on the scale. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec } from '../../../src/stages/aggregate/options.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { objects, staged } from '../../helpers/stage.ts'

const report = async (rows: object[], ...args: string[]) =>
  objects((await staged(spec, aggregate, ['--by', 'none', ...args], ndjson(rows))).text)[0]

const grade = (item: string, score: number, more: object = {}) => ({
  ...more,
  jb: { judge: 'g', item, verdict: { score, range: [0, 1] } },
})

/** Ten prompts of five pairs, whose verdicts are the same but for one of a prompt. */
const prompts = (label: string | null) =>
  Array.from({ length: 50 }, (_, i) => {
    const won = i % 10 < 7 === i < 45
    return game(`i${i}`, 0, 1, won ? 'A>B' : 'B>A', { topic: `t${i % 10}`, label })
  })

test('--cluster: five items that say one thing five times count less than five', async () => {
  for (const label of ['A>B', null]) {
    const [alone, by] = [await report(prompts(label)), await report(prompts(label), '--cluster', 'topic')]
    assert.equal(by.accuracy ?? by.share, alone.accuracy ?? alone.share)
    assert.equal(by.clusters, 10)
    const width = ({ ci }: { ci: [number, number] }) => ci[1] - ci[0]
    assert.ok(width(by) > 1.3 * width(alone), JSON.stringify([alone.ci, by.ci]))
    assert.ok(by.warnings.some(({ code }: { code: string }) => code === 'few_clusters'))
    if (!label) assert.ok(by.p > alone.p && by.shares[0].clusters === 10)
  }
})

test('one cluster with half of the items is told, and the interval is as wide as that of few clusters', async () => {
  const rows = (sizes: number[]) =>
    sizes.flatMap((size, c) =>
      Array.from({ length: size }, (_, i) =>
        game(`${c}-${i}`, 0, 1, (i + c) % 3 ? 'A>B' : 'B>A', {
          topic: `t${c}`,
          label: i % 4 ? 'A>B' : 'B>A',
        }),
      ),
    )
  const five = new Array<number>(19).fill(5)
  const uneven = await report(rows([95, ...five]), '--cluster', 'topic')
  assert.equal(uneven.clusters, 20)
  assert.equal(uneven.effective_clusters, 190 ** 2 / (95 ** 2 + 19 * 5 ** 2))
  assert.equal(
    uneven.warnings.find(({ code }: { code: string }) => code === 'few_clusters').sentence,
    '20 clusters of unequal size come to 3.8 of equal size: below 15, intervals are rough',
  )
  const even = await report(rows([5, ...five]), '--cluster', 'topic')
  assert.deepEqual([even.clusters, even.effective_clusters], [20, undefined])
  assert.ok(even.warnings.every(({ code }: { code: string }) => code !== 'few_clusters'))
})

test('each item of its own is its own cluster, with the field or without', async () => {
  const scores = [0.1, 0.9, 0.4, 0.6, 0.7, 0.2]
  const plain = await report(scores.map((score, i) => grade(`i${i}`, score)))
  const some = scores.map((score, i) => grade(`i${i}`, score, i % 2 ? { doc: `d${i}` } : { doc: '' }))
  const by = await report(some, '--cluster', 'doc')
  assert.equal(by.clusters, 6)
  for (const i of [0, 1]) assert.ok(Math.abs(by.ci[i] - plain.ci[i]) < 1e-12)
})

test('states have sums by cluster, and others do not add up with them', async () => {
  const rows = prompts('A>B')
  const stateOf = async (some: object[], ...args: string[]) =>
    (await staged(spec, aggregate, ['--by', 'none', '--partial', ...args], ndjson(some))).text
  // A cluster may be in two shards.
  const [first, second] = [rows.slice(0, 23), rows.slice(23)]
  const states = (await stateOf(first, '--cluster', 'topic')) + (await stateOf(second, '--cluster', 'topic'))
  const [merged] = objects((await staged(spec, aggregate, ['--merge', '--by', 'none'], states)).text)
  assert.deepEqual(merged, await report(rows, '--cluster', 'topic'))
  const mixed = (await stateOf(first, '--cluster', 'topic')) + (await stateOf(second))
  expect(await jb('aggregate', ['--merge'], { stdin: mixed }), {
    code: 65,
    err: /:2: the sums of this state are not by cluster, those before by cluster of topic/,
  })
  for (const args of [['--merge'], ['--labels', 'x'], ['--until', 'decided', '--fail-under', '0.5']])
    expect(await jb('aggregate', ['--cluster', 'topic', ...args], { stdin: states }), {
      code: 2,
      err: /--cluster/,
    })
})

test('the interval of a mean does not leave the scale', async () => {
  const { ci } = await report([grade('a', 0.9), grade('b', 1), grade('c', 0.2)])
  assert.ok(ci[0] > 0 && ci[0] < 0.2 && ci[1] > 0.9 && ci[1] < 1, String(ci))
  const options = [
    { name: 'no', description: '', score: 0 },
    { name: 'yes', description: '', score: 1 },
  ]
  const chosen = ['no', 'yes', 'yes', 'yes'].map((option, i) => ({
    jb: {
      judge: 'c',
      item: `i${i}`,
      criterion: { name: 'x', description: '', to_evaluate_field: 'response', context_fields: null, options },
      verdict: { option, score: option === 'yes' ? 1 : 0 },
    },
  }))
  const scored = await report(chosen)
  assert.ok(scored.ci[0] > 0 && scored.ci[1] < 1, JSON.stringify(scored))
})

test('pass^k has no interval with --cluster: over items it would be too narrow', async () => {
  const rows = Array.from({ length: 24 }, (_, i) => ({
    topic: `t${i >> 3}`,
    jb: {
      judge: 'p',
      item: `i${i >> 1}`,
      trial: { n: i % 2, of: 2, sample: i % 2 },
      verdict: { label: 'PASS', option: i % 3 ? 'PASS' : 'FAIL', score: i % 3 ? 1 : 0 },
    },
  }))
  const [alone, by] = [await report(rows), await report(rows, '--cluster', 'topic')]
  assert.deepEqual(
    by.pass_hat_k.map(({ k, value }: { k: number; value: number }) => [k, value]),
    alone.pass_hat_k.map(({ k, value }: { k: number; value: number }) => [k, value]),
  )
  assert.ok(alone.pass_hat_k.every((one: object) => 'ci' in one))
  assert.ok(by.pass_hat_k.every((one: object) => !('ci' in one)))
  const args = ['--format', 'table', '--cluster', 'topic']
  const table = fine(await jb('aggregate', args, { stdin: ndjson(rows) })).stdout
  assert.match(table.replaceAll(/\s+/g, ' '), /all of k samples pass \(pass\^k\)/)
})

test('one prompt under several ids is an alarm, in one run and over shards; not with --cluster', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({
    topic: `t${i}`,
    jb: {
      ...{ judge: 'p', item: `i${i}`, trial: { n: 0, of: 1 }, verdict: { score: i % 3 ? 1 : 0 } },
      request: { messages: [{ role: 'user', content: `question ${i < 30 ? i : 7}` }] },
    },
  }))
  const told = ({ warnings = [] }: { warnings?: { code: string; sentence: string }[] }) =>
    warnings.find(({ code }) => code === 'repeated_prompts')?.sentence
  assert.match(told(await report(rows))!, /^10 of 40 items ask what another item asks/)
  assert.equal(told(await report(rows.slice(0, 30))), undefined)
  assert.equal(told(await report(rows, '--cluster', 'topic')), undefined)
  const shard = async (some: object[]) =>
    (await staged(spec, aggregate, ['--by', 'none', '--partial'], ndjson(some))).text
  const states = (await shard(rows.slice(0, 20))) + (await shard(rows.slice(20)))
  const merged = objects((await staged(spec, aggregate, ['--merge', '--by', 'none'], states)).text)[0]
  assert.match(told(merged)!, /^9 of 40 items/)
})
