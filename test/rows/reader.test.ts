/** What a line is: line ends, marks, blanks, sizes, files. */
import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, sh } from '../helpers/run.ts'

const ONE = JSON.stringify(replied('vanilla', 'Output (a)', {}, { id: 1 }))
const TWO = JSON.stringify(replied('vanilla', 'Output (b)', {}, { id: 2 }))
const read = async (stdin: string | Uint8Array) => fine(await jb('parse', [], { stdin })).stdout

const plain = await read(`${ONE}\n${TWO}\n`)

test('CRLF, a missing last line end, a BOM and blank lines make no difference', async () => {
  assert.equal(plain.split('\n').length, 3)
  const same: [string, string][] = [
    ['CRLF', `${ONE}\r\n${TWO}\r\n`],
    ['CRLF, the last without', `${ONE}\r\n${TWO}`],
    ['no last line end', `${ONE}\n${TWO}`],
    ['BOM', `\ufeff${ONE}\n${TWO}\n`],
    ['BOM and CRLF', `\ufeff${ONE}\r\n${TWO}\r\n`],
    ['blank lines', `\n\n${ONE}\n\n  \t\n${TWO}\n\n\n`],
    ['blank lines with CRLF', `\r\n${ONE}\r\n\r\n${TWO}\r\n\r\n`],
  ]
  for (const [what, stdin] of same) assert.equal(await read(stdin), plain, what)
})

test('a BOM in the middle of a file is no mark: the line is bad, and counted from 1 with the blank ones', async () => {
  const ran = await jb('parse', ['-q'], { stdin: `${ONE}\n\n\ufeff${TWO}\n` })
  expect(ran, { code: 65, err: /^jb-parse: \(stdin\):3: not valid JSON/ })
})

test('U+2028, U+2029 and U+0085 are data, not line ends', async () => {
  const text = 'one\u2028two\u2029three\u0085four'
  const stdin = `{"id":1,"text":"${text}","jb":{"judge":"vanilla","reply":{"text":"Output (a)"}}}\n`
  const ran = fine(await jb('parse', [], { stdin }))
  const rows = rowsOf(ran)
  assert.equal(rows.length, 1)
  assert.equal(rows[0]?.text, text)
  assert.ok(ran.stdout.startsWith(stdin.slice(0, stdin.indexOf(',"jb"'))))
})

test('empty input is no row, no error and no output; a report of it measured nothing', async () => {
  for (const stdin of ['', '\n', '\r\n\r\n', '\ufeff', '\ufeff\n', '   \n']) {
    for (const filter of ['parse', 'score'] as const)
      expect(await jb(filter, [], { stdin }), { out: '', err: '' })
    const report = expect(await jb('aggregate', [], { stdin }), {
      code: 1,
      err: /there is no item in the input/,
    })
    assert.equal(JSON.parse(report.stdout).items, 0)
  }
  expect(await sh('jb-parse /dev/null'), { out: '', err: '' })
})

test('a row of 5 MB passes whole, and rows around it too', async () => {
  const big = 'é"\\'.repeat(4) + 'x'.repeat(5 * 1024 * 1024)
  const row = (id: number, text: string) =>
    `{"id":${id},"text":${JSON.stringify(text)},"jb":{"judge":"vanilla","reply":{"text":"Output (a)"}}}\n`
  const ran = fine(await jb('parse', [], { stdin: row(1, 'a') + row(2, big) + row(3, 'c') }))
  const read = (line: string) => `${line.slice(0, -3)},"verdict":{"label":"a","decision":"A>B"}}}\n`
  const wanted = [row(1, 'a'), row(2, big), row(3, 'c')].map(read).join('')
  assert.equal(ran.bytes.length, Buffer.byteLength(wanted))
  assert.ok(ran.stdout === wanted, 'the bytes differ')
})

test('a row of 5 MB of the user alone, cut short, is one bad row', async () => {
  const ran = await jb('parse', ['-q'], { stdin: `{"text":"${'x'.repeat(5 * 1024 * 1024)}` })
  expect(ran, {
    code: 65,
    out: '',
    err: /^jb-parse: \(stdin\):1: not valid JSON: cut short after 5242889 bytes\n$/,
  })
})

test('files are read one after the other, `-` is stdin, .gz as it is; messages name each', async (t) => {
  const path = folder(t, {
    'one.ndjson': `${ONE}\n`,
    'two.ndjson.gz': gzipSync(`${TWO}\n`),
    // Two members, as `cat a.gz b.gz` makes them.
    'both.gz': Buffer.concat([gzipSync(`${ONE}\n`), gzipSync(`${TWO}\n`)]),
    'bad.ndjson': `${ONE}\nnope\n`,
    'no-end.ndjson': ONE,
  })
  assert.equal(fine(await jb('parse', ['one.ndjson', 'two.ndjson.gz'], { cwd: path })).stdout, plain)
  assert.equal(fine(await jb('parse', ['both.gz'], { cwd: path })).stdout, plain)
  assert.equal(fine(await jb('parse', ['one.ndjson', '-'], { cwd: path, stdin: TWO })).stdout, plain)
  // A file without a last line end does not run into the next.
  assert.equal(fine(await jb('parse', ['no-end.ndjson', 'two.ndjson.gz'], { cwd: path })).stdout, plain)
  const many = Array.from({ length: 30 }, (_, i) => `one-${i}.ndjson`)
  for (const name of many) writeFileSync(`${path}/${name}`, `${ONE}\n`)
  assert.equal(
    fine(await jb('parse', many, { cwd: path })).stdout,
    plain.split('\n')[0]!.concat('\n').repeat(30),
  )
  const bad = await jb('parse', ['-q', 'one.ndjson', 'bad.ndjson', 'no-end.ndjson'], { cwd: path })
  expect(bad, { code: 65, err: /^jb-parse: bad\.ndjson:2: not valid JSON: unexpected token 'o'/ })
  assert.equal(rowsOf(bad).length, 2)
})

test('a damaged or cut .gz is bad data', async (t) => {
  const zipped = gzipSync(ndjson(Array.from({ length: 2000 }, (_, i) => ({ i, text: String(Math.sin(i)) }))))
  const path = folder(t, {
    'cut.gz': zipped.subarray(0, zipped.length - 200),
    'damaged.gz': Buffer.concat([zipped.subarray(0, 1000), Buffer.alloc(200, 7), zipped.subarray(1200)]),
    'plain.gz': '{"a":1}\n',
  })
  for (const name of ['cut.gz', 'damaged.gz'])
    expect(await jb('parse', ['-q', name], { cwd: path }), {
      code: 65,
      err: new RegExp(`^jb-parse: ${name}: .*gzip data is damaged or cut short: [^\\n]*\\n$`),
    })
  expect(await jb('parse', ['-q', 'plain.gz'], { cwd: path }), {
    code: 65,
    err: /^jb-parse: plain\.gz: this is not a gzip file/,
  })
})

test('what stands in a .gz before its end is read', async (t) => {
  const rows = Array.from({ length: 150 }, (_, i) => ({ i, text: String(Math.sin(i)) }))
  const zipped = gzipSync(ndjson(rows))
  const path = folder(t, {
    'garbage.gz': Buffer.concat([zipped, Buffer.from('garbage\n')]),
    'cut.gz': zipped.subarray(0, -9),
    'half.gz': zipped.subarray(0, zipped.length >> 1),
    'plain.gz': ndjson(rows),
  })
  const read = async (name: string) => {
    const ran = expect(await jb('parse', ['-q', name], { cwd: path }), {
      code: 65,
      err: new RegExp(`^jb-parse: ${name}:[^\\n]* gzip [^\\n]*\\n$`),
    })
    const found = rowsOf(ran).map(({ i }) => i)
    const before = found.map((_, at) => at % rows.length)
    assert.deepEqual(found, before, name)
    return found.length
  }
  // zlib gives nothing of the step in which it finds an error.
  await read('garbage.gz')
  assert.ok((await read('cut.gz')) >= rows.length - 1)
  const half = gunzipSync(zipped.subarray(0, zipped.length >> 1), { finishFlush: constants.Z_SYNC_FLUSH })
  assert.equal(await read('half.gz'), half.toString().split('\n').length - 1)
  assert.equal(await read('plain.gz'), 0)
})

test('a file that cannot be read is exit 66, before anything is written', async (t) => {
  const path = folder(t, { 'one.ndjson': `${ONE}\n` })
  symlinkSync('nowhere', `${path}/dangling`)
  const cases: [string[], RegExp][] = [
    [['missing.ndjson'], /^jb-parse: missing\.ndjson: no such file\n$/],
    [[''], /^jb-parse: '': no such file\n$/],
    [
      ['sk-0123456789abcdef0'],
      /^jb-parse: sk-…: no such file; it looks like a key: keys are read from the environment/,
    ],
    [
      ['OPENAI_API_KEY=sk-0123456789abcdef0'],
      /^jb-parse: OPENAI_API_KEY=…: no such file; a variable stands in front of the command[^0]*$/,
    ],
    [['one.ndjson', 'missing.ndjson'], /^jb-parse: missing\.ndjson: no such file\n$/],
    [['.'], /^jb-parse: \.: is a directory\n$/],
    [['dangling'], /^jb-parse: dangling: no such file\n$/],
    [['one.ndjson/x'], /^jb-parse: one\.ndjson\/x: .*\n$/],
  ]
  for (const [files, err] of cases)
    expect(await jb('parse', files, { cwd: path }), { code: 66, out: '', err })
})

test('stdin that is a directory is no empty input', async () => {
  for (const filter of ['parse', 'aggregate'])
    expect(await sh(`jb-${filter} < .`), {
      code: 66,
      out: '',
      err: `jb-${filter}: (stdin): is a directory\n`,
    })
})

test('a row with very many keys takes no longer than its bytes do; one very deep is a bad row', async () => {
  const wide = `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const stdin = `${wide}\n${deep}\n{"id":3}\n`
  const ran = await jb('score', ['--bad-rows', 'skip'], { stdin })
  expect(ran, { err: /\(stdin\):2: nested too deeply: a row may have 100 levels\n/ })
  const lines = ran.stdout.split('\n')
  assert.ok(lines[0]!.startsWith(wide.slice(0, -1)))
  assert.equal(JSON.parse(lines[1]!).jb.item, '3')
})

test('a long stream keeps its order and every row', async () => {
  const rows = Array.from({ length: 3_000 }, (_, id) => ({ ...pair(), id }))
  const ran = expect(await jb('score', ['-q'], { stdin: ndjson(rows) }), {})
  assert.deepEqual(
    rowsOf(ran).map(({ id }) => id),
    rows.map(({ id }) => id),
  )
})
