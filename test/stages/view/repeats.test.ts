/** jb-view: trials that are there again count as jb-aggregate counts them, whatever the order of the rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { permutations } from '../aggregate/_order.ts'
import { dataOf, made, madeOf } from './_page.ts'

const failed = (n: number) =>
  game('i1', n, 2, 'A>B', {
    jb: { verdict: null, error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' } },
  })

/** Items, valid ones and failures of the one run, and the item's verdict and error in the list. */
async function shown(rows: object[], options: object = {}) {
  const { overview, index } = await dataOf(await madeOf(rows, options))
  const { items, valid, failures } = overview.runs[0]!.report as Record<string, unknown>
  const [columns] = index.runs
  const word = ({ words, at }: { words: string[]; at: number[] }) => words[at[0]!] ?? ''
  return [overview.runs.length, items, valid, failures, word(columns!.verdict), word(columns!.error)]
}

test('a trial that failed and was tried again counts as it ended, in any order', async () => {
  for (const rows of permutations([game('i1', 0, 2, 'A>B'), failed(1), game('i1', 1, 2, 'A>B')]))
    assert.deepEqual(await shown(rows), [1, 1, 1, {}, 'A>B', ''])
})

test('two replies that differ are a conflict, in any order; with --combine both count', async () => {
  const rows = [game('i1', 0, 2, 'A>B'), game('i1', 1, 2, 'A>B'), game('i1', 0, 2, 'B>A')]
  for (const order of permutations(rows))
    assert.deepEqual(await shown(order), [1, 1, 0, { conflict: 1 }, '', 'conflict'])
  const together = [rows[0]!, rows[2]!, rows[1]!]
  assert.deepEqual((await shown(together, { combine: 'vote' })).slice(0, 5), [1, 1, 1, {}, 'A>B'])
})

test('a conflict has its reason and the places of the two rows, in the page and on a card', async () => {
  const rows = [game('i1', 0, 1, 'A>B'), game('i2', 0, 1, 'A>B'), game('i2', 0, 1, 'B>A')]
  const reason = /^trial 0 has two replies that differ .*: rows\.ndjson:2 and rows\.ndjson:3$/
  const { index } = await dataOf(await madeOf(rows))
  const { words, at } = index.runs[0]!.why
  assert.deepEqual(at, [-1, 0])
  assert.match(words[0]!, reason)
  const { stdout } = fine(await jb('view', ['-q', '--text', '--item', 'i2'], { stdin: ndjson(rows) }))
  assert.match(
    stdout.replace(/\n {2}! /g, ' '),
    /failed: conflict trial 0 has two replies that differ .*: .*2 and .*3\n/,
  )
  const { stdout: scored } = await jb('score', ['-q'], { stdin: ndjson(rows) })
  const given = await dataOf(await made(scored.trimEnd().split('\n')))
  assert.match(given.index.runs[0]!.why.words[0]!, /^trial 0 has two replies that differ/)
})

test('groups have their failed items, also one of which all failed', async () => {
  const failure = (id: string, source: string) =>
    game(id, 0, 1, 'A>B', {
      source,
      jb: { verdict: null, error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' } },
    })
  const rows = [game('i1', 0, 1, 'A>B', { source: 'a' }), failure('i2', 'a'), failure('i3', 'b')]
  const { overview } = await dataOf(await madeOf(rows, { by: ['source'] }))
  const groups = overview.runs[0]!.groups.source!
  assert.deepEqual(
    Object.entries(groups).map(([value, { items, failed, estimate }]) => [value, items, failed, estimate?.n]),
    [
      ['a', 2, 1, 1],
      ['b', 1, 1, undefined],
    ],
  )
})

test('an item that failed before it had a model is one of the only run there is', async () => {
  const lost = game('i0', 0, 1, 'A>B', {
    jb: { verdict: null, reply: null, error: { stage: 'render', code: 'missing_field', message: 'x' } },
  })
  for (const rows of permutations([lost, game('i1', 0, 1, 'A>B')])) {
    const { overview, index } = await dataOf(await madeOf(rows))
    assert.deepEqual(
      overview.runs.map(({ name, report }) => [name, report.items, report.valid, report.failures]),
      [['arena_hard · m', 2, 1, { missing_field: 1 }]],
    )
    assert.deepEqual([index.rowRun, index.runs[0]!.error.words], [[0, 0], ['missing_field']])
  }
})

test('--by-file: any text may be an item’s id or a file’s name', async (t) => {
  const rows = ['a\\b', 'a"b', '\n'].map((id) => game(id, 0, 1, 'A>B'))
  const names = ['a"b.ndjson', 'a\\b.ndjson']
  const cwd = folder(t, Object.fromEntries(names.map((name) => [name, ndjson(rows)])))
  const page = fine(await jb('view', ['-q', '--by-file', ...names], { cwd })).stdout
  const { overview } = await dataOf(page)
  assert.deepEqual(
    overview.runs.map(({ report }) => report.items),
    [3, 3],
  )
})
