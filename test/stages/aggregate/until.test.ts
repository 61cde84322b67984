/** --until decided: where it stops, in any order of arrival, and what it refuses. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Choices } from '../../helpers/random.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { judged, type Outcome, shuffledIds } from '../../helpers/shuffled.ts'

const until = (rows: object[], ...args: string[]) =>
  jb('aggregate', ['--until', 'decided', '--by', 'none', ...args], { stdin: ndjson(rows) })

async function report(rows: object[], code: number, ...args: string[]) {
  const ran = expect(await until(rows, ...args), { code })
  return JSON.parse(ran.stdout)
}

const { gate } = JSON.parse(
  readFileSync(new URL('../../../fixtures/statistics/evidence.json', import.meta.url), 'utf8'),
)
const recorded = gate.find(({ N, X }: { N: number; X: number }) => N === 350 && X === 0.5)
const outcomes: Outcome[] = [...recorded.input].map((one) => (Number(one) === 1 ? 1 : 0))

test('it stops where the evidence is in, with the interval and what is known', async () => {
  const rows = judged(outcomes, 350)
  const found = await report(rows, 0, '--fail-under', '0.5')
  const { at, ci, at_least } = recorded.expect
  assert.equal(found.items, at)
  assert.ok(Math.abs(found.ci[0] - ci[0]) < 1e-6 && Math.abs(found.ci[1] - ci[1]) < 1e-6)
  const { evidence, ...said } = found.until
  assert.deepEqual(
    { ...said, at_least: said.at_least.toFixed(5), at_most: said.at_most.toFixed(5) },
    {
      ...{ decision: 'pass', gate: 0.5, at, of: 350, valid: at, failed: 0, certain: false },
      ...{ at_least: at_least.toFixed(5), at_most: recorded.expect.at_most.toFixed(5) },
      ...{ error: 0.05, about: 'items', seed: '7' },
    },
  )
  assert.ok(evidence.above > 20 && evidence.below < 1)
  const table = await until(rows, '--fail-under', '0.5', '--format', 'table')
  assert.match(
    table.stdout,
    new RegExp(
      `\ndecided after ${at} of 350 items: at least 50 % on all 350 \\(wrong in at most 5 % of orders\\)\n`,
    ),
  )
})

test('rows that come in another order wait: the same bytes', async () => {
  const rows = judged(outcomes, 350)
  const { stdout } = await until(rows, '--fail-under', '0.5')
  const random = new Choices(1)
  const mixed = rows.map((row) => ({ row, key: random.next() })).sort((a, b) => a.key - b.key)
  for (const other of [rows.toReversed(), mixed.map(({ row }) => row)])
    assert.equal((await until(other, '--fail-under', '0.5')).stdout, stdout)
})

test('the intervals of groups are not known', async () => {
  const rows = judged(outcomes, 350, { source: 's' })
  const ran = await jb('aggregate', ['--until', 'decided', '--fail-under', '0.5'], { stdin: ndjson(rows) })
  const { by } = JSON.parse(ran.stdout)
  assert.deepEqual([by.source.s.items, by.source.s.ci], [recorded.expect.at, null])
})

test('all items seen: the mean itself decides; ended before: undecided, exit 1', async () => {
  const half: Outcome[] = [1, 0, 1, 0, 0, 1]
  const whole = await report(judged(half), 0, '--fail-under', '0.5')
  assert.deepEqual([whole.until.decision, whole.until.certain, whole.until.at], ['pass', true, 6])
  assert.equal((await report(judged(half), 1, '--fail-under', '0.51')).until.decision, 'fail')
  const cut = await until(judged(half, 60), '--fail-under', '0.5')
  expect(cut, {
    code: 1,
    err: /not decided after 6 of 60 items: from 10 % to 90\.1 % on all 60 \(--fail-under\)\n$/,
  })
  expect(await until([], '--fail-under', '0.5'), { code: 1 })
})

test('items whose call failed are as if not asked; those that failed by their content stand at the gate', async () => {
  const some: Outcome[] = [1, 'timeout', 1, 'no_verdict', 1, 1, 1, 1, 1]
  const { until: said } = await report(judged(some, 40), 0, '--fail-under', '0.5', '--max-error-rate', '0.5')
  assert.deepEqual([said.valid, said.failed, said.skipped], [6, 2, 1])
  const first = await report(judged(['no_verdict', 'timeout', ...some], 40), 0, '--fail-under', '0.5')
  assert.equal(first.until.valid, 6)
  const gates = await until(judged(some, 40), '--fail-under', '0.5', '--max-error-rate', '0.1')
  expect(gates, { code: 1, err: /2 of 8 items failed, more than --max-error-rate 0\.1/ })
})

test('trials that come again count once; an item waits for all its trials', async () => {
  const rows = judged([1, 1, 1, 1, 1, 1], 20)
  const twice = await until([rows[0]!, ...rows], '--fail-under', '0.5')
  expect(twice, { code: 0, err: /:2: a trial that came before: only the first counts/ })
  assert.equal(twice.stdout, (await until(rows, '--fail-under', '0.5')).stdout)
  const lacking = await until(rows.toSpliced(1, 1), '--fail-under', '0.5')
  expect(lacking, { code: 1, err: /not all rows of item 1 of 20 came: 11 rows/ })
})

test('clusters: an item counts as much as its cluster has, of the largest', async () => {
  const clusters = shuffledIds(30).map(({ id, shuffle }) => ({ cluster: id, shuffle }))
  const rows = clusters.slice(0, 12).flatMap(({ cluster, shuffle }, n) => {
    const size = n % 2 === 0 ? 4 : 1
    return Array.from({ length: size }, (_, i) =>
      game(`${cluster}-${i}`, 0, 1, 'A>B', { jb: { shuffle: { ...shuffle, cluster, size, most: 4 } } }),
    )
  })
  const found = await report(rows, 0, '--fail-under', '0.5')
  assert.ok(found.until.at > 5 && found.items > found.until.at, JSON.stringify(found.until))
})

describe('grades', () => {
  const graded = (scores: number[], verdict: object = {}) =>
    shuffledIds(60)
      .slice(0, scores.length)
      .map(({ id, shuffle }, i) => ({
        jb: {
          ...{ judge: 'g', item: id, shuffle, trial: { n: 0, of: 1 } },
          ...{ reply: { text: 't', model: 'm' }, verdict: { label: '', score: scores[i], ...verdict } },
        },
      }))
  const high = Array.from({ length: 30 }, (_, i) => 4 + (i % 2))

  test('are on the scale of the judge, or of --range', async () => {
    const found = await report(graded(high, { range: [1, 5] }), 0, '--fail-under', '3')
    assert.ok(found.until.at_least >= 3 && found.ci[1] <= 5, JSON.stringify(found.until))
    const said = await report(graded(high), 0, '--fail-under', '3', '--range', '1:5')
    assert.deepEqual(said.until, found.until)
  })

  test('without one: exit 2; outside of it: 65', async () => {
    expect(await until(graded(high), '--fail-under', '3'), {
      code: 2,
      err: /:1: it is not known what scores there can be: --range LOW:HIGH/,
    })
    expect(await until(graded([4, 9]), '--fail-under', '3', '--range', '1:5'), {
      code: 65,
      err: /:2: a score of 9 is not within 1 to 5/,
    })
    expect(await until(graded(high), '--fail-under', '7', '--range', '1:5'), {
      code: 2,
      err: /--fail-under 7: the values are from 1 to 5/,
    })
    for (const range of ['5', '5:1', '1:x', '1:5:9'])
      expect(await until(graded(high), '--fail-under', '3', '--range', range), { code: 2 })
  })
})

describe('an order that is not known to be random', () => {
  const rows = judged([1, 1, 1, 1, 1, 1], 20)
  const marked = (change: (mark: Record<string, unknown>, i: number) => object) =>
    rows.map((row, i) => ({ ...row, jb: { ...row.jb, shuffle: change({ ...row.jb.shuffle }, i) } }))
  const refused = async (some: object[], code: number, err: RegExp) =>
    expect(await until(some, '--fail-under', '0.5'), { code, err })

  test('no mark: exit 2, unless the user says that it is', async () => {
    const bare = rows.map(({ jb, ...row }) => ({ ...row, jb: { ...jb, shuffle: undefined } }))
    await refused(bare, 2, /:1: the order is not known to be random: jb-render --shuffle SEED/)
    const said = (n: string) => until(bare, '--fail-under', '0.5', '--shuffled', n)
    assert.equal(JSON.parse((await said('20')).stdout).until.of, 20)
    assert.equal(JSON.parse((await said('0')).stdout).until.of, null)
    expect(await said('3'), { code: 65, err: /more items than --shuffled 3/ })
  })

  test('marks that contradict each other: exit 65', async () => {
    await refused(
      marked((mark, i) => ({ ...mark, seed: i < 2 ? '7' : '8' })),
      65,
      /:3: jb\.shuffle: rows of two orders/,
    )
    await refused(
      marked((mark, i) => ({ ...mark, of: i < 2 ? 20 : 21 })),
      65,
      /:3: jb\.shuffle: rows of two orders/,
    )
    await refused(
      marked((mark) => ({ ...mark, n: 20 })),
      65,
      /:1: jb\.shuffle: place 20 of 20/,
    )
    await refused(
      marked((mark) => ({ ...mark, n: 0 })),
      65,
      /:3: jb\.shuffle: .* have one place, 0/,
    )
    await refused(
      marked((mark) => ({ ...mark, seed: 'other' })),
      65,
      /jb\.shuffle: this is not the order that seed "other" gives/,
    )
  })
})

test('what does not go with it is refused', async () => {
  const rows = judged([1, 1, 1, 1, 1, 1], 20)
  const refused = async (args: string[], err: RegExp) =>
    expect(await jb('aggregate', args, { stdin: ndjson(rows) }), { code: 2, err })
  await refused(['--until', 'decided'], /what is to be decided\? --fail-under X/)
  for (const option of ['--partial', '--merge', '--common', '--labels=x', '--compat=judgebench'])
    await refused(
      ['--until', 'decided', '--fail-under', '0.5', option],
      /it does not go with --until decided/,
    )
  await refused(['--range', '1:5'], /it goes with --until decided/)
  await refused(['--until', 'decided', '--fail-under', '60'], /--fail-under 60: .* \(0\.6\?\)/)
  const other = rows.map((row) => ({ ...row, jb: { ...row.jb, reply: { text: 't', model: 'other' } } }))
  expect(await until([...rows.slice(0, 2), ...other], '--fail-under', '0.5', '--shuffled', '0'), { code: 2 })
  expect(await until([rows[0]!, other[1]!], '--fail-under', '0.5'), {
    code: 2,
    err: /--until decides about one judge and model, and there are arena_hard · m and arena_hard · other/,
  })
  expect(await until(rows, '--fail-under', '0.5', '--expect', '21'), {
    code: 65,
    err: /--expect 21: there should be 21 items, and the order is of 20/,
  })
  expect(await until(rows, '--fail-under', '0.5', '--expect', '20'), { code: 0 })
})
