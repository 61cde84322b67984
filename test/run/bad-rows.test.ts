/** Input that is not what it should be: told apart, told where, and dealt with as --bad-rows says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { folder } from '../helpers/folder.ts'
import { game, ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, sh } from '../helpers/run.ts'

const GOOD = JSON.stringify(replied('vanilla', 'Output (a)'))
const FIRST = `${JSON.stringify({ id: 1 })}\n`

/** A line that is no row, and what the message says of it. */
const BAD: [what: string, line: string | Uint8Array, message: RegExp][] = [
  ['broken JSON', '{"a": 1,, "b": 2}', /not valid JSON: .*position 8/],
  ['a bare word', 'hello', /not valid JSON: unexpected token 'h'/],
  ['a row cut short', '{"a": "never en', /not valid JSON: cut short after 15 bytes/],
  ['a row cut short behind a colon', '{"a":', /not valid JSON: cut short after 5 bytes/],
  ['a row cut short between values', '{"a": [1, 2', /not valid JSON: cut short after 11 bytes/],
  ['two objects', '{"a":1} {"a":2}', /not valid JSON/],
  ['pretty-printed JSON', '{', /a row must stand on one line.*jq -c/],
  ['an array', '[{"a":1}]', /a row must be a JSON object, this is an array \(jb-read json/],
  ['a number', '17', /a row must be a JSON object, this is a number/],
  ['a string', '"text"', /a row must be a JSON object, this is a string/],
  ['null', 'null', /a row must be a JSON object, this is null/],
  ['a boolean', 'true', /a row must be a JSON object, this is a boolean/],
  ['NUL bytes', '{"a": "x\0y"}', /not valid JSON/],
  ['NUL bytes alone', '\0\0\0\0', /not valid JSON/],
  ['a control character in a string', '{"a": "x\u0007y"}', /not valid JSON: bad control character/],
  ['invalid UTF-8', Buffer.from('{"a": "\xff"}', 'latin1'), /not valid UTF-8 at byte 8/],
  ['UTF-8 cut in a character', Buffer.from('{"é": "\xc3"}', 'latin1'), /not valid UTF-8 at byte 3/],
  ['NaN', '{"a": NaN}', /not valid JSON/],
  ['single quotes', "{'a': 1}", /not valid JSON/],
  ['a foreign jb: a string', '{"jb": "mine", "a": 1}', /"jb" is reserved and must hold an object/],
  ['a foreign jb: a number', '{"a": 1, "jb": 3}', /"jb" is reserved/],
  ['a foreign jb: an array', '{"a": 1, "jb": [{}]}', /"jb" is reserved/],
  ['a foreign jb: null', '{"a": 1, "jb": null}', /"jb" is reserved/],
  ['two keys jb', '{"jb": {}, "a": 1, "jb": {}}', /two keys "jb"/],
]

const bytes = (...parts: (string | Uint8Array)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)))

/** Those of which each is a kind of its own; what is said of the others is checked with --bad-rows pass. */
const KINDS = [
  'broken JSON',
  'a row cut short',
  'an array',
  'a number',
  'NUL bytes',
  'invalid UTF-8',
  'a foreign jb: a string',
]

describe('a bad row stops the run behind the rows before it, and is named', { concurrency: 2 }, () => {
  for (const [what, line, message] of BAD.filter(([what]) => KINDS.includes(what))) {
    test(what, async () => {
      const ran = await jb('parse', ['-q'], { stdin: bytes(FIRST, `${GOOD}\n`, line, `\n${GOOD}\n`) })
      expect(ran, { code: 65, err: message })
      assert.match(ran.stderr, /^jb-parse: \(stdin\):3: /)
      assert.equal(ran.stderr.trimEnd().split('\n').length, 1, 'one line, no stack trace')
      assert.equal(rowsOf(ran).length, 2)
    })
  }
})

test('all of them are skipped and counted, or passed on with what they held', async () => {
  const stdin = bytes(...BAD.flatMap(([, line]) => [line, '\n']), `${GOOD}\n`)
  const skipped = expect(await jb('parse', ['--bad-rows', 'skip'], { stdin }), {
    err: new RegExp(`${BAD.length + 1} rows, ${BAD.length} failed here \\(bad_row ${BAD.length}\\)\n$`),
  })
  assert.deepEqual(
    rowsOf(skipped).map(({ jb }) => jb.verdict?.decision),
    ['A>B'],
  )
  // Repeats are capped: three in full, and the count in the summary.
  assert.equal(skipped.stderr.match(/^jb-parse: \(stdin\):\d+:/gm)?.length, 3)

  const passed = expect(await jb('parse', ['--bad-rows', 'pass'], { stdin }), { code: 0 })
  const rows = rowsOf(passed)
  assert.equal(rows.length, BAD.length + 1)
  for (const [i, [what, line, message]] of BAD.entries()) {
    const { jb, ...user } = rows[i]!
    assert.deepEqual(user, {}, what)
    assert.equal(jb.error?.code, 'bad_row', what)
    assert.match(jb.error!.message, message, what)
    const raw = jb.raw === undefined ? Buffer.from(jb.raw_base64 as string, 'base64') : Buffer.from(jb.raw)
    assert.deepEqual(raw, Buffer.from(line), what)
  }
  assert.equal(rows.at(-1)?.jb.verdict?.decision, 'A>B')
})

test('a bad row that was passed on goes through every later filter untouched and is counted', async () => {
  const stdin = bytes('{"a": 1,,}\n', `${GOOD}\n`)
  const first = await jb('parse', ['--bad-rows', 'pass', '-q'], { stdin })
  const again = fine(await jb('parse', [], { stdin: first.stdout }))
  assert.equal(again.stdout, first.stdout)
  const report = expect(await jb('aggregate', ['-q'], { stdin: first.stdout }), { code: 0 })
  const { items, valid, failed, failures } = JSON.parse(report.stdout)
  assert.deepEqual(
    { items, valid, failed, failures },
    { items: 2, valid: 1, failed: 1, failures: { bad_row: 1 } },
  )
})

test('with --strict a bad row that is passed on is fatal; one that is to be skipped is skipped', async () => {
  const stdin = `${GOOD}\nnope\n${GOOD}\n`
  const code = { stop: 65, skip: 0, pass: 1 }
  for (const [policy, expected] of Object.entries(code)) {
    const ran = await jb('parse', ['--strict', '--bad-rows', policy], { stdin })
    expect(ran, { code: expected, err: /\(stdin\):2: / })
    assert.equal(rowsOf(ran).length, policy === 'stop' ? 1 : 2)
  }
})

test('the last line cut short: the rows before it are written, the message says so', async () => {
  const whole = `${GOOD}\n${GOOD}\n`
  for (const cut of [1, GOOD.length - 1]) {
    const ran = await jb('parse', ['-q'], { stdin: whole + GOOD.slice(0, cut) })
    expect(ran, {
      code: 65,
      err: /^jb-parse: \(stdin\):3: not valid JSON: (cut short|a row must stand on one line)/,
    })
    assert.equal(rowsOf(ran).length, 2)
  }
})

test('a row with a broken jb of its own is a bad row', async () => {
  for (const jb_ of [
    '"item":gar',
    '"item":"i","n":1x',
    '"item":"i" "n":1',
    '"item":"i",',
    '"item":"i","a":[1',
    '"item":"i","trial":{"n":gar},"reply":{"text":"Output (a)"}',
    '"item":"i","trial":{"n":[gar]},"reply":{"text":"Output (a)"}',
  ])
    for (const filter of ['parse', 'score', 'aggregate'] as const)
      expect(await jb(filter, ['-q'], { stdin: `{"a":1,"jb":{${jb_}}}\n` }), {
        code: 65,
        err: /\(stdin\):1: not valid JSON/,
      })
})

test('other kinds of files are recognised by their first bytes', async () => {
  const cases: [Uint8Array, RegExp][] = [
    [gzipSync(`${GOOD}\n`), /gzip-compressed: name the file with \.gz/],
    [Buffer.from(`\ufeff${GOOD}\n`, 'utf16le'), /UTF-16: convert it with iconv/],
    [bytes('PAR1', new Uint8Array([21, 0, 21, 0])), /Parquet file: read it with jb-read parquet/],
    [bytes('PK', new Uint8Array([3, 4, 20, 0, 200])), /ZIP archive: unzip it first/],
    [new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 4, 0]), /zstd-compressed: zstdcat it first/],
    [bytes(new Uint8Array([0xfd]), '7zXZ', new Uint8Array([0, 0, 200])), /xz-compressed: xzcat it first/],
    [bytes('BZh91AY&SY', new Uint8Array([200, 1])), /bzip2-compressed: bzcat it first/],
  ]
  for (const [stdin, message] of cases) expect(await jb('parse', [], { stdin }), { code: 65, err: message })
})

const OWN =
  '"jb":{"judge":"vanilla","item":"i","trial":{"n":0,"of":1,"order":"AB"},"reply":{"text":"Output (a)","model":"m"},"verdict":{"label":"a","decision":"A>B"}}}'

test('what stands before a jb of the toolkit is read, too', async () => {
  const broken = ['"label":nope', '"label":"A\\x>B"', '"label"  "A>B"', 'bad', '"label":"A>B","source":[1,,]']
  for (const user of broken) {
    const stdin = `{${user},${OWN}\n${GOOD}\n`
    for (const filter of ['render', 'parse', 'score', 'aggregate'] as const) {
      const args = filter === 'render' ? ['arena_hard'] : []
      const err = new RegExp(`^jb-${filter}: \\(stdin\\):1: not valid JSON`)
      expect(await jb(filter, args, { stdin }), { code: 65, err })
    }
    const report = await jb('aggregate', ['--bad-rows', 'pass'], { stdin })
    assert.deepEqual(JSON.parse(report.stdout.split('\n')[0]!).failures, { bad_row: 1, no_verdict: 1 }, user)
  }
})

test('two rows that run into each other are a bad row, not one of both', async () => {
  const whole = (id: string) => `{"id":"${id}","label":"A>B",${OWN}`
  const begun = whole('x')
  for (const cut of [9, 20, begun.indexOf('"jb"') + 3, begun.indexOf('"reply"') + 18, begun.length - 1]) {
    const stdin = `${begun.slice(0, cut)}${whole('y')}\n`
    const report = await jb('aggregate', ['--label', 'label', '--bad-rows', 'skip'], { stdin })
    assert.match(report.stderr, /\(stdin\):1: (bad_row: )?not valid JSON/, stdin)
  }
})

test('two lines that make one value, and one line that makes two, do not make up for each other', async () => {
  const one = '{"a":[{"x":1}\n{"y":2}]}\n'
  const two = '{"c":1},{"d":2}\n'
  for (const stdin of [one + two, two + one, `{"ok":1}\n${one}${two}`])
    for (const filter of ['aggregate', 'parse'] as const)
      expect(await jb(filter, ['-q'], { stdin }), {
        code: 65,
        err: /^jb-\w+: \(stdin\):[12]: not valid JSON/,
      })
})

test('a bad row behind what --limit lets in is none, whether it came with the rows before or later', async () => {
  const pair = '{"id":1,"question":"q","response_A":"a","response_B":"b"}\n'
  for (const between of ['', 'sleep 0.5; ']) {
    const command = `(printf '%s' '${pair}'; ${between}echo bad; sleep 0.1) | jb-render vanilla --limit 1`
    assert.equal(rowsOf(fine(await sh(command))).length, 1)
  }
  expect(await jb('render', ['vanilla', '--limit', '2'], { stdin: `${pair}bad\n` }), {
    code: 65,
    err: /\(stdin\):2: not valid JSON/,
  })
})

test('what is wrong is told in whole characters, none of which a terminal obeys', async () => {
  const bom = '\ufeff'
  const cases: [string, RegExp][] = [
    ['{"a":é}', /:2: not valid JSON: unexpected token 'é'\n$/],
    ['{"a":"é", é}', /:2: not valid JSON: expected double-quoted property name at position 10\n$/],
    ['{"a":"é', /:2: not valid JSON: cut short after 8 bytes\n$/],
    [`${bom}{"a":1}`, /:2: not valid JSON: a byte order mark, with which only the first line may/],
    ['{"a":\u001b}', /:2: not valid JSON: unexpected token '\\u001b'\n$/],
    ['{"a":\u009b}', /:2: not valid JSON: unexpected token '\\u009b'\n$/],
  ]
  for (const [line, err] of cases)
    expect(await jb('parse', ['-q'], { stdin: `${GOOD}\n${line}\n` }), { code: 65, err })
})

test('of what stands before a bad row all is told that is told without it', async (t) => {
  const rows = ndjson([0, 1].map(() => game('p', 0, 1, 'A>B')))
  const dir = folder(t, { 'rows.ndjson': `${rows}{"cut\n` })
  const again = /rows\.ndjson:2: item "p" was counted already/
  expect(await jb('aggregate', [`${dir}/rows.ndjson`]), { code: 65, err: again })
})

test('a first row that ends the run is all that is told: no summary of no rows', async () => {
  expect(await jb('render', ['vanilla'], { stdin: 'id,question\n1,x\n' }), {
    code: 65,
    out: '',
    err: 'jb-render: (stdin):1: the input is no NDJSON; it looks like CSV: read it with jb-read csv\n',
  })
})

test('the summary of a report counts what failed, and no rows that it does not write', async () => {
  const stdin = `${ndjson([game('p', 0, 1, 'A>B')])}{"cut\n`
  for (const filter of ['aggregate', 'view'])
    expect(await jb(filter, ['--bad-rows', 'skip'], { stdin }), {
      err: new RegExp(`\njb-${filter}: 1 failed here \\(bad_row 1\\)`),
    })
})

test('--expect FILE that is no NDJSON: the message says so, not that it has no item', async (t) => {
  const path = `${folder(t, { 'items.csv': 'id,question\n1,x\n' })}/items.csv`
  expect(await jb('aggregate', ['--expect', path], { stdin: '' }), {
    code: 65,
    out: '',
    err: /items\.csv:1: the input is no NDJSON; it looks like CSV: read it with jb-read csv\n$/,
  })
})
