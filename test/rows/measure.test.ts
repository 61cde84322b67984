/** Lines are measured by WebAssembly as JavaScript would search them, and checked as JSON.parse checks them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { folder } from '../helpers/folder.ts'
import { rowText } from '../helpers/json-text.ts'
import { expect, sh } from '../helpers/run.ts'
import { key, measured, same } from './_measure.ts'

test('rows of every kind', () => {
  fc.assert(
    fc.property(fc.array(rowText, { minLength: 1, maxLength: 30 }), (lines) => same(lines, false)),
    { numRuns: 100 },
  )
})

const value = fc.jsonValue({ maxDepth: 3 }).map((one) => JSON.stringify(one))

const space = fc.constantFrom('', '', '', ' ', '\t', ' \r ')

const object = (inner: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(space, key, space, inner, space), { maxLength: 5 })
    .map((members) => `{${members.map(([a, k, b, v, c]) => `${a}"${k}"${b}:${v}${c}`).join(',')}}`)

const line = object(fc.oneof(value, object(fc.oneof(value, object(value)))))

test('objects with jb anywhere, and spaced out', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 20 }), (lines) => same(lines, false)),
    { numRuns: 80 },
  )
})

test('what JSON.parse refuses is no row', () => {
  const broken = fc
    .tuple(line, fc.nat(), fc.constantFrom('', ...'"\\{}[]:,0-.e1tn \t\x01u'))
    .map(([text, at, by]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + by + text.slice(place + 1)
    })
  fc.assert(
    fc.property(fc.array(broken, { minLength: 1, maxLength: 20 }), (lines) => same(lines, false)),
    { numRuns: 120 },
  )
})

describe('single lines', () => {
  const numbers = [
    '0',
    '-0',
    '1.5',
    '-1e5',
    '1E+5',
    '12e-3',
    '01',
    '-',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '0x1',
    '--1',
  ]
  const words = ['true', 'false', 'null', 'True', 'tru', 'nulll', 'falsey', 'NaN', 'Infinity']
  const strings = [
    '"\\n\\t\\u00e9\\/\\b\\f\\r\\"\\\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\',
    '"\t"',
    '"é\u2028"',
    '"\x7f"',
  ]
  const lists = [
    '[]',
    '[1]',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[',
    ']',
    '[[]]',
    '{}',
    '{"a"}',
    '{"a":}',
    '{,}',
    '{"a":1,}',
    '{a:1}',
  ]
  test('are taken exactly where JSON.parse takes them', () => {
    for (const one of [...numbers, ...words, ...strings, ...lists])
      same([`{"a":${one}}`, `{"jb":{"item":${one}}}`, `{"jb":{"reply":{"text":${one}}},"b":1}`], true)
    same(['', '  ', '\r', '7', '"a"', '[1]', 'null', '{}', ' {} ', '{}{}', '{} x', '}', '{"a":1}}'], true)
  })

  test('a key jb in disguise, twice, or that is no object is left to JavaScript', () => {
    const lines = [
      '{"\\u006ab":{}}',
      '{"j\\u0062":1}',
      '{"jb":{},"jb":{}}',
      '{"jb":1}',
      '{"jb":{"\\u0069tem":1}}',
    ]
    assert.deepEqual(
      measured(lines),
      lines.map(() => undefined),
    )
    same(['{"\\u00e9":1,"a\\"b":2}', '{"a\\"b":2,"\\u00e9":1}'], true)
  })

  test('very many members, very deep, and more lines than a table holds', () => {
    const many = `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(',')}}`
    const wide = `{"jb":{${Array.from({ length: 3_000 }, (_, i) => `"k${i}":1`).join(',')}}}`
    const deep = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`
    assert.deepEqual(measured([many, wide, deep]), [undefined, undefined, undefined])
    same([`{"a":${'['.repeat(400)}${']'.repeat(400)}}`], true)
    const rows = Array.from({ length: 30_000 }, (_, i) => (i % 7 ? `{"a":${i}}` : ''))
    same(rows, true, 50)
    same([many.slice(0, 200_000).replace(/,"k\d+":?1?$/, '}'), '{"a":1}', '{"b":2}'], true)
  })
})

test('a part of a long object in jb, of a key that stands twice the last', () => {
  const long = 'x'.repeat(300)
  const [one] = measured([
    `{"jb":{"item":"i","reply":{"text":"${long}","usage":{"in":1},"text":"last","a\\"b":1}}}`,
  ])
  // A key with escapes is rare: JavaScript's.
  assert.equal(one, undefined)
  const [two] = measured([`{"jb":{"item":"i","reply":{"text":"${long}","usage":{"in":1},"text":"last"}}}`])
  assert.ok(two && two !== 'blank')
  assert.equal(two.partText(1, 'text'), '"last"')
  assert.equal(two.partText(1, 'usage'), '{"in":1}')
  assert.equal(two.partText(1, 'no'), null)
  assert.equal(two.partText(0, 'text'), undefined)
})

test('without WebAssembly the same comes out, for long rows and broken ones too', async (t) => {
  const texts = ['é', 'x'.repeat(100_000), '{"', '\\\n', ''].map((text) =>
    JSON.stringify({ question: text, n: 1.5 }),
  )
  const stdin = [
    ...texts,
    '{"jb":{"item":"i"},"question":"q"}',
    '',
    '{"question":"q"} \r',
    '{"question":nope}',
  ].join('\n')
  const pipe = (node: string) =>
    `${node} "$(command -v jb-render)" vanilla -q --bad-rows pass --map question=question --map answer_a=n --map answer_b=n | ${node} "$(command -v jb-score)" -q`
  const plain = expect(await sh(pipe('node'), { stdin }), {})
  const cwd = folder(t, { 'without.cjs': 'delete globalThis.WebAssembly' })
  const without = expect(await sh(pipe('node --require ./without.cjs'), { stdin, cwd }), {})
  assert.equal(plain.stdout.split('\n').length, 9)
  assert.equal(without.stdout, plain.stdout)
})
