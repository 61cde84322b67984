/** --order: which answer is shown first, and that nothing else depends on it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyRow, ndjson, pair, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'

const render = async (args: string[], rows: object[]): Promise<AnyRow[]> =>
  rowsOf(fine(await jb('render', args, { stdin: ndjson(rows) })))

const asked = ({ jb }: AnyRow) => jb.request!.messages!.at(-1)!.content

test('ab, ba, both: the answers change places, and nothing else does', async () => {
  const item = pair({ pair_id: 'p', response_A: 'FIRST', response_B: 'SECOND' })
  const [ab] = await render(['arena_hard', '--order', 'ab'], [item])
  const [ba] = await render(['arena_hard', '--order', 'ba'], [item])
  const both = await render(['arena_hard', '--order', 'both'], [item])
  assert.deepEqual((await render(['arena_hard'], [item]))[0], ab)
  assert.deepEqual(ab?.jb.trial, { n: 0, of: 1, order: 'AB' })
  assert.deepEqual(ba?.jb.trial, { n: 0, of: 1, order: 'BA' })
  assert.deepEqual(
    both.map(({ jb }) => jb.trial),
    [
      { n: 0, of: 2, order: 'AB' },
      { n: 1, of: 2, order: 'BA' },
    ],
  )
  assert.deepEqual(both.map(asked), [asked(ab!), asked(ba!)])
  assert.ok(asked(ab!).indexOf('FIRST') < asked(ab!).indexOf('SECOND'))
  assert.equal(
    asked(ba!),
    asked(ab!).replace('FIRST', '\0').replace('SECOND', 'FIRST').replace('\0', 'SECOND'),
  )
  // The item itself is as it came, in either order.
  for (const { jb: _, ...user } of both) assert.deepEqual(user, item)
})

const MANY = Array.from({ length: 400 }, (_, i) =>
  pair({ pair_id: `item-${i}`, response_A: `A${i}`, response_B: `B${i}` }),
)

const ordersOf = (rows: AnyRow[]) => new Map(rows.map(({ pair_id, jb }) => [pair_id, jb.trial!.order]))

test('random is told by the item’s id and the seed, never by its place in the stream', async () => {
  const once = ordersOf(await render(['vanilla', '--order', 'random'], MANY))
  assert.deepEqual(ordersOf(await render(['vanilla', '--order', 'random'], MANY)), once)
  assert.deepEqual(ordersOf(await render(['vanilla', '--order', 'random', '--seed', '0'], MANY)), once)
  const turned = ordersOf(await render(['vanilla', '--order', 'random'], [...MANY].reverse()))
  for (const [id, order] of turned) assert.equal(order, once.get(id), id)
  const some = ordersOf(
    await render(
      ['arena_hard', '--order', 'random'],
      MANY.filter((_, i) => i % 7 === 3),
    ),
  )
  for (const [id, order] of some) assert.equal(order, once.get(id), id)
  // Fair, within five standard deviations of 200 in 400.
  const swapped = [...once.values()].filter((order) => order === 'BA').length
  assert.ok(Math.abs(swapped - 200) < 50, `${swapped} of 400 are BA`)
  const otherRows = await render(['vanilla', '--order', 'random', '--seed', '1'], MANY)
  // A report says it (`made`).
  assert.deepEqual([...new Set(otherRows.map(({ jb }) => jb.trial!.seed))], ['1'])
  const other = ordersOf(otherRows)
  const same = [...once].filter(([id, order]) => other.get(id) === order).length
  assert.ok(same > 150 && same < 250, `${same} of 400 are as with the other seed`)
})

test('random order loses no flip: a judge whose answer is known gives the same accuracy in every order', async () => {
  // The right answer is the longer one in three of four pairs, in either slot.
  const rows = MANY.slice(0, 160).map((row, i) => ({
    ...row,
    response_A: i % 2 === 0 ? 'long enough to win' : 'short',
    response_B: i % 2 === 0 ? 'short' : 'long enough to win',
    label: (i % 2 === 0) === i % 4 < 3 ? 'A>B' : 'B>A',
  }))
  const stdin = ndjson(rows)
  const right = rows.filter(
    ({ response_A, response_B, label }) => response_A.length > response_B.length === (label === 'A>B'),
  ).length
  const report = async (order: string, model: string) => {
    const line = `jb-render arena_hard --order ${order} | jb-call -q -m baseline:${model} --no-cache | jb-parse | jb-aggregate`
    return JSON.parse(fine(await pipe(line, { stdin })).stdout)
  }
  for (const order of ['ab', 'both', 'random']) {
    const { accuracy, correct, incorrect, tie, inconsistent } = await report(order, 'longer')
    assert.deepEqual([correct, incorrect, tie], [right, 160 - right, 0], order)
    assert.equal(accuracy, right / 160)
    assert.ok(!inconsistent, order)
  }
  // A judge that takes whatever is shown first: all games for the first slot, and a coin's accuracy.
  const first = await report('random', 'first')
  assert.deepEqual([first.first_slot, first.decisive], [160, 160])
  const both = await report('both', 'first')
  assert.deepEqual([both.tie, both.inconsistent, both.same_slot, both.accuracy], [160, 160, 160, 0])
})

test('judges that show no two answers have no order', async () => {
  const ran = await jb('render', ['mt_bench', '--order', 'both'], { stdin: '' })
  expect(ran, {
    code: 2,
    err: /^jb-render: --order both: mt_bench is a grade judge, which does not show two answers\n$/,
  })
})

test('alpaca_eval’s order is drawn from the field that --map names', async () => {
  const items = MANY.slice(0, 40).map(({ question: _, ...item }, i) => ({ ...item, instruction: `Do ${i}` }))
  const args = ['vanilla', '--order', 'alpaca_eval', '--map']
  const expected = ordersOf(await render([...args, 'question=instruction'], items))
  const renamed = items.map(({ instruction, ...item }) => ({ ...item, ask: instruction }))
  assert.deepEqual(ordersOf(await render([...args, 'question=ask'], renamed)), expected)
  const both = renamed.map((item) => ({ ...item, instruction: 'the same for all' }))
  assert.deepEqual(ordersOf(await render([...args, 'question=ask'], both)), expected)
  assert.equal(new Set(expected.values()).size, 2)
})
