/** The interval over the items of a run in random order: that of `jb-aggregate --until decided`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spec } from '../../../src/stages/view/options.ts'
import { view } from '../../../src/stages/view/view.ts'
import { ndjson } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'
import { judged, type Outcome } from '../../helpers/shuffled.ts'
import { staged } from '../../helpers/stage.ts'
import { dataOf } from './_page.ts'

const OUTCOMES: Outcome[] = Array.from({ length: 80 }, (_, i) =>
  i % 10 === 7 ? 'timeout' : i % 4 === 0 ? 0 : 1,
)

async function narrowing(rows: object[], ...args: string[]) {
  const { text, notes } = await staged(spec, view, args, ndjson(rows))
  const gate = notes.filter((note) => note.startsWith('--gate'))
  return { narrowed: (await dataOf(text)).overview.runs[0]!.narrowing, notes: gate }
}

test('the gate is decided where jb-aggregate decides it, with the same interval and words', async () => {
  const rows = judged(OUTCOMES, 120)
  const given = ['--until', 'decided', '--fail-under', '0.5', '--format']
  const [json, table] = await Promise.all(
    ['json', 'table'].map((format) => jb('aggregate', [...given, format], { stdin: ndjson(rows) })),
  )
  const { until, ci } = JSON.parse(json!.stdout)
  const { narrowed, notes } = await narrowing(rows.toReversed(), '--gate', '0.5')
  assert.deepEqual([narrowed!.at, narrowed!.gate, narrowed!.of, notes], [until.at, 0.5, 120, []])
  assert.ok(table!.stdout.includes(`\n${narrowed!.sentence}\n`), narrowed!.sentence)
  const [, low, high] = narrowed!.points.find(([n]) => n === until.at)!
  assert.deepEqual([low, high], ci)
})

test('it goes on to the first item that is not there, and with all of them it is the mean', async () => {
  const rows = judged(OUTCOMES.map((one) => (one === 'timeout' ? 'no_verdict' : one)))
  const { narrowed } = await narrowing(rows)
  const [n, low, high, mean] = narrowed!.points.at(-1)!
  assert.deepEqual([n, narrowed!.sentence], [80, undefined])
  assert.ok(high - low < 0.2 && low <= mean && mean <= high)
  const whole = (await narrowing(judged(OUTCOMES.map((one) => (one === 0 ? 0 : 1))))).narrowed!.points.at(-1)!
  assert.ok(Math.abs(whole[1] - 0.75) < 1e-6 && Math.abs(whole[2] - 0.75) < 1e-6, `${whole}`)
  const gap = rows.filter(({ jb }) => jb.shuffle!.n !== 30)
  assert.equal((await narrowing(gap)).narrowed!.points.at(-1)![0], 30)
  assert.equal((await narrowing(rows.toSpliced(41, 1))).narrowed!.points.at(-1)![0], 20)
})

test('without one order there is no picture, and a gate says so', async () => {
  const rows = judged(OUTCOMES)
  const mixed = rows.map((row, i) => ({
    ...row,
    jb: { ...row.jb, shuffle: { ...row.jb.shuffle!, seed: `${i % 2}` } },
  }))
  const { narrowed, notes } = await narrowing(mixed, '--gate', '0.5')
  assert.deepEqual([narrowed, notes.length], [undefined, 1])
  assert.match(notes[0]!, /^--gate: no run has items in the order of jb-render --shuffle/)
  await assert.rejects(narrowing(rows, '--gate', '50'), /--gate 50: the values are from 0 to 1 \(0\.5\?\)/)
})

test('warnings of the report are in the page', async () => {
  const { text } = await staged(spec, view, [], ndjson(judged(OUTCOMES.slice(0, 7))))
  const { overview } = await dataOf(text)
  assert.deepEqual(
    overview.runs[0]!.warnings.map(({ code }) => code),
    ['few_items'],
  )
})
