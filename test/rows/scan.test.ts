/** The scanner finds in bytes what JSON.parse finds in text, and takes no line that JSON.parse refuses for a whole one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Plan, scan } from '../../src/rows/plan.ts'
import type { Json, JsonObject } from '../../src/rows/record.ts'
import { elements, type Member, memberNamed, membersIn } from '../../src/rows/scan.ts'
import { runs } from '../helpers/random.ts'

const PATHS = ['item', 'trial', 'trial.n', 'trial.of', 'reply.text', 'reply.usage.*', 'verdict', 'é.ü', 'x y']

const key = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('item', 'trial', 'n', 'of', 'reply', 'text', 'usage', 'verdict') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('é', 'ü', 'x y', 'a', '', 'item ', 'ite', '__proto__', '10', '😀'),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
)
const leaf = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '}',
    '{"',
    '\\',
    '"',
    '\\"',
    '],[',
    ',"jb":{',
    '\u2028',
    'x'.repeat(50),
    `${'\\'.repeat(33)}"`,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(true, false, null, 1e21, -0.5e-7),
)
const space = fc.constantFrom('', '', '', '', ' ', '\t', ' \r')

/** A key or a text as JSON, some of its characters escaped. */
const written = (text: string, escaped: boolean): string =>
  escaped
    ? `"${[...text].map((one) => (/^[a-zé]$/.test(one) ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(one).slice(1, -1))).join('')}"`
    : JSON.stringify(text)

const member = (value: fc.Arbitrary<string>) =>
  fc
    .tuple(key, fc.nat(9), space, space, value, space, space)
    .map(([name, how, a, b, json, c, d]) => `${a}${written(name, how === 0)}${b}:${c}${json}${d}`)

/** JSON objects with duplicate and escaped keys, and white space. */
const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf.map((one) => JSON.stringify(one)),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(', ')}]`),
  ),
  object: fc.array(member(tie('value')), { maxLength: 7 }).map((all) => `{${all.join(',')}}`),
}))

/** Bytes with something before and after, as in a buffer of lines. */
function inBuffer(json: string): { bytes: Buffer; at: number; end: number } {
  const line = Buffer.from(json)
  return {
    bytes: Buffer.concat([Buffer.from('}"x'), line, Buffer.from('\n"},"y":1}\n')]),
    at: 3,
    end: 3 + line.length,
  }
}

/** The value at a path, as JSON.parse reads it; undefined where an object on the way is none. */
function valueIn(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value
  for (const one of path.split('.')) {
    if (found === null || typeof found !== 'object' || Array.isArray(found) || !Object.hasOwn(found, one))
      return undefined
    found = (found as JsonObject)[one]
  }
  return found
}

test('a plan finds what JSON.parse finds, whatever rows it has seen before', () => {
  const plan = new Plan(...PATHS)
  const wanted = PATHS.filter((path) => !path.endsWith('*'))
  fc.assert(
    fc.property(object, (json) => {
      const { bytes, at, end } = inBuffer(json)
      const value = JSON.parse(json) as Json
      assert.equal(scan(bytes, at, end, plan), end)
      const found = (slot: number) => {
        const [from, to] = [plan.at[2 * slot]!, plan.at[2 * slot + 1]!]
        return from < 0 ? undefined : JSON.parse(bytes.toString('utf8', from, to))
      }
      for (const path of wanted) assert.deepEqual(found(plan.slot(path)), valueIn(value, path), path)
      const usage = valueIn(value, 'reply.usage')
      const { first, names, full } = plan.every('reply.usage')
      if (full || usage === null || typeof usage !== 'object' || Array.isArray(usage)) return
      for (const [name, one] of Object.entries(usage ?? {})) {
        const i = names.findIndex((known) => Buffer.from(known).toString() === Buffer.from(name).toString())
        assert.deepEqual(found(first + i), one, name)
      }
      assert.equal(
        names.filter((_, i) => plan.at[2 * (first + i)]! >= 0).length,
        new Set(Object.keys(usage ?? {}).map((name) => Buffer.from(name).toString())).size,
      )
    }),
    { numRuns: runs(400) },
  )
})

test('a key with a quote in it is no other row’s broken key', () => {
  const plan = new Plan('a"b', 'c')
  const ends = (json: string) => scan(inBuffer(json).bytes, 3, 3 + json.length, plan) === 3 + json.length
  assert.equal(ends('{"a\\"b":1,"c":2}'), true)
  assert.equal(plan.at[2 * plan.slot('a"b')], 3 + '{"a\\"b":'.length)
  assert.equal(ends('{"a"b":1,"c":2}'), false)
})

test('members are found by key, the last of duplicates', () => {
  fc.assert(
    fc.property(object, key, (json, name) => {
      const { bytes, at, end } = inBuffer(json)
      const members: Member[] = []
      assert.equal(membersIn(bytes, at, end, members), end)
      const value = JSON.parse(json) as JsonObject
      for (const one of [name, ...Object.keys(value)]) {
        // A lone surrogate has no UTF-8.
        if (/\p{Surrogate}/u.test(one)) continue
        const member = memberNamed(members, Buffer.from(one).toString('latin1'))
        assert.equal(member !== undefined, Object.hasOwn(value, one), one)
        if (member) assert.deepEqual(JSON.parse(bytes.toString('utf8', member.from, member.to)), value[one])
      }
    }),
    { numRuns: runs(300) },
  )
})

test('elements of a list', () => {
  fc.assert(
    fc.property(fc.array(object, { maxLength: 5 }), space, (all, gap) => {
      const { bytes, at, end } = inBuffer(`[${gap}${all.join(`${gap},${gap}`)}${gap}]`)
      const places = elements(bytes, at, end)!
      const texts = Array.from({ length: places.length / 2 }, (_, i) =>
        bytes.toString('utf8', places[2 * i], places[2 * i + 1]),
      )
      assert.deepEqual(texts, all)
    }),
    { numRuns: runs(100) },
  )
})

describe('what is not JSON', () => {
  test('a line that is cut anywhere does not end where it should', () => {
    const plan = new Plan(...PATHS)
    fc.assert(
      fc.property(object, fc.nat(), (json, place) => {
        const line = Buffer.from(json)
        const bytes = Buffer.concat([line.subarray(0, place % line.length), Buffer.from(`\n${json}\n`)])
        const end = place % line.length
        assert.equal(scan(bytes, 0, end, plan), -1)
        assert.equal(membersIn(bytes, 0, end, []), -1)
      }),
      { numRuns: runs(300) },
    )
  })

  test('words, numbers and structure', () => {
    const plan = new Plan('a')
    const wrong = ['nope', 'tru', 'True', 'NaN', '"x', '[1', '{"b":1', '', '1 2', '"a" "b"', 'a', "'a'", '}']
    for (const one of wrong) {
      const { bytes, at, end } = inBuffer(`{"a":${one}}`)
      assert.notEqual(scan(bytes, at, end, plan), end, one)
    }
    for (const json of [
      '{"a" 1}',
      '{a:1}',
      '{"a":1,}',
      '{,}',
      '{"a":1 "b":2}',
      '["a"]',
      '"a"',
      '{"\\x":1}',
    ]) {
      const { bytes, at, end } = inBuffer(json)
      assert.notEqual(scan(bytes, at, end, plan), end, json)
    }
  })

  test('what is nested very deep, or has very many keys, is no trouble', () => {
    const plan = new Plan('a', 'b.*')
    const deep = `{"x":${'[{"y":'.repeat(200_000)}1${'}]'.repeat(200_000)},"a":7}`
    const many = `{"b":{${Array.from({ length: 3_000 }, (_, i) => `"k${i}":${i}`).join(',')}},"a":7}`
    for (const json of [deep, many]) {
      const { bytes, at, end } = inBuffer(json)
      assert.equal(scan(bytes, at, end, plan), end)
      const from = plan.at[2 * plan.slot('a')]!
      assert.equal(bytes.toString('utf8', from, from + 1), '7')
    }
    assert.equal(plan.every('b').full, true)
  })
})
