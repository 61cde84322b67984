/** Short jbs that differ in their item alone are found to be the same, and no others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jb } from '../helpers/run.ts'
import { measured, same } from './_measure.ts'

test('short jbs that differ in the item alone have something in common, and no others', () => {
  const row = (item: string, label: string, more = '') =>
    `{"a":"${item}","jb":{"judge":"vanilla","item":"${item}","verdict":{"label":"${label}"}${more}}}`
  const labels = ['A', 'B', 'AB', 'BA', 'A,"B', ...Array.from({ length: 40 }, (_, i) => `l${i}`)].map((one) =>
    JSON.stringify(one).slice(1, -1),
  )
  const rows = Array.from({ length: 2_000 }, (_, i) =>
    row(`p${i}`, labels[i % labels.length]!, i % 3 ? '' : ',"n":1'),
  )
  const seen = new Map<unknown, string>()
  let found = 0
  for (const one of measured(rows)) {
    assert.ok(one && one !== 'blank')
    const rest = one.raw.slice(one.jbBegin - one.begin).replace(/"item":"p\d+"/, '')
    if (!one.sharedJb) continue
    found++
    assert.equal(seen.get(one.sharedJb) ?? rest, rest)
    seen.set(one.sharedJb, rest)
  }
  assert.equal(found, rows.length)
  assert.equal(new Set(seen.values()).size, seen.size)
})

test('a short jb that is the same as an earlier one but for its item is found the same', () => {
  const heads = ['"judge":"a","item":', '"item":', ' "judge":"é", "n":1,"item" : ']
  const items = fc.oneof(
    fc.constantFrom(
      '"p1"',
      '"p\\u0031"',
      '"a\\"b"',
      '"é😀"',
      '""',
      '7',
      'null',
      '{"a":1}',
      '["x"]',
      '"bad\\x"',
      '"cut',
      '',
    ),
    fc.integer({ min: 0, max: 260 }).map((length) => `"${'x'.repeat(length)}"`),
  )
  const tails = [
    '',
    ',"verdict":{"label":"A"}',
    ',"verdict":{"label":"B"}',
    ' , "v":[1,{"a":"}"}]',
    ',"item":"again"',
    ',"w":',
  ]
  const users = ['"a":1,', '"a":1, "b":"x" ,', '', '"b":{"c":[]},']
  const part = (from: string[]) => fc.constantFrom(...from)
  const line = fc
    .tuple(part(users), part(heads), items, part(tails), part(['}', ' } ', ',"after":1}', '', ',"jb":{}}']))
    .map(([user, head, item, tail, end]) => `{${user}"jb":{${head}${item}${tail}}${end}`)
  fc.assert(
    fc.property(fc.array(line, { minLength: 2, maxLength: 40 }), (lines) => same(lines, false)),
    { numRuns: 400 },
  )
})

test('jbs that have nothing in common stop being looked up, and those after them are still right', async () => {
  const row = (i: number, label: string) =>
    `{"id":${i},"label":"${label}","jb":{"judge":"vanilla","item":"${i}","trial":{"n":${i},"of":1},"verdict":{"decision":"A>B"}}}\n`
  const stdin = Array.from({ length: 4_000 }, (_, i) => row(i, i % 4 ? 'A>B' : 'B>A')).join('')
  const ran = await jb('aggregate', ['-q'], { stdin })
  const { correct, incorrect, items } = JSON.parse(ran.stdout) as Record<string, number>
  assert.deepEqual({ correct, incorrect, items }, { correct: 3_000, incorrect: 1_000, items: 4_000 })
})
