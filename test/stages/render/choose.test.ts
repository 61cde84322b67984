/** Which items are asked about: --limit, --sample, --by. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { shares } from '../../../src/stages/render/sample.ts'
import { ndjson, pair, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'

const items = Array.from({ length: 200 }, (_, i) =>
  pair({ pair_id: `p${i}`, response_A: `${i}`, response_B: `5${i}`, source: i % 10 < 7 ? 'a' : 'b' }),
)

async function drawn(rows: object[], ...args: string[]): Promise<string[]> {
  const ran = fine(await jb('render', ['vanilla', ...args], { stdin: ndjson(rows) }))
  return rowsOf(ran).map(({ jb }) => (jb as { item: string }).item)
}

describe('--sample', () => {
  test('the same items in whatever order they come, in the order of the input', async () => {
    const some = await drawn(items, '--sample', '20')
    assert.equal(some.length, 20)
    assert.deepEqual(
      some,
      items.map(({ pair_id }) => pair_id).filter((id) => some.includes(id)),
    )
    assert.deepEqual(new Set(await drawn(items.toReversed(), '--sample', '20')), new Set(some))
    assert.notDeepEqual(await drawn(items, '--sample', '20', '--seed', '1'), some)
    // A smaller sample is part of a larger one.
    for (const id of await drawn(items, '--sample', '5')) assert.ok(some.includes(id))
    assert.equal((await drawn(items, '--sample', '500')).length, 200)
  })

  test('--by gives each value its share', async () => {
    const some = await drawn(items, '--sample', '20', '--by', 'source')
    const sources = some.map((id) => items.find((one) => one.pair_id === id)!.source)
    assert.deepEqual([sources.filter((one) => one === 'a').length, sources.length], [14, 20])
    expect(await jb('render', ['vanilla', '--sample', '2', '--by', 'sourc'], { stdin: ndjson(items) }), {
      err: /^jb-render: --by sourc: no row has this field \(did you mean "source"\?/,
    })
    expect(await jb('render', ['vanilla', '--by', 'source'], { stdin: ndjson(items) }), {
      code: 2,
      err: /--by: it goes with --sample\n/,
    })
  })

  test('--by of jb-aggregate may stand in the environment', async () => {
    const ran = await jb('render', ['vanilla'], {
      stdin: ndjson(items.slice(0, 1)),
      env: { JB_BY: 'source' },
    })
    expect(ran, { err: /JB_BY is ignored: it goes with --sample\n/ })
    assert.equal(rowsOf(ran).length, 1)
  })

  test('shares are whole, by largest remainder', () => {
    const counts = new Map([
      ['a', 5],
      ['b', 3],
      ['c', 1],
    ])
    assert.deepEqual(
      [...shares(counts, 4)],
      [
        ['a', 2],
        ['b', 1],
        ['c', 1],
      ],
    )
    assert.deepEqual([...shares(counts, 9)], [...counts])
  })
})

describe('--shuffle', () => {
  const shuffled = async (rows: object[], ...args: string[]) =>
    rowsOf(fine(await jb('render', ['vanilla', '--shuffle', '7', ...args], { stdin: ndjson(rows) })))
  const marks = (rows: { jb: { shuffle?: object } }[]) => rows.map(({ jb }) => jb.shuffle)

  test('by a hash of the seed and the id, whatever the order of the input; trials stay together', async () => {
    const rows = await shuffled(items, '--order', 'both')
    const keyOf = (id: string) => createHash('sha256').update(`7\0${id}`).digest('hex')
    const ids = items.map(({ pair_id }) => pair_id).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    assert.deepEqual(
      rows.map(({ jb }) => jb.item),
      ids.flatMap((id) => [id, id]),
    )
    assert.deepEqual(
      marks(rows),
      ids.flatMap((_, n) => Array(2).fill({ seed: '7', n, of: 200 })),
    )
    assert.deepEqual(await shuffled(items.toReversed(), '--order', 'both'), rows)
  })

  test('of counts what --sample leaves, and --limit does not change it', async () => {
    const some = await shuffled(items, '--sample', '20', '--limit', '3')
    assert.deepEqual(
      marks(some),
      [0, 1, 2].map((n) => ({ seed: '7', n, of: 20 })),
    )
    const ran = await jb('render', ['vanilla', '--cluster', 'source'], { stdin: ndjson(items) })
    expect(ran, { code: 2, err: /--cluster: it goes with --shuffle\n/ })
  })

  test('--cluster: items with one value are one unit; one without the field is its own', async () => {
    const rows = ['x', 'y', 'x', undefined].map((text, i) => pair({ pair_id: `q${i}`, text }))
    const found = await shuffled(rows, '--cluster', 'text')
    const sizes = Object.fromEntries(found.map(({ jb }) => [jb.shuffle!.cluster, jb.shuffle!.size]))
    assert.deepEqual(sizes, { x: 2, y: 1, q3: 1 })
    assert.deepEqual(
      new Set(found.map(({ jb }) => `${jb.shuffle!.of} ${jb.shuffle!.most}`)),
      new Set(['3 2']),
    )
    assert.deepEqual(new Set(found.map(({ jb }) => jb.shuffle!.n)), new Set([0, 1, 2]))
  })

  test('an item without the field of --id, and bad rows that are passed on, have their places', async () => {
    const stdin = `${ndjson([{ ...pair(), key: 'k' }, pair()])}oops\nno\n`
    const ran = await jb('render', ['vanilla', '--shuffle', '7', '--id', 'key', '--bad-rows', 'pass'], {
      stdin,
    })
    const found = rowsOf(ran)
    assert.deepEqual(new Set(found.map(({ jb }) => jb.shuffle!.n)), new Set([0, 1, 2, 3]))
    assert.deepEqual(
      new Set(found.map(({ jb }) => jb.error?.code)),
      new Set([undefined, 'missing_field', 'bad_row']),
    )
  })
})
