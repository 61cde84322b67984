/** jb-read json: documents of any size as rows, values in the form they have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { folder } from '../helpers/folder.ts'
import { rowText } from '../helpers/json-text.ts'
import { expect, fine, jb, sh } from '../helpers/run.ts'

const read = async (stdin: string | Uint8Array, ...args: string[]) =>
  fine(await jb('read', ['json', ...args], { stdin })).stdout

test('the elements of an array, a document alone, several one after the other', async () => {
  assert.equal(await read('[{"a":1},\n {"b":[2, {"c":null}]}]'), '{"a":1}\n{"b":[2,{"c":null}]}\n')
  assert.equal(await read('{\n  "a": 1,\n  "b": [true, false]\n}\n'), '{"a":1,"b":[true,false]}\n')
  assert.equal(await read('{"a":1}\n{"a":2}\n[{"a":3}]'), '{"a":1}\n{"a":2}\n{"a":3}\n')
  for (const nothing of ['', '[]', ' [ ] ', '\ufeff', '\n']) assert.equal(await read(nothing), '', nothing)
  assert.equal(await read('\ufeff[{"a":"é"}]'), '{"a":"é"}\n')
})

test('numbers, key order and duplicate keys are those of the file', async () => {
  const text =
    '{"id":12345678901234567890,"x":1.0,"y":1e400,"n":-0,"10":1,"2":2,"a":1,"a":2,"__proto__":{"b":1}}'
  assert.equal(await read(`[${text}]`), `${text}\n`)
})

test('--at: an array inside, by keys and indexes; what is not there is said', async () => {
  const text =
    '{"data":{"rows":[{"x":1},{"x":2}],"more":[[{"y":1}],[{"y":2}]],"one":{"z":3}},"rows":[{"w":0}]}'
  assert.equal(await read(text, '--at', 'data.rows'), '{"x":1}\n{"x":2}\n')
  assert.equal(await read(text, '--at', 'rows'), '{"w":0}\n')
  assert.equal(await read(text, '--at', 'data.more.1'), '{"y":2}\n')
  assert.equal(await read(text, '--at', 'data.one'), '{"z":3}\n')
  const ran = await jb('read', ['json', '--at', 'data.nothing'], { stdin: text })
  expect(ran, { code: 65, out: '', err: 'jb-read: (stdin): nothing found at data.nothing\n' })
})

test('any objects come out as the values they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rowText, { minLength: 100, maxLength: 100 }), async (rows) => {
      const lines = (await read(`[${rows.join(',\n')}]`)).slice(0, -1).split('\n')
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        rows.map((row) => JSON.parse(row)),
      )
    }),
    { numRuns: 1, endOnFailure: true },
  )
})

test('what is no JSON, no object, no UTF-8 is bad data: exit 65, the elements before it are written', async () => {
  const cases: [string | Uint8Array, RegExp][] = [
    ['[{"a":1},{"b"', /not valid JSON after 1 element/],
    ['[{"a":1},', /not valid JSON after 1 element/],
    ['{"a":', /not valid JSON after 0 elements/],
    ['nope', /not valid JSON after 0 elements/],
    ['[{"a":1},7]', /element 2: a row must be a JSON object, this is a number/],
    ['"text"', /element 1: a row must be a JSON object, this is a string/],
    ['[{"jb":3}]', /element 1: the key "jb" is reserved/],
    [Buffer.from('[{"a":"\xff"}]', 'latin1'), /not valid UTF-8 at byte 8/],
    [Buffer.from('[{"a":"\xc3', 'latin1'), /not valid UTF-8 at byte 8/],
  ]
  for (const [stdin, err] of cases) {
    const ran = expect(await jb('read', ['json'], { stdin }), { code: 65, err })
    if (/^\[\{"a":1\},/.test(String(stdin))) assert.equal(ran.stdout, '{"a":1}\n')
  }
})

test('a message names the line, and says of a file that it is cut', async () => {
  const pretty = (...elements: object[]) => JSON.stringify(elements, null, 1)
  const cases: [string, RegExp][] = [
    ['[\n{"a":1},\n7,\n8]', /^jb-read: \(stdin\):3: element 2: a row must be/],
    [`\n${pretty({ a: { b: 1 }, c: 2 }, { jb: 3 })}`, /^jb-read: \(stdin\):9: element 2: the key "jb"/],
    ['[{"a":1},\n\n nope]', /^jb-read: \(stdin\):3: not valid JSON after 1 element: expected a value\n$/],
    ['{"a":1}\n{"b":1}\n{c}\n', /^jb-read: \(stdin\):3: not valid JSON after 2 elements: /],
    [
      pretty({ a: 1 }).replace('1', 'x'),
      /^jb-read: \(stdin\), lines 2 to 4: not valid JSON after 0 elements/,
    ],
    ['[{"a":1},\n{"b', /^jb-read: \(stdin\):2: .* after 1 element: the file ends in the middle of it\n$/],
    ['{"a":"x\0"}', /:1: .* after 0 elements: a control character, or an escape that JSON does not have/],
    ['[{"a":"x\ty"}]', /:1: .* after 0 elements: a control character, or an escape that JSON does not have/],
    ['[{"a":"x\\u1', /:1: .* after 0 elements: the file ends in the middle of it\n$/],
    [pretty({ a: 1 }, { b: 2 }).slice(0, -9), /:6: .* after 1 element: the file ends in the middle of it\n$/],
  ]
  for (const [stdin, err] of cases) expect(await jb('read', ['json'], { stdin }), { code: 65, err })
  const rows = await jb('read', ['json', '--bad-rows', 'pass', '--strict'], { stdin: '[\n{},\n7]' })
  expect(rows, { code: 1, err: /\(stdin\):3: bad_row: element 2/ })
})

test('all that stands whole before a break is written, and what breaks is named', async () => {
  const elements = Array.from({ length: 200 }, (_, i) => `{"i":${i},"x":{"y":"}"}}`)
  const whole = elements.map((element) => `${element}\n`).join('')
  const badByte = `not valid UTF-8 at byte ${whole.length + ',{"i":"'.length + 1}`
  for (const [end, err] of [
    [',{"i":', /not valid JSON after 200 elements/],
    [', nope]', /not valid JSON after 200 elements/],
    [',{"i":"\xff"}]', badByte],
    [',{"i":"\xc3\x28"}]', badByte],
    [',{"i":"\xe2\x82', badByte],
  ] as const) {
    const stdin = Buffer.from(`[${elements.join(',')}${end}`, 'latin1')
    expect(await jb('read', ['json'], { stdin }), {
      code: 65,
      out: whole,
      err: typeof err === 'string' ? new RegExp(err) : err,
    })
  }
})

test('--bad-rows: elements that are no rows are left out, or passed on as failed rows', async () => {
  const stdin = '[{"a":1},7,"é",{"a":2}]'
  const skipped = await jb('read', ['json', '--bad-rows', 'skip'], { stdin })
  expect(skipped, {
    out: '{"a":1}\n{"a":2}\n',
    err: /element 2: a row must be a JSON object, this is a number\n[\s\S]*\njb-read: 4 rows, 2 failed here \(bad_row 2\)\n$/,
  })
  const [, seven, text] = expect(
    await jb('read', ['json', '-q', '--bad-rows', 'pass'], { stdin }),
    {},
  ).stdout.split('\n')
  assert.equal(JSON.parse(seven!).jb.raw, '7')
  assert.equal(JSON.parse(text!).jb.raw, '"é"')
  assert.equal(JSON.parse(text!).jb.error.code, 'bad_row')
})

test('files, .gz among them; a damaged one is bad data, a missing one no input', async (t) => {
  const text = JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i, x: String(Math.sin(i)) })))
  const zipped = gzipSync(text)
  const cwd = folder(t, { 'a.json': text, 'b.json.gz': zipped, 'cut.json.gz': zipped.subarray(0, 3000) })
  const ran = fine(await jb('read', ['json', 'a.json', 'b.json.gz'], { cwd }))
  assert.equal(ran.stdout.split('\n').length, 2001)
  expect(await jb('read', ['json', 'cut.json.gz'], { cwd }), {
    code: 65,
    err: /damaged or cut short|not valid JSON/,
  })
  expect(await jb('read', ['json', 'none.json'], { cwd }), { code: 66, err: /none\.json: no such file/ })
})

test('what is wrong with a .gz is said with its name', async (t) => {
  const cwd = folder(t, {
    'one.json': '{}',
    'plain.json.gz': '[{"a":1}]',
    'cut.json.gz': gzipSync('[{"a":1}]'.repeat(100)).subarray(0, 30),
  })
  expect(await jb('read', ['json', 'one.json', 'plain.json.gz'], { cwd }), {
    code: 65,
    err: 'jb-read: plain.json.gz: this is not a gzip file, though its name ends in .gz (or something else follows its gzip data)\n',
  })
  expect(await jb('read', ['json', 'one.json', 'cut.json.gz'], { cwd }), {
    code: 65,
    err: /^jb-read: cut\.json\.gz: the gzip data is damaged or cut short: /,
  })
  const topics = ['autojudge', '--topics', 'topics.jsonl', '--responses', 'runs']
  const runs = folder(t, { 'topics.jsonl': '{"request_id":"1","title":"t"}', 'runs/a.jsonl.gz': '{}' })
  expect(await jb('read', topics, { cwd: runs }), {
    code: 65,
    err: /runs\/a\.jsonl\.gz: this is not a gzip file/,
  })
})

test('a document that does not fit in memory', async () => {
  // 15 MB of text in a heap of 12: JSON.parse of it ends Node.
  const element = JSON.stringify({ text: 'x'.repeat(10_000), list: [1, 2, 3, { a: 'b' }] })
  const stdin = `[${Array(1500).fill(element).join(',')}]`
  const command = 'NODE_OPTIONS=--max-old-space-size=12 jb-read json | tail -1'
  expect(await sh(command, { stdin }), { out: `${element}\n` })
})

test('a reader that has seen enough ends the reading', async () => {
  expect(await sh(`yes '{"a":1}' | jb-read json | head -2`), { out: '{"a":1}\n{"a":1}\n', err: '' })
})

test('objects keyed by id are rows with their key as id, said so; other objects of objects are one row', async () => {
  const rowsOf = async (document: string) => {
    const { stdout, stderr } = expect(await jb('read', ['json'], { stdin: document }), {})
    return [stdout.trimEnd().split('\n'), stderr === '' ? 'silent' : 'told']
  }
  assert.deepEqual(await rowsOf('{"t0": {"id":"t0","n":1.0}, "t1": {"n":12345678901234567890}}'), [
    ['{"id":"t0","n":1.0}', '{"id":"t1","n":12345678901234567890}'],
    'told',
  ])
  assert.deepEqual(await rowsOf('{"t0":{"id":"x","n":1},"t1":{"id":"y","n":2}}'), [
    ['{"key":"t0","id":"x","n":1}', '{"key":"t1","id":"y","n":2}'],
    'told',
  ])
  for (const one of [
    '{"results":{"a":{"x":1}},"configs":{"a":{"x":2}}}',
    '{"a":{"x":1}}',
    '{"a":{"x":1},"b":2}',
  ])
    assert.deepEqual(await rowsOf(one), [[one], 'silent'])
})
