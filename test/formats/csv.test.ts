/** jb-read csv: a row a record; nothing is lost or made up without a word. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { folder } from '../helpers/folder.ts'
import { rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, sh } from '../helpers/run.ts'

const csv = (stdin: string | Uint8Array, ...args: string[]) => jb('read', ['csv', ...args], { stdin })
const read = async (stdin: string | Uint8Array, ...args: string[]) => fine(await csv(stdin, ...args)).stdout

test('records as rows: quotes, line ends inside them, CRLF, a BOM, blank lines, no last line end', async () => {
  assert.equal(
    await read('\ufeffid,text\r\n1,"a ""b"", c"\r\n\r\n2,"x\ny"\r\n3,'),
    '{"id":"1","text":"a \\"b\\", c"}\n{"id":"2","text":"x\\ny"}\n{"id":"3","text":""}\n',
  )
  assert.equal(await read('a\tb\n1,5\t2\n', '--delimiter', '\\t'), '{"a":"1,5","b":"2"}\n')
  for (const nothing of ['', '\n', 'a,b\n']) assert.equal(await read(nothing), '')
})

test('a quote inside a field that is not quoted is data', async () => {
  assert.equal(
    await read('id,size,note\n1,5" disk,"say ""hi"", then\ngo"\n2,"5"" disk",\n'),
    '{"id":"1","size":"5\\" disk","note":"say \\"hi\\", then\\ngo"}\n{"id":"2","size":"5\\" disk","note":""}\n',
  )
})

test('a file of many pieces, characters cut between them', async (t) => {
  const records = Array.from({ length: 4_000 }, (_, i) => `${i},"é, ""ü"" ${'ö'.repeat(i % 7)}"`)
  const text = `i,t\n${records.join('\n')}\n`
  const cwd = folder(t, { 'a.csv': text, 'b.csv.gz': gzipSync(text) })
  for (const name of ['a.csv', 'b.csv.gz']) {
    const rows = rowsOf(fine(await jb('read', ['csv', name], { cwd })))
    assert.equal(rows.length, 4_000)
    assert.ok(rows.every(({ i, t }) => t === `é, "ü" ${'ö'.repeat(Number(i) % 7)}`))
  }
})

test('two columns of one name are an error: a row would hold the second alone', async () => {
  expect(await csv('a,b,a\n1,2,3\n'), {
    code: 65,
    out: '',
    err: 'jb-read: (stdin):1: two columns are called "a": rename one\n',
  })
})

test('bytes that are not UTF-8 are refused with their line, the records before it are written', async () => {
  expect(await csv(Buffer.from('a,b\n1,x\n2,caf\xe9\n3,y\n', 'latin1')), {
    code: 65,
    out: '{"a":"1","b":"x"}\n',
    err: /^jb-read: \(stdin\):3: not valid UTF-8 at byte 6: convert .*\n$/,
  })
  expect(await csv(Buffer.from('\ufeffa,b\n1,2\n', 'utf16le')), {
    code: 65,
    out: '',
    err: /\(stdin\): the input is UTF-16: convert it with iconv -f UTF-16 -t UTF-8/,
  })
})

test('a semicolon or a tab in a header without a comma is the delimiter; one between bars is asked about', async () => {
  const rows = '{"a":"1,5","b":"2"}\n'
  for (const text of ['a;b\n1,5;2\n', '\r\na\tb\r\n1,5\t2\r\n', '"a";b\n"1,5";2\n'])
    assert.equal(fine(await csv(text)).stdout, rows, text)
  expect(await csv('"x;y"\n1\n'), {
    out: '{"x;y":"1"}\n',
    err: `jb-read: (stdin):1: one column, "x;y": is --delimiter ';' meant?\n`,
  })
  assert.equal(fine(await csv('a,b;c\n1,2\n')).stdout, '{"a":"1","b;c":"2"}\n')
  assert.equal(await read('a;b\n1;2\n', '--delimiter', ','), '{"a;b":"1;2"}\n')
  expect(await csv('a|b\n1|2\n'), {
    out: '{"a|b":"1|2"}\n',
    err: `jb-read: (stdin):1: one column, "a|b": is --delimiter '|' meant?\n`,
  })
})

test('a compressed file is named as such', async () => {
  for (const format of ['csv', 'json'])
    expect(await jb('read', [format], { stdin: gzipSync('a,b\n1,2\n') }), {
      code: 65,
      out: '',
      err: /^jb-read: \(stdin\)(:1)?: the input is gzip-compressed: name the file with \.gz, or zcat it first\n$/,
    })
})

test('a quote that is never closed is bad data, with the line at which its record begins', async () => {
  for (const policy of ['stop', 'skip', 'pass'])
    expect(await csv('a,b\n1,2\n3,"4\n5,6\n7,8\n', '--bad-rows', policy), {
      code: 65,
      out: '{"a":"1","b":"2"}\n',
      err: 'jb-read: (stdin):3: a quote opened in this record is never closed\n',
    })
})

test('a quote that a later record’s quote ends is bad data, as Python’s csv has it with strict=True', async () => {
  const open = '1,"never closed,4\n2,fine,2\n3,"also ""fine""",5\n'
  for (const [text, err] of [
    [
      `id,output,score\n${open}`,
      /^jb-read: \(stdin\):2: a quoted value .* ends in line 4, and "a" follows its quote, not ","/,
    ],
    [`id,output,score\n0,x,1\n${open}`, /^jb-read: \(stdin\):3: /],
    ['a,b\n1,"x" ,\n', /\(stdin\):2: .* ends in line 2, and " " follows/],
    ['a\n"x"y\n', /"y" follows/],
    ['a;b\n"x",y\n', /"," follows its quote, not ";"/],
  ] as const)
    for (const policy of ['stop', 'skip', 'pass']) {
      const ran = await csv(text, '--bad-rows', policy)
      assert.deepEqual([ran.code, ran.stdout.includes('"id":"2"')], [65, false], text)
      assert.match(ran.stderr, err)
    }
})

test('sep= in the first line is the delimiter; lines that begin with # in front of the header are comments', async () => {
  const rows = '{"a":"1","b":"2"}\n'
  for (const text of [
    'sep=;\r\na;b\r\n1;2\r\n',
    'SEP=|\na|b\n1|2\n',
    'sep=\t\na\tb\n1\t2',
    'sep=,\n\na,b\n1,2\n',
  ])
    assert.equal(fine(await csv(text)).stdout, rows, text)
  expect(await csv('# made by x, for y, on z\n# once\na,b\n1,2\n'), {
    out: rows,
    err: 'jb-read: (stdin): 2 lines in front of the header left out: # begins a comment\n',
  })
  expect(await csv('#id,b\n1,2\n'), { out: '{"#id":"1","b":"2"}\n', err: '' })
  expect(await csv('# once\n#,b\n1,#2\n#3,4\n'), { out: '{"#":"1","b":"#2"}\n{"#":"#3","b":"4"}\n' })
  const short = await csv('sep=;\n# once\na;b\n1\n')
  assert.match(short.stderr, /\(stdin\):4: 1 value, the header has 2 columns\n$/)
})

test('--bad-rows: records with too many or too few values', async () => {
  const stdin = 'a,b\n1,2\n\n3,"x\ny",z\n4\n5,6\n'
  expect(await csv(stdin), {
    code: 65,
    out: '{"a":"1","b":"2"}\n',
    err: 'jb-read: (stdin):4: 3 values, the header has 2 columns\n',
  })
  expect(await csv(stdin, '--bad-rows', 'skip'), {
    out: '{"a":"1","b":"2"}\n{"a":"5","b":"6"}\n',
    err: /:4: 3 values, .*\n.*:6: 1 value, .*\njb-read: 4 rows, 2 failed here \(bad_row 2\)\n$/,
  })
  const rows = rowsOf(expect(await csv(stdin, '--bad-rows', 'pass'), { err: /2 failed here \(bad_row 2\)/ }))
  assert.deepEqual(
    rows.map(({ a, jb }) => a ?? [jb.error!.code, jb.raw]),
    ['1', ['bad_row', '3,"x\ny",z'], ['bad_row', '4'], '5'],
  )
})

test('a record of several lines is told with its first, also where blank lines stand before it', async () => {
  for (const [end, args] of [
    ['\n', ['csv']],
    ['\r\n', ['csv', '--bad-rows', 'pass', '--strict']],
  ] as const) {
    const stdin = ['a,b', '"x', 'y",1', '', '"p', 'q', 'r","s', 't",9'].join(end)
    const ran = await jb('read', [...args], { stdin })
    assert.match(ran.stderr, /^jb-read: \(stdin\):5: (bad_row: )?3 values, the header has 2 columns/m)
  }
})

test('a column called jb is refused', async () => {
  const err = 'jb-read: (stdin):1: a column is called "jb", which is reserved: rename it\n'
  expect(await jb('read', ['csv'], { stdin: 'a,jb\n1,2\n' }), { code: 65, out: '', err })
})

test('columns without a name, as spreadsheets write them, are left out where nothing stands in them', async () => {
  expect(await csv('a,,\n1,,\n2,,\n'), { out: '{"a":"1"}\n{"a":"2"}\n', err: '' })
  expect(await csv('a,,\n1,,\n2,,x\n'), {
    code: 65,
    out: '{"a":"1"}\n',
    err: 'jb-read: (stdin):3: "x" is in a column without a name\n',
  })
  expect(await csv(',a\n0,1\n'), { out: '{"":"0","a":"1"}\n' })
})

test('a quotation mark that takes whole lines of TSV into a value is noted', async (t) => {
  const stdin = 'id\tq\n1\t"a\n2\tb\n3\tc"\n'
  const read = expect(await csv(`${stdin}4\t"two\nlines"\n`, '--delimiter', '\\t'), {
    err: 'jb-read: (stdin):2: a quotation mark takes 3 lines, each with a value for every column, into one row (docs/input.md: quotation marks that are text)\n',
  })
  assert.equal(read.stdout.split('\n').length, 3)
  const cwd = folder(t, { 'all.tsv': stdin })
  const quoted = `sed 's/"/""/g; s/[^\\t]*/"&"/g' all.tsv | jb-read csv --delimiter '\\t'`
  assert.equal(expect(await sh(quoted, { cwd }), {}).stdout.split('\n').length, 4)
})

test('records without a value, which Excel writes for emptied rows, are left out with a note', async () => {
  const stdin = 'nr,frage\n1,a\n,\n2,b\n,\n,\n'
  const err = 'jb-read: (stdin): 3 records without a value left out, the first at line 3\n'
  expect(await jb('read', ['csv'], { stdin }), {
    out: '{"nr":"1","frage":"a"}\n{"nr":"2","frage":"b"}\n',
    err,
  })
})
