/** Rows side by side, in order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Row } from '../../../src/rows/row.ts'
import { lanes } from '../../../src/stages/call/lanes.ts'

/** How many rows of so many bytes are begun while the first is not done; and the order in which they leave. */
async function begunBehind(rows: number, bytes: number, width: number) {
  const text = 'x'.repeat(bytes)
  async function* source() {
    for (let i = 0; i < rows; i++) yield [Row.make({ i, text }, 'x', i + 1)]
  }
  let begun = 0
  let free = () => {}
  const work = async (row: Row) => {
    begun++
    if (row.line === 1) await new Promise<void>((resolve) => (free = resolve))
    return row
  }
  const { signal } = new AbortController()
  const left: number[] = []
  const reading = (async () => {
    for await (const done of lanes(source(), work, { width: () => width, unordered: false, halt: signal }))
      left.push(...done.map(({ line }) => line))
  })()
  for (let before = -1; before < begun; ) {
    before = begun
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  const behind = begun - 1
  assert.equal(left.length, 0)
  free()
  await reading
  assert.deepEqual(
    left,
    Array.from({ length: rows }, (_, i) => i + 1),
  )
  return behind
}

test('a row that takes long stops no others until 32 MB of them wait for it', async () => {
  assert.equal(await begunBehind(5000, 10, 4), 4999)
  const large = await begunBehind(140, 2 ** 18, 4)
  assert.ok(large >= 120 && large <= 130, `${large} rows of 256 KB`)
  assert.equal(await begunBehind(150, 2 ** 18, 140), 139, 'each lane has a row')
})
