/** A window: several elements in one question, whose trials are told apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb } from '../helpers/run.ts'

test('what the call of a window took is said of its first element alone', async () => {
  const row = {
    id: 'a',
    jb: {
      judge: 'own',
      item: 'a',
      trial: { n: 0, of: 1, window: { claim: 'claims' }, claims: ['1', '2', '3'] },
      reply: { text: 'yes', model: 'm', usage: { prompt_tokens: 7 }, cost: 0.5, ms: 120, tries: 2 },
      verdict: { label: 'yes', each: [{ score: 1 }, { score: 0 }, { score: 1 }] },
    },
  }
  const [scored] = rowsOf(fine(await jb('score', [], { stdin: ndjson([row]) })))
  const taken = scored!.jb.trials!.map(({ ms, tries, cost }) => [ms, tries, cost])
  assert.deepEqual(taken, [
    [120, 2, 0.5],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ])
})
