/** jb-view: trials that are there again count as jb-aggregate counts them, whatever the order of the rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { permutations } from '../aggregate/_order.ts'
import { dataOf, madeOf } from './_page.ts'

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
