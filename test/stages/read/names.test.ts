/** jb-read FILE: the format that the file's name says. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { expect, fine, jb } from '../../helpers/run.ts'

test('CSV, TSV and JSON are known by their names; NDJSON needs no jb-read', async (t) => {
  const place = folder(t, {
    'a.csv': 'id,q\n1,x\n',
    'b.TSV': 'id\tq\n2,\ty\n',
    'c.json': '[{"id":3}]',
    'd.jsonl': '{}',
    'e.txt': 'text',
  })
  const at = (name: string) => join(place, name)
  const read = async (...args: string[]) => fine(await jb('read', args)).stdout
  assert.equal(await read(at('a.csv'), at('b.TSV')), '{"id":"1","q":"x"}\n{"id":"2,","q":"y"}\n')
  assert.equal(await read(at('c.json')), '{"id":3}\n')
  expect(await jb('read', [at('d.jsonl')]), {
    code: 2,
    err: /d\.jsonl has rows already: give it to the filter/,
  })
  const several = (error: string) => new RegExp(`read the files of each format in a run of its own: ${error}`)
  expect(await jb('read', [at('a.csv'), at('c.json')]), {
    code: 2,
    err: several('.*a\\.csv is csv, .*c\\.json is json'),
  })
  expect(await jb('read', [at('a.csv'), at('d.jsonl')]), {
    code: 2,
    err: several('.*a\\.csv is csv, .*d\\.jsonl has rows already'),
  })
  expect(await jb('read', [at('a.csv'), at('e.txt')]), {
    code: 2,
    err: several('.*a\\.csv is csv, .*e\\.txt has no known ending'),
  })
  expect(await jb('read', ['nothing.csv']), { code: 66, err: /nothing\.csv: no such file/ })
})

test('a file of an original in NDJSON is known by its first row, and its reader named', async (t) => {
  const place = folder(t, {
    'a.jsonl': '{"pair_id":1,"judge_name":"vanilla","judgments":[]}\n',
    'b.jsonl': '{"question_id":1,"model":"m","judge":["gpt-4","single"],"judgment":"[[8]]"}\n',
    'c.jsonl': '{"doc_id":0,"doc":{},"resps":[[""]],"filtered_resps":[""]}\n',
    'd.jsonl': '{"uid":"x","model":"m","judge":"j","games":[]}\n',
  })
  const named = { a: 'judgebench-outputs', b: 'mt-bench-judgments', c: 'lm-eval', d: 'arena-hard' }
  for (const [file, name] of Object.entries(named))
    expect(await jb('read', [`${place}/${file}.jsonl`]), {
      code: 2,
      err: new RegExp(`${file}\\.jsonl looks like a file of ${name}: jb-read ${name} `),
    })
  const told =
    /\(stdin\) looks like a file of mt-bench-judgments: read it with jb-read mt-bench-judgments first/
  const stdin = '{"question_id":1,"model":"m","judge":["gpt-4","single"],"judgment":"[[8]]"}\n'
  for (const stage of ['parse', 'score', 'aggregate'])
    assert.match((await jb(stage, [], { stdin })).stderr, told)
  assert.doesNotMatch((await jb('parse', ['--text', 'judgment'], { stdin })).stderr, /looks like/)
  const text = await jb('parse', ['--judge', 'vanilla', '--text', 'judgement'], { stdin })
  assert.match(text.stderr, /field "judgement" is missing: did you mean "judgment"\? \(--text reads replies/)
  const report =
    '{"judge":"j","model":"m","items":2,"valid":2,"failures":{},"games":2,"made":{"jb":"0.1.0"}}\n'
  const path = `${folder(t, { 'a.report.json': report })}/a.report.json`
  for (const args of [
    ['aggregate'],
    ['score'],
    ['parse'],
    ['view', '-o', `${place}/page.html`],
    ['view', '--text'],
    ['compare'],
  ])
    expect(await jb(args[0]!, [...args.slice(1), path]), {
      code: 65,
      out: '',
      err: /a\.report\.json is a report of jb-aggregate: give the rows that it was made of, [^\n]*\n(jb-view: [^\n]* is not written\n)?$/,
    })
  assert.equal(existsSync(`${place}/page.html`), false)
  expect(await jb('read', [`${place}/none.jsonl`]), { code: 66, err: /none\.jsonl: no such file/ })
})

test('what is no CSV, no JSON, or of no format is pointed to its reader', async (t) => {
  const place = folder(t, { 'a.txt': 'text\n', 'b.jsonl': '{"id":1,"q":"x"}\n', 'c.csv': 'id,q\n1,x\n' })
  const told = async (args: string[], code: number, err: RegExp) =>
    expect(await jb('read', args), { code, err })
  await told([`${place}/a.txt`], 2, /a\.txt is a file, and its name says no format: .* jb-read csv /)
  await told(['csv', `${place}/b.jsonl`], 65, /b\.jsonl:1: this is JSON, not CSV: read it with jb-read json/)
  await told(
    ['json', `${place}/c.csv`],
    65,
    /not valid JSON after 0 elements: .* \(CSV is read by jb-read csv\)/,
  )
})

test('an option of another format is refused, and so is a delimiter of two characters', async () => {
  const refused = async (args: string[], err: RegExp) =>
    expect(await jb('read', args, { stdin: '[]' }), { code: 2, err })
  await refused(['json', '--delimiter', ';'], /--delimiter: it is for csv, not json/)
  await refused(['csv', '--at', 'rows'], /--at: it is for json, not csv/)
  await refused(['csv', '--delimiter', ';;'], /--delimiter ";;": expected one character/)
  const { code, stderr } = await jb('read', ['json'], { stdin: '[{"id":1}]', env: { JB_DELIMITER: ';' } })
  assert.deepEqual([code, stderr], [0, ''])
  const stdin = 'a😀b\n1😀2\n'
  assert.equal(fine(await jb('read', ['csv', '--delimiter', '😀'], { stdin })).stdout, '{"a":"1","b":"2"}\n')
})

test('an option of other formats is refused, and they are named', async (t) => {
  const place = folder(t, { 'a.csv': 'id\n1\n' })
  for (const [option, formats] of Object.entries({
    '--nuggets=x': 'autojudge',
    '--run=x': 'autojudge',
    '--whole': 'autojudge and inspect',
    '--from=tot': 'trec',
    '--answers=x': 'arena-battles and arena-hard',
  }))
    expect(await jb('read', ['csv', option, `${place}/a.csv`]), {
      code: 2,
      err: `jb-read: ${option.replace(/=.*/, '')}: it is for ${formats}, not csv\n`,
    })
})
