/** Sums of --partial that somebody changed: they end as bad data, and never as a bug. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXIT } from '../../../src/rows/record.ts'
import { Choices, runs } from '../../helpers/random.ts'
import { game, ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'

const ODD = [-1, 1e300, 'x', '', null, [], {}, [[]], true, { a: { b: 1 } }, '__proto__', 0.5]

/** Every object and list within a value. */
const insides = (value: unknown): object[] =>
  value !== null && typeof value === 'object' ? [value, ...Object.values(value).flatMap(insides)] : []

function changed(state: object, choices: Choices): object {
  const copy = structuredClone(state)
  for (let i = choices.between(1, 3); i > 0; i--) {
    const inside = choices.pick(insides(copy)) as Record<string, unknown>
    const keys = Object.keys(inside)
    if (keys.length === 0) continue
    const key = choices.pick(keys)
    if (choices.below(5) === 0) delete inside[key]
    else inside[key] = structuredClone(choices.pick(ODD))
  }
  return copy
}

const verdicts: [judge: string, verdict: (i: number) => object][] = [
  ['arena_hard', (i) => ({ label: 'x', decision: ['A>B', 'A=B', 'B>A'][i % 3] })],
  ['mt_bench_single', (i) => ({ label: 'x', score: i, range: [1, 10] })],
  ['direct', (i) => ({ label: 'x', option: ['yes', 'no'][i % 2], score: i % 2 })],
]
const rows = verdicts.flatMap(([judge, verdict]) =>
  Array.from({ length: 6 }, (_, i) =>
    game(`p${i}`, 0, 1, 'A>B', {
      source: `s${i % 2}`,
      jb: { judge, verdict: verdict(i), reply: { text: 't', model: 'm' } },
    }),
  ),
)
const battles = Array.from({ length: 8 }, (_, i) => ({
  ...{ question_id: i % 4, model_a: 'x', model_b: `y${i % 3}`, winner: i % 2 ? 'model_a' : 'tie' },
}))
const loose = battles.map(({ question_id: _, ...rest }) => rest)

test('states that were changed are bad data', async () => {
  const choices = new Choices(7)
  for (const [name, from] of [
    ['aggregate', rows],
    ['rank', battles],
    ['rank', loose],
  ] as const) {
    const states = rowsOf(expect(await jb(name, ['--partial'], { stdin: ndjson(from as object[]) }), {}))
    for (let i = 0; i < runs(60); i++) {
      const stdin = ndjson(states.map((state) => (choices.below(2) === 0 ? changed(state, choices) : state)))
      const format = choices.pick(['json', 'table', 'markdown'])
      const { code, stderr } = await jb(name, ['--merge', '--format', format], { stdin })
      assert.notEqual(code, EXIT.bug, `${stderr}\n${stdin}`)
    }
  }
  const endless = '{"state":1,"loose":{"[\\"a\\",\\"b\\",1,1]":1e15}}\n'
  expect(await jb('rank', ['--merge'], { stdin: endless }), {
    code: EXIT.data,
    err: /\(stdin\):1: this is not as --partial writes it/,
  })
})

test('counts and sums that no rows could have made are refused', async () => {
  const [state] = rowsOf(expect(await jb('aggregate', ['--partial'], { stdin: ndjson(rows) }), {}))
  const text = JSON.stringify(state)
  const part = text.match(/"items":\d+/)![0]
  const cost = text.match(/"cost":\[[^\]]*\]/)![0]
  for (const [from, to] of [
    [part, '"items":-5'],
    [part, '"items":1e308'],
    [cost, '"cost":["x"]'],
    [cost, '"cost":[1e308,1e308]'],
  ] as const)
    expect(await jb('aggregate', ['--merge', '--partial'], { stdin: `${text.replace(from, to)}\n` }), {
      code: EXIT.data,
      err: /\(stdin\):1: this is not as --partial writes it/,
    })
})
