import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, jb } from '../helpers/run.ts'

const trial = (item: string, n: number, of: number, verdict: object | null, more: object = {}) => ({
  ...more,
  jb: {
    judge: 'mt_bench',
    item,
    trial: { n, of, sample: n },
    reply: { text: 't', model: 'm' },
    ...(verdict === null
      ? { error: { stage: 'parse', code: 'no_verdict', message: 'none' } }
      : { verdict: { label: 'l', range: [1, 10], ...verdict } }),
  },
})

const samples = (...scores: number[]) => scores.map((score, n) => trial('i', n, scores.length, { score }))

async function resultOf(rows: object[], ...args: string[]) {
  const [row] = rowsOf(await jb('score', args, { stdin: ndjson(rows) }))
  return row!.jb
}

test('samples become one score, with their spread', async () => {
  const { result } = await resultOf(samples(8, 6, 7, 7, 2))
  assert.deepEqual(result, {
    kind: 'grade',
    score: 6,
    range: [1, 10],
    samples: [8, 6, 7, 7, 2],
    min: 2,
    max: 8,
    std: Math.sqrt(4.4),
    confidence: 0.4,
    model: 'm',
  })
  for (const [combine, score] of [
    ['mean', 6],
    ['median', 7],
    ['trimmed', 20 / 3],
    ['first', 8],
    ['majority', 7],
    ['vote', 7],
  ] as const)
    assert.equal((await resultOf(samples(8, 6, 7, 7, 2), '--combine', combine)).result!.score, score, combine)
  // As often as each other: the middle between them.
  assert.equal((await resultOf(samples(2, 9), '--combine', 'majority')).result!.score, 5.5)
})

test('samples that must agree and do not are a conflict', async () => {
  assert.equal((await resultOf(samples(7, 7), '--combine', 'agree')).result!.score, 7)
  assert.equal((await resultOf(samples(7, 8), '--combine', 'agree')).error!.code, 'conflict')
})

test('a sample without a score makes the item fail; it is no zero', async () => {
  const { error, result } = await resultOf([trial('i', 0, 2, { score: 8 }), trial('i', 1, 2, null)])
  assert.equal(error!.code, 'no_verdict')
  assert.equal(result, undefined)
})

test('dimensions are means over the samples', async () => {
  const { result } = await resultOf([
    trial('i', 0, 2, { score: 8, dimensions: { style: 6, facts: 9 } }),
    trial('i', 1, 2, { score: 6, dimensions: { style: 8 } }),
  ])
  assert.deepEqual(result!.dimensions, { style: 7, facts: 9 })
})

const items = [
  trial('a', 0, 1, { score: 8 }, { category: 'math' }),
  trial('b', 0, 1, { score: 9.5 }, { category: 'math' }),
  trial('c', 0, 1, { score: 2 }, { category: 'code' }),
  trial('d', 0, 1, null, { category: 'code' }),
]

test('the report: mean, interval, median, trimmed mean, deviation, extremes, utility, distribution', async () => {
  const [report] = rowsOf(
    await jb('aggregate', ['--format', 'json'], { stdin: ndjson(items) }),
  ) as unknown as Record<
    string,
    // biome-ignore lint/suspicious/noExplicitAny: a report
    any
  >[]
  const {
    items: count,
    valid,
    failures,
    score,
    ci,
    median,
    trimmed_mean,
    std,
    min,
    max,
    range,
    utility,
    distribution,
    by,
  } = report!
  assert.deepEqual([count, valid, failures], [4, 3, { no_verdict: 1 }])
  assert.deepEqual(
    [score, median, trimmed_mean, min, max, range, utility],
    [6.5, 8, 6.5, 2, 9.5, [1, 10], 0.65],
  )
  assert.ok(Math.abs(std - 3.24037034920393) < 1e-12)
  // The logit of (6.5 − 1)/9 with SciPy's t.ppf(0.975, 2) errors to each side: Student's interval is -3.36 to 16.36.
  const [low, high] = [1.138686007489341, 9.94331816373948]
  assert.ok(Math.abs(ci[0] - low) < 1e-6 && Math.abs(ci[1] - high) < 1e-6, String(ci))
  const same = items
    .slice(0, 2)
    .map((item) => ({ ...item, jb: { ...item.jb, verdict: { label: '5', score: 5 } } }))
  const [constant] = rowsOf(await jb('aggregate', ['--format', 'json'], { stdin: ndjson(same) }))
  assert.deepEqual([constant!.score, constant!.ci], [5, null])
  assert.deepEqual(distribution, { 1: 0, 2: 1, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 1, 9: 0, '9.5': 1, 10: 0 })
  assert.deepEqual(
    [by.category.math.score, by.category.code.score, by.category.code.failures],
    [8.75, 2, { no_verdict: 1 }],
  )
})

test('shards add up to the same report', async () => {
  const whole = await jb('aggregate', ['--format', 'json'], { stdin: ndjson(items) })
  const states = await Promise.all(
    [items.slice(0, 1), items.slice(1)].map((part) =>
      jb('aggregate', ['--partial'], { stdin: ndjson(part) }),
    ),
  )
  const merged = await jb('aggregate', ['--merge', '--format', 'json'], {
    stdin: states.map(({ stdout }) => stdout).join(''),
  })
  assert.deepEqual(JSON.parse(merged.stdout), JSON.parse(whole.stdout))
})

test('--fail-under is about the mean score', async () => {
  expect(await jb('aggregate', ['--fail-under', '7'], { stdin: ndjson(items) }), {
    code: 1,
    err: /score 6\.5 is below --fail-under 7/,
  })
  expect(await jb('aggregate', ['--fail-under', '6.5'], { stdin: ndjson(items) }), {})
})
