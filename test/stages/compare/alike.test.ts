/** Rows that are alike are scored once, and items known by hashes: that must show in nothing but the time it takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare } from '../../../src/stages/compare/compare.ts'
import { spec } from '../../../src/stages/compare/options.ts'
import { folder } from '../../helpers/folder.ts'
import { Choices, runs } from '../../helpers/random.ts'
import { type AnyRow, game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

const run = (args: string[], stdin?: string) => staged(spec, compare, args, stdin)
const figures = async (args: string[], stdin: string) => objects((await run(args, stdin)).text)

/** Of two models on the same items, the first of which is right about all of them, and the second about none. */
const rightAndWrong = (more: (right: boolean) => object, count = 6) =>
  [true, false].flatMap((right) =>
    Array.from({ length: count }, (_, i) =>
      game(`i${i}`, 0, 1, 'A>B', { label: null, ...more(right), i, right }),
    ),
  )

test('the label may be a path into an object, and stand in another field: each row has its own', async () => {
  const nested = rightAndWrong((right) => ({ meta: { truth: right ? 'A>B' : 'B>A' } }))
  const [pair] = await figures(
    ['--run', 'right', '--label', 'meta.truth', '--differ', 'questions'],
    ndjson(nested),
  )
  assert.deepEqual([pair.a, pair.mean_a, pair.b, pair.mean_b], ['false', 0, 'true', 1])
  const verdict = { label: 'Yes', option: 'Yes', score: 1 }
  const expected = rightAndWrong((right) => ({
    expected_result: right ? 'Yes' : 'No',
    jb: { judge: 'direct', verdict },
  }))
  const [chosen] = await figures(['--run', 'right', '--differ', 'questions'], ndjson(expected))
  assert.deepEqual([chosen.value, chosen.mean_a, chosen.mean_b], ['correct', 0, 1])
})

test('--show gives the result of each item, not of the first of those that are alike', async () => {
  const rows = rightAndWrong((right) => ({ label: right ? 'A>B' : 'B>A' }))
  const shown = await figures(['--run', 'right', '--show', 'flips', '--differ', 'questions'], ndjson(rows))
  assert.equal(shown.length, 6)
  for (const { jb } of shown)
    assert.deepEqual([jb.runs.true.result.correct, jb.runs.false.result.correct], [true, false])
})

test('an item again with another reply fails, with the same verdict too', async () => {
  const reply = (text: string) => ({ jb: { reply: { text, model: 'm' } } })
  const rows = ['a', 'b', 'c'].map((id, i) => game(id, 0, 1, 'A>B', reply(`because ${i}`)))
  const again = await run(
    [],
    ndjson([...rows, rows[1], game('d', 0, 1, 'A>B', { jb: { reply: { text: '', model: 'n' } } })]),
  )
  assert.match(again.notes.join(), /item "b" was counted already, with the same reply/)
  const second = rows.map((row) => ({ ...row, jb: { ...row.jb, judge: 'other' } }))
  const [pair] = await figures([], ndjson([...rows, game('b', 0, 1, 'A>B', reply('because 7')), ...second]))
  assert.deepEqual([pair.items, pair.failed], [2, { a: 1, b: 0 }])
})

test('an item that is null or absent is known by its field, whatever was alike before', async () => {
  const rows = ['m', 'n'].flatMap((model) =>
    [null, undefined, null].map((item, i) =>
      game('', 0, 1, 'A>B', { pair_id: `p${i}`, jb: { item, reply: { text: 't', model } } }),
    ),
  )
  const [pair] = await figures([], ndjson(rows))
  assert.equal(pair.items, 3)
})

/** What a model said of some items, in one or two games, with failures and items that are missing. */
function judged(choices: Choices, model: string, items: number, games: number): AnyRow[] {
  const masked = choices.chance(0.5)
  return Array.from({ length: items }, (_, i) => i)
    .filter(() => choices.chance(0.95))
    .flatMap((i) =>
      Array.from({ length: games }, (_, n) => {
        const row = game(choices.pick([`i${i}`, `i${i}`]), n, games, choices.pick(['A>B', 'B>A', 'A=B']), {
          label: ['A>B', 'B>A', 'A=B'][i % 3],
          group: i % 4,
        }) as unknown as AnyRow
        row.jb.reply = { text: masked ? `t${choices.below(5)}` : 't', model }
        if (!choices.chance(0.05)) return row
        delete row.jb.verdict
        row.jb.error = { stage: 'call', code: choices.pick(['timeout', 'refused']), message: 'm' }
        return row
      }),
    )
}

test('figures depend neither on the order of rows nor on how many of them are alike', async (t) => {
  for (let seed = 1; seed <= runs(6); seed++) {
    const choices = new Choices(seed)
    const games = choices.pick([1, 2])
    const items = choices.pick([3, 40, 150])
    const [a, b] = [judged(choices, 'x', items, games), judged(choices, 'y', items, games)]
    const shuffled = (rows: AnyRow[]) =>
      rows
        .map((row) => [choices.next(), row] as const)
        .sort(([x], [y]) => x - y)
        .map(([, row]) => row)
    const unlike = (rows: AnyRow[]) => rows.map((row, i) => ({ ...row, jb: { ...row.jb, i } }))
    const dir = folder(t, {
      a: ndjson(a),
      b: ndjson(b),
      'a.shuffled': ndjson(shuffled(a)),
      'b.shuffled': ndjson(shuffled(b)),
      'a.unlike': ndjson(unlike(a)),
      'b.unlike': ndjson(unlike(b)),
    })
    const of = async (end: string, other = end) =>
      (await run([`a=${dir}/a${end}`, `b=${dir}/b${other}`, '--by', 'group'])).text
    const text = await of('')
    for (const [end, other] of [
      ['', '.shuffled'],
      ['.shuffled', ''],
      ['.shuffled'],
      ['.unlike'],
      ['', '.unlike'],
    ] as const)
      assert.equal(await of(end, other), text, `seed ${seed}: a${end}, b${other ?? end}`)
    const stream = (await run(['--by', 'group'], ndjson([...a, ...b]))).text
    const turned = (await run(['--by', 'group'], ndjson(shuffled([...b, ...a])))).text
    assert.equal(turned, stream, `seed ${seed}: a stream`)
  }
})
