/** Lines are measured by WebAssembly as JavaScript would search them, and checked as JSON.parse checks them. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Block } from '../../src/rows/block.ts'
import { encode } from '../../src/rows/bytes.ts'
import { Line } from '../../src/rows/line.ts'
import { BadRow } from '../../src/rows/line_search.ts'
import { rowText } from '../helpers/json-text.ts'
import { expect, jb, sh } from '../helpers/run.ts'

// With rooms of its own: what short jbs have in common is kept in a used one, and forgotten when it is full.
type Measure = typeof import('../../src/rows/measure.ts')
// @ts-expect-error: TypeScript knows no second instance of a module
const { RECORD, LineIndexer, STATE }: Measure = await import('../../src/rows/measure.ts?own')

const latin = (text: string) => encode(text)

/** What was found of a line: all that a row asks it for. */
function told(line: Line, keys: readonly string[]): unknown {
  const size = line.size
  return {
    raw: line.raw,
    user: line.user,
    begin: line.jbBegin < 0 ? -1 : line.jbBegin - line.begin,
    end: line.jbBegin < 0 ? -1 : line.jbEnd - line.begin,
    fields: keys.map((key) => line.userText(key)),
    jb: Array.from({ length: size }, (_, i) => [
      line.key(i),
      line.jbText(i),
      line.keyAt(i) - line.begin,
      line.to(i) - line.begin,
    ]),
  }
}

/** Each line measured: `undefined` where it is left alone, or blank. */
function measured(lines: readonly string[]): (Line | 'blank' | undefined)[] {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const room = LineIndexer.take()!
  try {
    assert.ok(room.add(bytes))
    const text = room.text(bytes.length)
    return room.measure(0, bytes.length).flatMap(({ records, sharedJbs }) => {
      const found: (Line | 'blank' | undefined)[] = []
      for (let at = 0; at < records.length; ) {
        const state = records[at + RECORD.state]! & STATE.mask
        const row = state === STATE.row
        found.push(
          row
            ? Line.measured(Block.of(text), records, at, sharedJbs)
            : state === STATE.blank
              ? 'blank'
              : undefined,
        )
        at += row ? records[at + RECORD.size]! : STATE.bare
      }
      return found
    })
  } finally {
    room.release()
  }
}

function read(line: string): Line | undefined {
  try {
    return Line.read(latin(line))
  } catch (error) {
    assert.ok(error instanceof BadRow)
    return undefined
  }
}

const keysOf = (line: string): string[] => {
  try {
    return Object.keys(JSON.parse(line) as object).map(latin)
  } catch {
    return []
  }
}

function same(lines: readonly string[], whole: boolean, every = 1): void {
  const found = measured(lines)
  assert.equal(found.length, lines.length)
  for (const [i, line] of lines.entries()) {
    if (i % every > 0) continue
    const one = found[i]
    const expected = read(line)
    if (one === 'blank') assert.equal(line.trim(), '')
    else if (one) {
      assert.ok(expected, `taken for a row: ${line}`)
      const all = keysOf(line)
      const keys = [...all.filter((_, k) => k % Math.ceil(all.length / 100) === 0), 'a', 'no such key']
      assert.deepEqual(told(one, keys), told(expected, keys), line)
    } else if (whole) assert.equal(expected, undefined, `left alone: ${line}`)
  }
}

test('rows of every kind', () => {
  fc.assert(
    fc.property(fc.array(rowText, { minLength: 1, maxLength: 30 }), (lines) => same(lines, false)),
    { numRuns: 100 },
  )
})

const key = fc.constantFrom(
  'a',
  'b',
  'jb',
  'item',
  'judge',
  'x y',
  'é',
  'a longer key than the others are',
  '',
)
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

test('without WebAssembly the same comes out, for long rows and broken ones too', async () => {
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
  const without = expect(await sh(pipe('node --no-expose-wasm'), { stdin }), {})
  assert.equal(plain.stdout.split('\n').length, 9)
  assert.equal(without.stdout, plain.stdout)
})
