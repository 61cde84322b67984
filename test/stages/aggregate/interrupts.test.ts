/** Interrupts at random moments: a report is whole or not there, and nothing is called incomplete that is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregate, type Row, type Rows, readRows, score } from '../../../src/index.ts'
import { Choices } from '../../helpers/random.ts'
import { game, ndjson } from '../../helpers/rows.ts'

const ROWS = ndjson(Array.from({ length: 160 }, (_, i) => game(`p${i >> 1}`, i % 2, 2, 'A>B')))

/** The rows in small pieces; stopped after some of them, as a signal does it. */
function interrupted(after: number, stop: AbortController): Rows {
  const bytes = Buffer.from(ROWS)
  async function* chunks() {
    for (let at = 0, n = 0; at < bytes.length; at += 500, n++) {
      if (n === after) stop.abort('SIGINT')
      yield bytes.subarray(at, at + 500)
    }
  }
  const source = { name: 'rows', open: () => Object.assign(chunks(), { destroy() {}, once() {} }) as never }
  return readRows([source], { badRows: 'stop', stage: 'score', signal: stop.signal, onBadRow() {} })
}

test('200 interrupts at random moments', async () => {
  const choices = new Choices(7)
  const pieces = Math.ceil(Buffer.byteLength(ROWS) / 500)
  const whole: string[] = []
  for await (const text of aggregate(interrupted(-1, new AbortController()))) whole.push(text)
  let cut = 0
  for (let i = 0; i < 200; i++) {
    const stop = new AbortController()
    const rows = interrupted(choices.below(pieces + 20), stop)
    if (i % 2 === 0) {
      const texts: string[] = []
      for await (const text of aggregate(rows, {}, { stop: stop.signal })) texts.push(text)
      if (stop.signal.aborted) cut++
      assert.deepEqual(texts, stop.signal.aborted ? [] : whole)
    } else {
      const results: Row[] = []
      for await (const batch of score(rows, {}, { stop: stop.signal })) results.push(...batch)
      if (stop.signal.aborted) cut++
      else assert.equal(results.length, 80)
      assert.deepEqual(
        results.filter((row) => row.has('error')),
        [],
      )
    }
  }
  assert.ok(cut > 80 && cut < 200, `${cut} of 200 were interrupted`)
})
