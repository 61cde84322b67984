import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exactJson, memberJson, writtenJson } from '../../src/rows/exact_json.ts'
import { isObject, type Json } from '../../src/rows/record.ts'
import { fine, jb } from '../helpers/run.ts'

test('numbers of objects and lists are written as they stand, and have their values', () => {
  const text =
    '{"id":12345678901234567890,"x":1.0,"e":1e5,"z":-0,"big":1e400,"s":"1.0 and \\" 2.50","n":[2,0.50,[9007199254740992]]}'
  const value = exactJson(text) as Record<string, Json>
  assert.equal(writtenJson({ kept: [value] }), `{"kept":[${text}]}`)
  const { id, x, e, z, big, n } = value
  assert.deepEqual(
    [id, x, e, z, big, n],
    ['12345678901234567890', 1, 1e5, -0, '1e400', [2, 0.5, ['9007199254740992']]],
  )
  // Picked out, and changed.
  assert.equal(writtenJson({ id, x, big }), '{"id":"12345678901234567890","x":1,"big":"1e400"}')
  assert.equal(memberJson(value, 'x'), '1.0')
  value.x = 2
  assert.equal(memberJson(value, 'x'), '2')
  assert.throws(() => exactJson('[1.0,01]'), SyntaxError)
})

test('any JSON comes back, however deep', () => {
  const number = fc
    .oneof(fc.double({ noNaN: true }), fc.integer())
    .map((one) => [
      JSON.stringify(one),
      one.toExponential(),
      Number.isInteger(one) ? `${BigInt(one)}.0` : JSON.stringify(one),
    ])
  const value = fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      number.chain((forms) => fc.constantFrom(...forms)),
      fc.string().map((one) => JSON.stringify(one)),
      fc.array(tie('any')).map((list) => `[${list.join()}]`),
      fc
        .dictionary(fc.string(), tie('any'), { noNullPrototype: true })
        .map((one) => `{${Object.entries(one).map(([key, each]) => `${JSON.stringify(key)}:${each}`)}}`),
    ),
  })).any
  fc.assert(
    fc.property(value, (text) => {
      const read = exactJson(text)
      const isList = Array.isArray(read) || isObject(read)
      assert.equal(writtenJson(read), isList ? reordered(text) : JSON.stringify(read))
    }),
  )
  const deep = '[1.0,'.repeat(100_000) + ']'.repeat(100_000).replace(']', '0]')
  assert.ok(exactJson(deep))
})

/** Keys that are whole numbers come first in a JavaScript object; -0 of a canonical form is 0. */
const reordered = (text: string): string => {
  const places = new Map<string, string>()
  const marked = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[-+.\deE]*/g, (token) => {
    if (token.startsWith('"')) return token
    const key = `number ${places.size}`
    places.set(key, token)
    return JSON.stringify(key)
  })
  return JSON.stringify(JSON.parse(marked)).replace(
    /"(number \d+)"/g,
    (whole, key) => places.get(key) ?? whole,
  )
}

test('a number that a reader of logs takes for a text is one, whatever its form', async () => {
  const line = (output: string) =>
    `{"testIdx":0,"promptIdx":0,"success":true,"score":1.0,"prompt":{"raw":"Q"},"response":{"output":${output}}}\n`
  const { stdout } = fine(await jb('read', ['promptfoo'], { stdin: line('1.5') + line('1.0') }))
  assert.match(stdout, /"content":"1\.5"}\],.*"answer":"1\.5".*\n.*"content":"1"}\],.*"answer":"1"/)
})
