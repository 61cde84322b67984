/** Results of jb-score with different options, and with labels that were corrected after it, in one report. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate } from '../../../src/stages/aggregate/aggregate.ts'
import { spec as aggregateSpec } from '../../../src/stages/aggregate/options.ts'
import { spec } from '../../../src/stages/score/options.ts'
import { score } from '../../../src/stages/score/score.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'

/** Pairs of which one game is right, and the other a tie. */
const pairs = (...ids: string[]) =>
  ndjson(ids.flatMap((id) => [game(id, 0, 2, 'A>B'), game(id, 1, 2, 'A=B')]))
const scored = async (rows: string, ...args: string[]) => (await staged(spec, score, args, rows)).text
const reported = (rows: string, ...args: string[]) => staged(aggregateSpec, aggregate, args, rows)

test('results that were scored with different options are told, and the report has the options', async () => {
  const by = {
    plain: await scored(pairs('a', 'b')),
    majority: await scored(pairs('c'), '--combine', 'majority'),
  }
  const options = [{ combine: 'majority' }, {}]
  const words = /results that jb-score made with different options .*\(\{"combine":"majority"\}, no options\)/
  const { text, notes } = await reported(by.plain + by.majority)
  assert.deepEqual(objects(text)[0].made.scored_with, options)
  assert.match(notes.join(), words)
  const states = await Promise.all(Object.values(by).map((rows) => reported(rows, '--partial')))
  const merged = await reported(states.map((state) => state.text).join(''), '--merge')
  assert.equal(merged.text, text)
  assert.match(merged.notes.join(), words)
  assert.match((await reported(by.plain + by.majority, '--as', 'judgebench')).notes.join(), words)
})

test('with the same options nothing is said, and the report is that of the trials with them', async () => {
  for (const args of [[], ['--combine', 'majority', '--tie', '0.5']]) {
    const { text, notes } = await reported(await scored(pairs('a', 'b'), ...args))
    assert.deepEqual([text, notes], [(await reported(pairs('a', 'b'), ...args)).text, []])
    assert.equal('scored_with' in objects(text)[0].made, args.length > 0)
  }
})
