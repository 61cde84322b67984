/** A report is that of the rows, whichever came first and on however many machines they were added up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { fine, jb, type Ran } from '../../helpers/run.ts'
import { FAILED, ofAllOrders, ofOrders, permutations, report, trial } from './_order.ts'

/** Both orders, and two shards: all must print the same. */
async function everyWay(rows: object[]): Promise<string> {
  const whole = (await report(rows)).stdout
  assert.equal((await report(rows.toReversed())).stdout, whole, 'the other way round')
  const half = Math.ceil(rows.length / 2)
  const shards: Ran[] = await Promise.all(
    [rows.slice(0, half), rows.slice(half)].map((shard) => report(shard, '--partial')),
  )
  const stdin = shards.map(({ stdout }) => stdout).join('')
  assert.equal(fine(await jb('aggregate', ['-q', '--merge'], { stdin })).stdout, whole, 'in two shards')
  return whole
}

const pair = (id: number, more: object) => ({
  id,
  label: 'A>B',
  ...more,
  jb: { judge: 'j', item: String(id), verdict: { decision: 'A>B' } },
})

test('the usual field to group by is the best that any row has', async () => {
  const rows = [pair(1, { category: 'c' }), pair(2, { source: 's', category: 'c' })]
  assert.deepEqual(Object.keys(JSON.parse(await everyWay(rows)).by), ['source'])
  assert.deepEqual(Object.keys(JSON.parse(await everyWay([rows[0]!, pair(3, { task: 't' })])).by), [
    'category',
  ])
  // Fields that were asked for are all kept.
  const shard = await report(rows, '--by', 'category', '--by', 'source', '--partial')
  const merged = fine(await jb('aggregate', ['-q', '--merge'], { stdin: shard.stdout }))
  assert.deepEqual(Object.keys(JSON.parse(merged.stdout).by), ['category', 'source'])
})

/** A choice among options with these scores, of one item. */
const chosen = (id: number, label: string, option: string, scores: Record<string, number>, more = {}) => ({
  id,
  label,
  jb: {
    judge: 'direct',
    item: String(id),
    criterion: {
      name: 'q',
      description: '',
      to_evaluate_field: 'r',
      context_fields: null,
      options: Object.entries(scores).map(([name, score]) => ({ name, score, description: '' })),
    },
    verdict: { label: option, option, score: scores[option] },
    ...more,
  },
})

test('money and scores add up to the same last digit', async () => {
  const scores = { a: 0.1, b: 0.2, c: 0.7 }
  const rows = [0.1, 0.2, 0.3, 0.1, 0.7].map((cost, i) =>
    chosen(i, 'a', ['a', 'b', 'c', 'c', 'b'][i]!, scores, { reply: { text: '', model: 'm', cost } }),
  )
  const all = JSON.parse(await everyWay(rows))
  assert.equal(all.cost, 1.4)
  // Far from zero the spread is still there.
  const far = [1, 2, 3].map((n) => chosen(n, 'x', 'x', { x: 1_000_000_000 + n }))
  assert.ok(Math.abs(JSON.parse(await everyWay(far)).std - Math.sqrt(2 / 3)) < 1e-6)
})

test('options whose scores give no order have no measure that needs one', async () => {
  const measures = (text: string) => {
    const { kappa, kappa_linear, alpha_ordinal } = JSON.parse(text)
    return [typeof kappa, kappa_linear, alpha_ordinal]
  }
  const [up, down] = [
    { low: 0, mid: 0.5, high: 1 },
    { low: 0.5, mid: 0, high: 1 },
  ]
  const two = [chosen(1, 'low', 'high', up), chosen(2, 'mid', 'mid', up), chosen(3, 'low', 'mid', down)]
  assert.deepEqual(measures(await everyWay(two)), ['number', undefined, undefined], 'two scores for one name')
  const same = { short: 0, right: 1, long: 0 }
  const tied = [
    chosen(1, 'short', 'right', same),
    chosen(2, 'right', 'long', same),
    chosen(3, 'long', 'long', same),
  ]
  assert.deepEqual(measures(await everyWay(tied)), ['number', undefined, undefined], 'two of one score')
  const [, linear] = measures(await everyWay([chosen(1, 'low', 'high', up), chosen(2, 'mid', 'mid', up)]))
  assert.equal(typeof linear, 'number')
})

test('rows of an item that differ in its label or group: those of the first trial count', async () => {
  assert.equal(await ofAllOrders([trial(0, 2, { source: 't' }), trial(1, 2, {})]), 's 1/1, t 1/1, correct 2')
  assert.equal(await ofAllOrders([trial(0, 2, {}), trial(1, 2, { label: 'B>A' })]), 's 2/2, correct 2')
  const games = ['x', 'z'].flatMap((id) => [trial(0, 2, { label: 'B>A' }, {}, id), trial(1, 2, {}, {}, id)])
  assert.equal(await ofAllOrders(games), 's 3/3, correct 1')
})

test('the same trial twice with another label or group is a conflict', async () => {
  const once = trial(0, 1, {})
  // Of two groups it counts in the one that comes first.
  assert.equal(await ofAllOrders([once, trial(0, 1, { source: 't' })]), 's 1/2, correct 1, conflict')
  assert.equal(await ofAllOrders([once, trial(0, 1, { label: 'B>A' })]), 's 1/2, correct 1, conflict')
  const two = [trial(0, 2, {}), trial(1, 2, {})]
  assert.equal(await ofAllOrders([...two, trial(0, 2, { source: 'a' })]), 'a 0/1, s 1/1, correct 1, conflict')
  assert.equal(await ofAllOrders([...two, trial(0, 2, { label: 'B>A' })]), 's 1/2, correct 1, conflict')
  // One that was tried again counts as it ended.
  assert.equal(await ofAllOrders([...two, trial(0, 2, { source: 'a' }, FAILED)]), 's 2/2, correct 2')
  // A field that is no group: nothing depends on it.
  assert.equal(await ofAllOrders([once, trial(0, 1, { task: 't' })]), 's 2/2, correct 2')
})

test('--combine takes each reply to a trial once, in whatever order they come', async () => {
  const said = (decision: string) =>
    trial(0, 2, {}, { reply: { text: decision, model: 'm' }, verdict: { label: decision, decision } })
  const rows = [
    said('A>B'),
    said('B>A'),
    said('A>B'),
    trial(1, 2, {}, { verdict: { label: 'A=B', decision: 'A=B' } }),
  ]
  // Both lean to nobody; of two first ones always the same.
  assert.equal(await ofAllOrders(rows, '--combine', 'vote'), 's 2/2, correct 1')
  assert.equal(await ofAllOrders(rows, '--combine', 'first'), 's 2/2, correct 2')
})

test('rows that differ are told of before an item without what a format needs', async () => {
  const rows = [trial(0, 1, {}), trial(0, 1, { label: undefined })]
  for (const some of [rows, rows.toReversed()]) {
    const { code, stdout } = await jb('write', ['-q', 'rm-gallery'], { stdin: ndjson(some) })
    assert.deepEqual([code, JSON.parse(stdout).overall_accuracy.valid_samples], [1, 0])
  }
})

test('an item that cannot be scored is named with its place', async () => {
  const [none, deep] = [trial(0, 1, { label: null }), trial(0, 1, { label: 'DEEP' }, {}, 'y')]
  const stdin = ndjson([none, deep, trial(0, 1, {}, {}, 'z')]).replace(
    '"DEEP"',
    `${'['.repeat(50)}${']'.repeat(50)}`,
  )
  const { stderr } = await jb('aggregate', ['--label', 'label'], { stdin })
  assert.match(stderr, /\(stdin\):1: missing_field: the label "label" is null, expected a label/)
  assert.match(stderr, /\(stdin\):2: missing_field: the label "label" is a list, expected A>B/)
})

test('--combine: rows of a trial that differ are a conflict, also where one of them lacks the label', async () => {
  const rows = [trial(0, 1, { label: undefined }), trial(0, 1, {}), trial(0, 1, { source: undefined })]
  assert.equal(await ofAllOrders(rows, '--combine', 'vote', '--label', 'label'), 's 1/2, correct 1, conflict')
})

test('jb-write rewardbench2 adds up to the same last digit', async () => {
  const rows = [1, 1, 3].map((best, id) => ({
    id,
    subset: 'Math',
    scores: [2, ...Array(best - 1).fill(2), 1],
  }))
  const text = async (some: object[]) =>
    (await jb('write', ['-q', 'rewardbench2'], { stdin: ndjson(some) })).stdout
  assert.equal(await text(rows.toReversed()), await text(rows))
})

test('a reply to an item without a label is paid for once, where another row has the label', async () => {
  const chose = (label: object) => ({
    ...chosen(1, 'a', 'a', { a: 1, b: 0 }, { reply: { text: 'a', model: 'm', cost: 0.25 } }),
    label: undefined,
    ...label,
  })
  for (const rows of [
    [chose({ label: 'a' }), chose({})],
    [chose({}), chose({ label: 'a' })],
  ]) {
    const args = ['-q', '--label', 'label', '--by', 'none']
    const { stdout } = await jb('aggregate', args, { stdin: ndjson(rows) })
    const { cost, failures } = JSON.parse(stdout)
    assert.deepEqual([cost, failures], [0.25, { conflict: 1 }])
  }
})

test('jb-write evalassist --combine: a text belongs to the result that its trials make', async () => {
  const one = trial(1, 3, {})
  const scored = JSON.parse(fine(await jb('score', ['-q'], { stdin: ndjson([one]) })).stdout)
  const args = ['-q', 'evalassist', '--combine', 'first']
  const lines = async (rows: object[]) =>
    (await jb('write', args, { stdin: ndjson(rows) })).stdout.trim().split('\n').sort()
  const made = await lines([one, scored])
  assert.equal(made.filter((line) => line.includes('unparsed_response')).length, 1)
  assert.deepEqual(await lines([scored, one]), made)
})

test('jb-write trec_eval of rows that contradict each other: what is left decides whether they are of one run', async () => {
  const graded = (item: string, n: number, run: string, score: number) => ({
    topic_id: item,
    run_id: run,
    jb: {
      judge: 'relevance',
      item,
      trial: { n, of: 3 },
      reply: { text: `${score}`, model: 'm' },
      verdict: { score },
    },
  })
  const rows = [
    graded('a', 0, 'p2', 2),
    graded('a', 2, 'p1', 2),
    graded('a', 1, 'p1', 1),
    graded('a', 1, 'p1', 2),
  ]
  rows.push(...[0, 1, 2].map((n) => graded('b', n, 'p1', 2)))
  for (const some of [rows, rows.toReversed(), [...rows.slice(1), rows[0]!]]) {
    const { code, stdout } = await jb('write', ['-q', 'trec_eval'], { stdin: ndjson(some) })
    assert.deepEqual([code, stdout.split('\n')[0]], [0, 'GRADE\tb\t2.0'])
  }
})

/** A grade of an item. */
const graded = (i: number, score: number, trial = { n: 0, of: 1 }, fields: object = {}) => ({
  id: i,
  ...fields,
  jb: {
    judge: 'grades',
    item: `item ${i}`,
    trial,
    reply: { text: `${score}`, model: 'm' },
    verdict: { label: `${score}`, score, range: [0, 10] },
  },
})

test('--combine of more items than are held for further replies counts each, and takes late replies with early ones', async () => {
  const rows = Array.from({ length: 10_050 }, (_, i) => graded(i, i % 7))
  const { stdout, stderr } = await jb('aggregate', ['--combine', 'vote'], { stdin: ndjson(rows) })
  const { items, valid } = JSON.parse(stdout)
  assert.deepEqual([items, valid, stderr], [10_050, 10_050, ''])
  const late = await jb('aggregate', ['--combine', 'mean'], { stdin: ndjson([...rows, graded(0, 7)]) })
  assert.equal(late.stderr, '')
  assert.equal(JSON.parse(late.stdout).score, (rows.reduce((sum, _, i) => sum + (i % 7), 0) + 3.5) / 10_050)
})

test('rows of one trial with other labels are compared as they were, however many rows later the item is whole', async (t) => {
  const game = (n: number, label: number) => graded(0, 1, { n, of: 2 }, { label, source: 'first' })
  // In several reads, each in the place of the one before.
  const others = Array.from({ length: 4000 }, (_, i) =>
    graded(i + 1, i % 7, undefined, { label: 2, source: `other ${i}` }),
  )
  const rows = ndjson([game(0, 5), game(0, 3), ...others, game(1, 5)])
  const cwd = folder(t, { 'rows.ndjson': rows })
  const ran = await jb('aggregate', ['rows.ndjson'], { cwd })
  assert.equal(ran.code, 0, ran.stderr)
  const report = JSON.parse(ran.stdout)
  assert.deepEqual([report.valid, report.failures], [4001, {}])
})

test('rows that disagree on how many trials an item has: with trials missing it is incomplete, else a conflict, and two lines are told', async () => {
  const reply = (n: number, of: number) => trial(n, of, {})
  const failed = (n: number, of: number) =>
    trial(n, of, {}, { reply: undefined, error: { ...FAILED.error, model: 'm' } })
  for (const rows of [
    [reply(0, 1), reply(1, 2)],
    [reply(0, 1), reply(0, 2), reply(1, 2)],
    [reply(0, 1), failed(0, 2), failed(1, 2)],
    [reply(0, 2), reply(1, 2), reply(0, 3), failed(2, 3)],
    // A trial beyond those that its row says there are.
    [reply(0, 2), reply(1, 2), reply(2, 2)],
  ])
    assert.equal(await ofAllOrders(rows), 's 1/2, correct 1, conflict', JSON.stringify(rows))
  assert.equal(await ofAllOrders([reply(0, 1), reply(0, 2)]), 's 1/2, correct 1, incomplete')
  assert.equal(await ofAllOrders([reply(0, 2), reply(1, 2), reply(5, 2)]), 's 1/2, correct 1, incomplete')
  const messageOf = async (rows: object[]) => {
    const { stdout } = await jb('score', ['-q'], { stdin: ndjson(rows) })
    return JSON.parse(stdout.trim().split('\n').at(-1)!).jb.error.message
  }
  assert.equal(
    await messageOf([reply(1, 3), reply(0, 2), reply(2, 3)]),
    '(stdin):1 says that there are 3, and (stdin):2 2',
  )
  assert.equal(
    await messageOf([reply(1, 3), reply(0, 2)]),
    '2 of 3 trials are there: (stdin):1 says that there are 3, and (stdin):2 2',
  )
})

test('a conflict is told where it is one, by its last row', async () => {
  const told = (rows: object[]) =>
    jb('aggregate', [], { stdin: ndjson(rows) }).then(({ stderr }) => stderr.split('\n', 2))
  const other = { verdict: { label: 'B', decision: 'B>A' } }
  const [conflict] = await told([trial(0, 1, {}), trial(0, 1, {}, other)])
  assert.match(conflict!, /\(stdin\):2: item "x" occurs twice .* it counts as failed \(conflict\)/)
  const [more] = await told([trial(0, 2, {}), trial(1, 2, {}), trial(0, 2, {})])
  assert.match(more!, /:3: item "x" was counted already, with the same reply: it counts once/)
})

test('of results, a trial that came again after its item was whole is a conflict where it has another reply', async () => {
  const other = { verdict: { label: 'B', decision: 'B>A' } }
  const rows = [trial(0, 2, {}), trial(1, 2, {}), trial(0, 2, {}, other), trial(0, 1, {}, {}, 'y')]
  const results = fine(await jb('score', ['-q'], { stdin: ndjson(rows) }))
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(await ofOrders(permutations(results)), 's 1/2, correct 1, conflict')
})
