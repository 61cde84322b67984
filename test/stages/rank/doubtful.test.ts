/** jb-rank: no certainty that the battles do not give, and no option without effect. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { game } from '../../helpers/rows.ts'
import { objects } from '../../helpers/stage.ts'
import { board, fight, gamedAnswers, run } from './_rank.ts'

test('a winner that names one model and means the other fails: models may be called A and B', async () => {
  const { text, notes } = await run([], [...fight('A', 'B', 'A', 2), ...fight('B', 'A', 'A', 3)])
  assert.deepEqual(
    objects(text).map(({ model, wins, failed }) => [model, wins, failed]),
    [
      ['A', 2, 3],
      ['B', 0, 3],
    ],
  )
  assert.match(notes.join('\n'), /the winner "A" is the name of one model, and says that the other won/)
})

test('battles without spread have an interval, those of one item have none', async () => {
  const won = Array.from({ length: 5 }, (_, id) => ({ id, ...fight('x', 'y', 'model_a')[0] }))
  const x = (await board(['--baseline', 'y'], won)).get('x')!
  const [low, high] = x.ci as [number, number]
  assert.ok(low > 35 && low < 45 && high === 100, `${low} to ${high}`)
  const tied = won.map((row) => ({ ...row, winner: 'tie' }))
  const [from, to] = (await board([], tied)).get('y')!.ci as [number, number]
  assert.ok(from < 20 && Math.abs(from + to - 100) < 1e-6, `${from} to ${to}`)
  // A z that met the others on one item only.
  const games = [...won, ...won.map((row) => ({ ...row, id: row.id + 9, winner: 'model_b' }))]
  const once = [...fight('z', 'x', 'model_a', 8), ...fight('z', 'x', 'model_b', 4)].map((row) => ({
    id: 'z',
    ...row,
  }))
  for (const more of [[], ['--bootstrap', '50'], ['--control', 'style']]) {
    const rows = [...games, ...once].map((row, i) => ({
      ...row,
      response_A: 'x'.repeat(i + 1),
      response_B: 'y'.repeat(7 * ((i % 5) + 1)),
    }))
    const all = await board(['--method', 'bt', ...more], rows)
    const { rating, ci, se, rating_ci, rating_se, ranks } = all.get('z')!
    assert.ok(typeof rating === 'number')
    assert.deepEqual([ci, se, rating_ci, rating_se, ranks], [null, null, null, null, null])
    // It may be ahead of any other.
    if (more[0] !== '--bootstrap') assert.equal((all.get('x')!.ranks as number[])[1], 3)
  }
})

test('battles of several judges are ranked together, which is told', async () => {
  const rows = (judge: string, model: string) => [
    { ...game('q', 0, 1, 'A>B', { jb: { judge, reply: { text: 'A', model } } }), model_a: 'x', model_b: 'y' },
  ]
  const told = async (more: object[]) => (await run([], [...rows('j', 'm'), ...more])).notes.join('\n')
  assert.match(await told(rows('k', 'n')), /battles of 2 judges or models are ranked together: j · m, k · n/)
  assert.doesNotMatch(await told([]), /together/)
})

test('an option on the command line counts before --compat; one without effect is refused', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    id: i % 6,
    ...fight('x', 'y', i % 6 < 4 && i % 7 > 0 ? 'model_a' : 'model_b')[0],
  }))
  const width = async (...args: string[]) => {
    const [low, high] = (await board(['--compat', 'arena-hard-v2', ...args], rows)).get('y')!.ci as number[]
    return high! - low!
  }
  const usual = await width()
  assert.ok((await width('--cluster', 'item')) > usual)
  assert.ok((await width('--ci', '0.95')) > usual)
  const closed = (await board(['--compat', 'arena-hard', '--bootstrap', '0'], rows)).get('y')!
  const plain = (await board(['--cluster', 'none'], rows)).get('y')!
  assert.deepEqual(closed.ci, plain.ci)
  const { notes } = await run(['--compat', 'arena-hard', '--cluster', 'item', '--strong', '1'], rows)
  assert.match(notes.join('\n'), /--compat arena-hard: of a failed game the other still counts/)
  for (const args of [
    ['--method', 'mean', '--ridge', '1'],
    ['--show', 'pairs', '--as', 'arena-hard'],
    ['--as', 'arena-hard', '--format', 'csv'],
    ['--merge', '--strong', '3'],
    ['--merge', '--by', 'id'],
  ])
    await assert.rejects(run(args, rows), { exitCode: 2 }, args.join(' '))
})

test('length control without lengths is told', async (t) => {
  const control = gamedAnswers(t)
  const { notes } = await run(['--control', control], fight('x', 'y', 'model_a', 3))
  assert.match(notes.join('\n'), /no length-controlled win rate: no row has output_1 and output_2/)
})
