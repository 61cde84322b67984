/** Rows side by side, in order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Row } from '../../../src/rows/row.ts'
import { Lanes } from '../../../src/stages/call/lanes.ts'

const lanes = (...args: ConstructorParameters<typeof Lanes>) => new Lanes(...args).run()

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

test('rows are read ahead up to a bound, and worked on before a failure of the input ends the run', async () => {
  let read = 0
  async function* source() {
    for (let i = 0; i < 40; i++) {
      read++
      yield Array.from({ length: 100 }, (_, n) => Row.make({}, 'x', i * 100 + n + 1))
    }
    throw new Error('broken off')
  }
  let counted = 0
  let free: () => void = () => {}
  const first = new Promise<void>((resolve) => (free = resolve))
  const work = async (row: Row) => {
    await first
    return row
  }
  const options = { width: () => 2, unordered: false, halt: new AbortController().signal }
  const left: number[] = []
  const reading = (async () => {
    for await (const done of lanes(source(), work, { ...options, counted: (n) => (counted = n) }))
      left.push(...done.map(({ line }) => line))
  })()
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(read > 5 && read < 15, `${read} batches read ahead`)
  free()
  await assert.rejects(reading, /broken off/)
  assert.deepEqual(
    left,
    Array.from({ length: 4000 }, (_, i) => i + 1),
  )
  assert.equal(counted, 0)
})

test('the number of rows is told as soon as all have been read, also where batches are empty', async () => {
  async function* source() {
    for (const length of [3, 0, 2]) yield Array.from({ length }, (_, n) => Row.make({}, 'x', n + 1))
  }
  let counted = 0
  let left = 0
  const work = async (row: Row) => {
    await new Promise((resolve) => setImmediate(resolve))
    return counted === 5 ? row : undefined
  }
  const options = { width: () => 1, unordered: true, halt: new AbortController().signal }
  for await (const done of lanes(source(), work, { ...options, counted: (n) => (counted = n) }))
    left += done.length
  assert.ok(left >= 4, `${left} rows were left when the number was known`)
})
