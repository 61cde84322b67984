/** jb-rank: no figure depends on the order of rows or on shards, and graphs without a solution are rows that say so. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { board, fight, run } from './_rank.ts'

const battles = fc.array(
  fc.record(
    {
      question_id: fc.integer({ min: 0, max: 9 }),
      model_a: fc.constantFrom('x', 'y', 'z', 'ü'),
      model_b: fc.constantFrom('x', 'y', 'z', 'ü'),
      winner: fc.constantFrom('model_a', 'model_b', 'tie', 'both_bad', null),
      len_a: fc.integer({ min: 1, max: 90 }),
      len_b: fc.integer({ min: 1, max: 90 }),
    },
    { requiredKeys: ['model_a', 'model_b', 'winner', 'len_a', 'len_b'] },
  ),
  { minLength: 1, maxLength: 40 },
)

test('a leaderboard of more than 2,000 models is refused', async () => {
  const rows = Array.from({ length: 2000 }, (_, i) => fight(`m${i}`, 'base', 'model_a')).flat()
  for (const args of [[], ['--method', 'bt'], ['--top', '3']]) {
    const { code, stderr } = await jb('rank', args, { stdin: ndjson(rows) })
    assert.equal(code, 65)
    assert.match(stderr, /jb-rank: 2,001 models: a leaderboard has at most 2,000/)
  }
})

test('any order of rows, and any split into shards, give the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(battles, fc.nat(), fc.constantFrom('item', 'none'), async (rows, cut, cluster) => {
      for (const args of [
        ['--method', 'bt', '--ridge', '0.1'],
        ['--bootstrap', '20'],
        ['--show', 'pairs'],
      ]) {
        const all = [...args, '--cluster', cluster]
        const whole = (await run(all, rows)).text
        assert.equal((await run(all, rows.toReversed())).text, whole)
        const at = cut % rows.length
        const shards = await Promise.all(
          [rows.slice(at), rows.slice(0, at)].map((shard) => run([...all, '--partial'], shard)),
        )
        const states = objects(shards.map(({ text }) => text).join(''))
        assert.equal((await run([...args, '--merge'], states)).text, whole)
      }
    }),
    { numRuns: 12 },
  )
})

test('an option whose field no row has: the field that is meant, and those there are', async () => {
  const rows = fight('x', 'y', 'model_a', 2)
  const there = 'there are model_a, model_b, winner'
  for (const option of ['models', 'by', 'cluster']) {
    const fields = option === 'models' ? 'modl_a,model_b' : 'modl_a'
    const { notes } = await run([`--${option}`, fields], rows)
    assert.equal(notes[0], `--${option} modl_a: no row has this field (did you mean "model_a"? ${there})`)
  }
  assert.doesNotMatch(
    (await run(['--models', 'model_a,model_b', '--by', 'winner'], rows)).notes.join(),
    /no row has/,
  )
})

test('with features, too', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    question_id: i % 20,
    model_a: 'xyz'[i % 3],
    model_b: 'yzx'[i % 3],
    winner: ['model_a', 'model_b', 'tie', 'model_b', 'model_a'][(i * 7) % 5],
    len_a: (i * 31) % 53,
    len_b: (i * 17) % 41,
  }))
  for (const args of [
    ['--control', 'len'],
    ['--control', 'len', '--bootstrap', '50', '--cluster', 'none'],
  ]) {
    const whole = (await run(args, rows)).text
    assert.equal((await run(args, rows.toReversed())).text, whole)
    assert.notEqual(whole, (await run(['--method', 'bt'], rows)).text)
  }
  const { text } = await run(['--control', 'len', '--format', 'table'], rows)
  assert.match(
    text,
    /\n\nBradley–Terry: a score is the chance to beat the average model at equal len, in percent\ncannot be told apart: x, z, y: about 724 battles/,
  )
})

test('unbeaten, winless, apart: no infinite ratings, but the reason; --ridge gives one', async () => {
  const rows = [
    ...fight('a', 'b', 'model_a', 12),
    ...fight('b', 'a', 'model_a', 8),
    ...fight('c', 'a', 'model_b', 16),
  ]
  const all = await board(['--method', 'bt'], rows)
  assert.deepEqual([all.get('c').rating, all.get('c').why, all.get('c').rank], [null, 'never_won', 3])
  assert.ok(Number.isFinite(all.get('a').rating) && all.get('a').rating > all.get('b').rating)
  const ridge = await board(['--method', 'bt', '--ridge', '1'], rows)
  assert.ok(ridge.get('c').rating < ridge.get('b').rating)
  const apart = await board(
    [],
    [...fight('a', 'b', 'tie'), ...fight('c', 'd', 'model_a'), ...fight('d', 'c', 'model_a')],
  )
  assert.deepEqual(
    [...apart.values()].map(({ component }) => component),
    [1, 1, 2, 2],
  )
  const { notes } = await run(
    ['--method', 'bt'],
    [...fight('a', 'b', 'model_a', 10), ...fight('b', 'c', 'model_a', 10)],
  )
  assert.match(notes.join(), /no finite rating for a \(never_lost\), b \(one_way\), c \(never_won\)/)
})

test('who stands above whom without a rating: chains of wins order the parts that have none between them', async () => {
  const cycle = (...names: string[]) =>
    names.flatMap((name, i) => fight(name, names[(i + 1) % names.length]!, 'model_a', 10))
  const rows = [
    ...fight('z', 'a', 'model_a', 10),
    ...cycle('a', 'b', 'c'),
    ...fight('c', 'x', 'model_a', 10),
    ...cycle('x', 'y'),
    ...fight('c', 'w', 'model_a', 10),
  ]
  const all = await board(['--method', 'bt'], rows)
  assert.deepEqual(
    [...all.values()].map(({ model, rank, ranks }) => [model, rank, ranks?.join('–')]),
    [
      ['z', 1, undefined],
      ...['a', 'b', 'c'].map((model) => [model, 2, '1–7']),
      ...['w', 'x', 'y'].map((model) => [model, 5, undefined]),
    ],
  )
  const { text } = await run(['--method', 'bt', '--format', 'table'], rows)
  assert.match(text, /^z +1 +unbeaten/m)
  assert.match(text, /^z: rank 1, above all: unbeaten/m)
})

test('one tie, one model, self battles, no winner: counted, never scored', async () => {
  const tie = await board(['--method', 'bt'], fight('a', 'b', 'tie'))
  assert.deepEqual([tie.get('a').rating, tie.get('a').score, tie.get('a').ties], [1000, 50, 1])
  const mean = await board([], fight('a', 'b', 'tie'))
  assert.deepEqual([mean.get('b').score, mean.get('b').ci, mean.get('b').against], [50, null, 'a'])
  const { text, notes } = await run([], [...fight('a', 'a', 'tie', 3)])
  assert.equal(text, '')
  assert.match(notes.join(), /0 battles, 3 of a model against itself/)
  const before = await board([], fight('a', 'b', 'model_a', 3))
  const after = await board([], [...fight('a', 'b', 'model_a', 3), ...fight('a', 'b', null, 2)])
  assert.equal(after.get('b').failed, 2)
  assert.deepEqual({ ...after.get('b'), failed: 0 }, before.get('b'))
})

test('models with the same rating share a rank, also where their battles differ', async () => {
  const met = (a: string, b: string, won: number, tied: number, lost: number) => [
    ...fight(a, b, 'model_a', won),
    ...fight(a, b, 'tie', tied),
    ...fight(a, b, 'model_b', lost),
  ]
  const rows = [...met('x', 'y', 1, 2, 3), ...met('x', 'z', 1, 2, 1), ...met('y', 'z', 4, 0, 2)]
  const all = [...(await board(['--method', 'bt'], rows)).values()]
  assert.deepEqual(
    all.map(({ model, rank }) => [model, rank]),
    [
      ['y', 1],
      ['x', 2],
      ['z', 2],
    ],
  )
  assert.equal(all[1]!.rating, all[2]!.rating)
})

test('the best of several answers beats each of the others; a failed choice fails, and a tie is a tie, for every two', async () => {
  const row = (item: string, jb: object) => ({
    models: ['x', 'y', 'z'],
    jb: { judge: 'pairwise', item, trial: { n: 0, of: 1, answers: 3 }, ...jb },
  })
  const won = (item: string, winner: number | 'tie') =>
    row(item, { reply: { text: 't', model: 'm' }, verdict: { label: '', winner } })
  const error = { stage: 'call', code: 'timeout', message: 'late' }
  const unasked = { id: 'i4', models: ['x', 'y', 'z'], jb: { judge: 'pairwise', item: 'i4', error } }
  const figures = async (rows: object[]) =>
    [...(await board(['--method', 'bt', '--ridge', '1'], rows)).values()]
      .map(({ model, wins, ties, losses, failed }) => [model, wins, ties, losses, failed])
      .sort()
  assert.deepEqual(await figures([won('i1', 0), row('i2', { error }), unasked]), [
    ['x', 2, 0, 0, 4],
    ['y', 0, 0, 1, 4],
    ['z', 0, 0, 1, 4],
  ])
  const tied = [won('i1', 0), won('i2', 'tie')]
  assert.deepEqual(await figures(tied), [
    ['x', 2, 2, 0, 0],
    ['y', 0, 2, 1, 0],
    ['z', 0, 2, 1, 0],
  ])
  assert.doesNotMatch((await run([], tied)).notes.join('\n'), /names no two models/)
})

test('the command: verdicts of jb with models’ names, strong ones and a failed game, a table', async () => {
  const models = { model_a: 'base', model_b: 'new' }
  const verdict = (decision: string, strength: number) => ({ verdict: { label: '', decision, strength } })
  const rows = [
    ...[0, 1].map((n) => game('i1', n, 2, 'B>A', { ...models, jb: verdict('B>A', 2) })),
    ...[0, 1].map((n) => game('i2', n, 2, 'A>B', { ...models, jb: verdict('A>B', 1) })),
    game('i3', 0, 2, 'A>B', models),
    game('i3', 1, 2, 'x', {
      ...models,
      jb: { verdict: undefined, error: { stage: 'call', code: 'timeout', message: 'late' } },
    }),
  ]
  const plain = await board([], rows)
  assert.deepEqual([plain.get('new').score, plain.get('new').failed, plain.get('new').items], [50, 1, 2])
  assert.equal((await board(['--strong', '3'], rows)).get('new').score, 75)
  const original = await board(['--compat', 'arena-hard'], rows)
  assert.deepEqual(
    [original.get('new').battles, original.get('new').wins, original.get('new').losses],
    [9, 6, 3],
  )
  const { stdout } = fine(await jb('rank', ['-q', '--format', 'table'], { stdin: ndjson(rows) }))
  assert.match(stdout, /new\s+1–2\s+50.00/)
  assert.match(stdout, /\n\nscores are against base: wins and half the ties, in percent\nwarning: 2 items: /)
  const bt = await jb('rank', ['-q', '--method', 'bt', '--format', 'markdown'], { stdin: ndjson(rows) })
  assert.match(
    bt.stdout,
    /\|\n\nBradley–Terry: a score is the chance to beat the average model, in percent\n\nwarning: 2 items: /,
  )
})

test('input that ends before its end makes no leaderboard and no shard; input without a battle is no success', async () => {
  const rows = ndjson([...fight('x', 'y', 'model_a', 3)])
  for (const args of [[], ['--partial'], ['--show', 'pairs']]) {
    const { code, stdout } = await jb('rank', ['-q', ...args], { stdin: `${rows}{"id":` })
    assert.deepEqual([code, stdout], [65, ''], args.join(' '))
  }
  for (const [row, why] of [
    [{ model_a: 'x', model_b: 'y', winner: null }, /nothing was ranked: all games failed/],
    [{ model_a: 'x', model_b: 'x', winner: 'tie' }, /nothing was ranked: each model only met itself/],
  ] as const) {
    const ran = await jb('rank', [], { stdin: ndjson([row]) })
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, why)
  }
  const { code, stderr } = await jb('rank', [], { stdin: '{"id":1}\n' })
  assert.equal(code, 1)
  assert.match(stderr, /1 row does not name two models[\s\S]*nothing was ranked: the input has no battles/)
})

test('a shard of plain battles is merged once, where its rows have ids', async () => {
  const rows = [...fight('x', 'y', 'model_a'), ...fight('y', 'x', 'model_a')].map((row, i) => ({
    ...row,
    question_id: `q${i}`,
  }))
  const state = async (shard: object[], ...args: string[]) =>
    objects((await run([...args, '--partial'], shard)).text) as object[]
  const [one, two] = [await state(rows), await state(rows.map((row) => ({ ...row, question_id: 'other' })))]
  const both = await state([...one, ...two], '--merge')
  for (const again of [one, both]) {
    await assert.rejects(run(['--merge'], [...one, ...again]), /all of it is in a state before it as well/)
    assert.match((await run(['--merge'], again)).text, /"battles":/)
  }
  const told = async (...states: object[][]) =>
    (await run(['--merge'], states.flat())).notes.filter((note) => note.includes('shards overlap'))
  const [first, second] = rows as [object, object]
  assert.match(String(await told(await state(rows), await state([second]))), /^on 1 item two models met that/)
  assert.deepEqual(await told(await state([first]), await state([second])), [])
  // Clusters that are not items are in several shards.
  const topic = (row: object) => state([{ ...row, topic: 't' }], '--cluster', 'topic')
  assert.deepEqual(await told(await topic(first), await topic(second)), [])
  const loose = await state(rows.map(({ question_id: _, ...row }) => row))
  assert.match((await run(['--merge'], [...loose, ...loose])).text, /"battles":4/)
})

test('--baseline of a model that is not in every battle: no model and no battle is left out unsaid', async () => {
  const rows = [...fight('x', 'y', 'model_a'), ...fight('x', 'y', 'model_b'), ...fight('z', 'y', 'tie')]
  const all = await board(['--baseline', 'x'], rows)
  assert.deepEqual([all.size, all.get('z').method, all.get('z').battles], [3, 'bt', 1])
  const mean = await run(['--method', 'mean', '--baseline', 'x'], rows)
  assert.match(mean.notes.join('\n'), /1 battle without x left out/)
  const apart = await board(['--baseline', 'x'], [...rows, ...fight('p', 'q', 'tie', 2)])
  const { score, ci, se, rating, component } = apart.get('p')
  assert.deepEqual([score, ci, se, rating, component], [null, null, null, 1000, 2])
})

test('what sums of battles do not hold is refused, not left empty', async () => {
  for (const args of [['--merge', '--as', 'alpaca_eval']])
    await assert.rejects(run(args, []), /sums of battles hold no single rows for --as/)
})

test('--by: the summary counts each battle once, and says in which group a model has no rating', async () => {
  const rows = [0, 1, 2, 3, 4, 5].map((i) => ({
    question_id: `q${i}`,
    model_a: 'a',
    model_b: ['b', 'c'][i % 2],
    winner: i < 3 ? 'model_a' : 'model_b',
    topic: i < 4 ? 'x' : 'y',
  }))
  const { notes } = await run(['--by', 'topic', '--method', 'bt'], rows)
  assert.match(notes.join(), /^6 battles, no finite rating for .*a in y/)
})

test('no model is made up for a row that does not name two; an unknown winner is told', async () => {
  const known = [...fight('x', 'y', 'model_a', 2), ...fight('x', 'y', 'model_b')]
  for (const model_a of [null, 1, undefined]) {
    const { text, notes } = await run([], [...known, { model_a, model_b: 'y', winner: 'model_a' }])
    assert.deepEqual(
      objects(text).map(({ model, battles }) => [model, battles]),
      [
        ['x', 3],
        ['y', 3],
      ],
    )
    assert.match(notes.join('\n'), /1 row does not name two models and is left out/)
  }
  const alone = { ...game('q', 0, 1, 'A>B'), model_b: 'y' }
  const { text, notes } = await run([], [...known, alone])
  assert.ok(objects(text).some(({ model }) => model === 'gpt-4-0314'))
  assert.match(notes.join('\n'), /1 row names one model: gpt-4-0314 is taken for the other/)
  const odd = await run([], [...known, ...fight('x', 'y', 'Tie')])
  assert.match(odd.notes.join('\n'), /the winner is "Tie", expected model_a, .*: the battle failed/)
})

test('--method mean: who wins three of four against the baseline is rated 400 log10(3) above it', async () => {
  const rows = [...fight('x', 'y', 'model_a', 3), ...fight('x', 'y', 'model_b', 1)]
  const { score, rating } = (await board(['--method', 'mean', '--baseline', 'y'], rows)).get('x')
  assert.equal(score, 75)
  assert.ok(Math.abs(rating - 1190.8485) < 1e-3, `${rating}`)
})
