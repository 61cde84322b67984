/** A row is its line's text and what JSON.parse made of all of it; written, it is that text and `jb`. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadRow } from '../../src/rows/errors.ts'
import { DEEPEST } from '../../src/rows/json_text.ts'
import { readRows, type Source } from '../../src/rows/reader.ts'
import { RowFailure } from '../../src/rows/record.ts'
import { JsonText, Row } from '../../src/rows/row.ts'
import { valueAt } from '../../src/rows/value_at.ts'
import { rowText } from '../helpers/json-text.ts'
import { expect, type Filter, jb } from '../helpers/run.ts'

const read = (text: string) => Row.read(text, 'f', 1)

/** Rows of bytes that come in chunks of a size, and what was said of bad ones. */
async function rowsIn(bytes: Buffer, size: number): Promise<string[]> {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  const source: Source = { name: 'f', open: () => Readable.from(pieces) }
  const found: string[] = []
  const rows = readRows([source], {
    badRows: 'pass',
    stage: 'parse',
    signal: new AbortController().signal,
    onBadRow: (message, file, line) => found.push(`${file}:${line} ${message}`),
  })
  for await (const batch of rows)
    for (const row of batch)
      found.push(`${row.place} ${row.toText()} ${JSON.stringify(row.item)} ${row.jbText()}`)
  return found.sort()
}

const odd = fc.constantFrom(
  '',
  ' ',
  'nope',
  '{"a":',
  `{"a":"${'é'.repeat(400)}`,
  '[1]',
  '{"jb":1}',
  '{"a":NaN}',
  '\ufeff{}',
)

test('whatever the rows, and wherever chunks end', async () => {
  const lines = fc.array(fc.oneof({ weight: 9, arbitrary: rowText }, { weight: 1, arbitrary: odd }), {
    minLength: 1,
    maxLength: 40,
  })
  const ends = fc.constantFrom('\n', '\r\n')
  const last = fc.constantFrom('', '\n', '\xff', '\r')
  await fc.assert(
    fc.asyncProperty(lines, ends, last, fc.integer({ min: 1, max: 300 }), async (rows, end, rest, size) => {
      const bytes = Buffer.concat([Buffer.from(rows.join(end)), Buffer.from(rest, 'latin1')])
      assert.deepEqual(await rowsIn(bytes, size), await rowsIn(bytes, bytes.length))
    }),
    { numRuns: 60 },
  )
})

test('the user’s part and jb are what JSON.parse says, wherever jb stands', () => {
  fc.assert(
    fc.property(rowText, fc.nat(3), (text, how) => {
      const bare = read(text)
      assert.deepEqual(bare.item, JSON.parse(text))
      const line =
        how === 0 || Object.keys(bare.item).length === 0
          ? text.replace('{', `{"j\\u0062":{"item":"x"}${Object.keys(bare.item).length > 0 ? ',' : ''}`)
          : bare.set('item', 'x').toText()
      const row = read(line)
      assert.deepEqual({ ...row.item, jb: { item: row.get('item') } }, JSON.parse(line))
      assert.equal(row.itemText().replace(/\s/g, ''), text.replace(/\s/g, ''))
      assert.deepEqual(JSON.parse(row.set('judge', 'é').toText()).jb, { item: 'x', judge: 'é' })
      for (const path of ['a', '10', '__proto__', 'a.b', 'a.a', 'a.0', 'a.-1', 'judge.10.a']) {
        const written = row.fieldText(path)
        assert.deepEqual(written === undefined ? undefined : JSON.parse(written), valueAt(row.item, path))
      }
    }),
    { numRuns: 500 },
  )
})

test('a key jb inside of a value is no row’s jb', () => {
  const inJb = read('{"id":1,"jb":{"item":"i","reply":{"answers":{"a":1,"jb":{}}}}}')
  assert.deepEqual([inJb.itemText(), inJb.get('item')], ['{"id":1}', 'i'])
  assert.equal(
    inJb.set('judge', 'j').toText(),
    '{"id":1,"jb":{"item":"i","reply":{"answers":{"a":1,"jb":{}}},"judge":"j"}}',
  )
  const inUser = read('{"jb":{"item":"i"},"meta":{"a":1,"jb":{}}}')
  assert.deepEqual([inUser.itemText(), inUser.get('item')], ['{"meta":{"a":1,"jb":{}}}', 'i'])
  assert.equal(inUser.set('judge', 'j').toText(), '{"meta":{"a":1,"jb":{}},"jb":{"item":"i","judge":"j"}}')
  const none = read('{"meta":{"a":1,"jb":{"item":"x"}}}')
  assert.deepEqual([none.keys, none.get('item')], [[], undefined])
})

test('what is written: the user’s text, then jb', () => {
  const bare = (line: string) => read(line).bare().set('item', 'x').toText()
  const lines = ['{"a":1,"jb":{"item":"y"}}', '{"jb":{"n":1},"a":1}', '{"a":1,"jb":{}}']
  for (const line of lines) assert.equal(bare(line), '{"a":1,"jb":{"item":"x"}}', line)
  assert.equal(bare('{"jb":{"n":1}}'), '{"jb":{"item":"x"}}')
  assert.equal(bare('{ }'), '{ "jb":{"item":"x"}}')
  assert.equal(bare('{"a":1,"jb":{} }'), '{"a":1 ,"jb":{"item":"x"}}')
  const user = '{"a":[12345678901234567890,1.0], "b" : 1e400,"a":"\\u0041\\ud800"'
  const row = read(`${user},"jb":{"item":"y","x":1.0}}`)
  assert.equal(row.fork().toText(), `${user},"jb":{"item":"y","x":1.0}}`)
  assert.equal(row.fork().set('judge', 'z').toText(), `${user},"jb":{"item":"y","x":1.0,"judge":"z"}}`)
  assert.equal(row.fork().set('item', 'z').toText(), `${user},"jb":{"item":"z","x":1}}`)
  assert.equal(row.fork().set('item', undefined).toText(), `${user},"jb":{"x":1}}`)
  assert.equal(row.set('prompt', new JsonText('"\\u0041"')).get('prompt'), 'A')
})

/** What is no JSON in the user's part of a row, and what is said of it. */
const MALFORMED = [
  ['"Expl"ain"', /not valid JSON: expected/i],
  ['NaN', /NaN is no number of JSON/],
  ['-Infinity', /not valid JSON/],
  ['01', /not valid JSON/],
  ['1.', /not valid JSON/],
  ['.5', /not valid JSON/],
  ['+1', /not valid JSON/],
  ['0x1', /not valid JSON/],
  ['1e', /not valid JSON/],
  ['"a\tb"', /not valid JSON: bad control character/],
  ['"\u0001"', /not valid JSON: bad control character/],
  ['"\\q"', /not valid JSON: bad escaped character/],
  ['"\\u00g0"', /not valid JSON: bad unicode escape/i],
  ['[1,]', /not valid JSON/],
  ['{"a":1,}', /not valid JSON/],
  ['[1 2]', /not valid JSON/],
  ['{"a" 1}', /not valid JSON/],
  ['{a:1}', /not valid JSON/],
  ["'a'", /not valid JSON/],
  ['True', /not valid JSON/],
  ['undefined', /not valid JSON/],
  ['', /not valid JSON/],
  ['1,', /not valid JSON/],
  ['1 /* one */', /not valid JSON/],
] as const

const JB =
  '"jb":{"judge":"vanilla","item":"i","trial":{"n":0,"of":1,"order":"AB"},"reply":{"text":"[[A]]","model":"m","finish_reason":"stop"},"verdict":{"label":"A","decision":"A>B"}}'

test('a line that is no JSON passes no filter, whoever wrote it', async () => {
  const filters: [Filter, ...string[]][] = [
    ['parse'],
    ['score'],
    ['render', 'vanilla'],
    ['aggregate'],
    ['write', 'csv'],
  ]
  for (const [value, why] of MALFORMED) {
    const line = `{"id":1,"x":${value},${JB}}`
    assert.throws(
      () => read(line),
      (error) => error instanceof BadRow && why.test(error.message),
      line,
    )
  }
  const stdin = MALFORMED.map(([value]) => `{"id":1,"x":${value},${JB}}\n`).join('')
  for (const [filter, ...args] of filters) {
    expect(await jb(filter, args, { stdin }), { code: 65, out: '', err: /\(stdin\):1: not valid JSON/ })
    const skipped = await jb(filter, [...args, '--bad-rows', 'skip'], { stdin })
    expect(skipped, { code: filter === 'aggregate' || filter === 'write' ? 1 : 0, err: /bad_row 24/ })
  }
})

test('a row nests no more deeply than jq reads, nor does what is added to it', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  assert.ok(read(`{"x":${nested(DEEPEST - 1)},${JB}}`))
  for (const levels of [DEEPEST, 1e6])
    assert.throws(() => read(`{"x":${nested(levels)},${JB}}`), /nested too deeply: a row may have 100 levels/)
  assert.ok(read(`{"x":"${nested(DEEPEST)}","y":[${'[],'.repeat(500)}1]}`))
  const row = read('{"a":1}').set('raw', 'x')
  for (const levels of [200, 20_000]) {
    const deep = JSON.parse(nested(levels))
    assert.throws(() => row.fork().set('prompt', deep).toText(), levels === 200 ? RowFailure : RangeError)
  }
})
