/** What a reader makes of ids beyond 2^53, of rows without an id, and of files that were cut or fetched wrongly. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { withExactIntegers } from '../../src/rows/exact_json.ts'
import { folder } from '../helpers/folder.ts'
import { expect, fine, jb, shown } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'

test('integers beyond 2^53 become texts, all else stays', () => {
  for (const [given, made] of [
    [
      '{"id":9007199254740993,"b":[-12345678901234567890]}',
      '{"id":"9007199254740993","b":["-12345678901234567890"]}',
    ],
    ['{"a":[1e400,1e308,-1E+999,"1e400"]}', '{"a":["1e400",1e308,"-1E+999","1e400"]}'],
    ['{"a":"9007199254740993 \\" 9007199254740993","9007199254740993":1}', undefined],
    ['[0.1234567890123456789, 1234567890123456789.5, 12345678901234567890e2, 9007199254740991]', undefined],
  ])
    assert.equal(withExactIntegers(given!), made ?? given)
})

/** A row of each format that makes other rows, with X for the id. */
const LINES: Record<string, string> = {
  'arena-hard': '{"question_id":X,"model":"m","judge":"j","games":[{"score":"A>B"},{"score":"B>A"}]}',
  'judgebench-outputs': '{"pair_id":X,"judge_name":"vanilla","judgments":[{"judgment":{"response":"r"}}]}',
  'mt-bench-judgments': '{"question_id":X,"judge":["j","single-v1"],"judgment":"[[8]]"}',
  'rewardbench-scores': '{"id":X,"subset":"s","scores_chosen":1,"scores_rejected":0}',
  jsonl: '{"run_id":"r","topic_id":X,"measure":"M","value":1}',
}

test('ids that JavaScript would round to one stay two', async (t) => {
  for (const [format, line] of Object.entries(LINES)) {
    const ids = ['9007199254740992', '9007199254740993']
    const stdin = ids.map((id) => `${line.replace('X', id)}\n`).join('')
    const ran = fine(await jb('read', [format], { stdin }))
    for (const id of ids) assert.ok(ran.stdout.includes(`"${id}`), `${format}: ${shown(ran)}`)
  }
  const response = (id: string) =>
    `{"metadata":{"run_id":"r","team_id":"t","narrative_id":${id}},"answer":[]}\n`
  const topics = `{"narrative_id":9007199254740993,"title":"x"}\n{"narrative_id":9007199254740992,"title":"y"}\n`
  const at = `${folder(t, { 'topics.jsonl': topics })}/topics.jsonl`
  const ran = fine(
    await jb('read', ['autojudge', '-', '--topics', at], {
      stdin: response('9007199254740993') + response('9007199254740992'),
    }),
  )
  assert.deepEqual(
    objects(ran.stdout).map(({ topic_id, title }) => [topic_id, title]),
    [
      ['9007199254740993', 'x'],
      ['9007199254740992', 'y'],
    ],
  )
})

test('rows without an id are not taken for one item', async () => {
  for (const format of ['arena-hard', 'judgebench-outputs', 'mt-bench-judgments'])
    for (const line of [LINES[format]!.replace('X', 'null'), LINES[format]!.replace(/"\w+":X,/, '')]) {
      const ran = await jb('read', [format], { stdin: `${line}\n${line}\n` })
      const codes = objects(ran.stdout).map(({ jb }) => jb?.error?.code)
      assert.deepEqual(codes, ['missing_field', 'missing_field'], `${format}: ${shown(ran)}`)
    }
  const columns = '{"subset":["s","s"],"scores_chosen":[1,2],"scores_rejected":[0,0]}'
  const row = '{"subset":"s","scores_chosen":1,"scores_rejected":0}'
  for (const stdin of [columns, `[${row},${row}]`]) {
    const rows = objects(fine(await jb('read', ['rewardbench-scores'], { stdin })).stdout)
    assert.deepEqual(
      rows.map(({ jb }) => jb!.item),
      ['s:0', 's:1'],
    )
  }
  const uneven = await jb('read', ['rewardbench-scores'], { stdin: columns.replace('[0,0]', '[0]') })
  expect(uneven, {
    code: 65,
    out: '',
    err: /columns of different lengths: "subset" has 2 values, "scores_rejected" 1/,
  })
})

test('what is no text of the format is told by what it is', async (t) => {
  const utf16 = Buffer.from('id,q\n1,x\n', 'utf16le')
  const lfs = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'
  const page = '<!DOCTYPE html><html><body>404 Not Found</body></html>\n'
  for (const format of ['csv', 'json', 'qrels', 'ir_measures', 'lm-eval'])
    for (const [stdin, err] of [
      [utf16, /the input is UTF-16/],
      [lfs, /the input is a Git LFS pointer, .*git lfs pull/],
      [page, /the input is a web page/],
      [gzipSync('a'), /the input is gzip-compressed/],
    ] as const)
      expect(await jb('read', [format], { stdin }), { code: 65, out: '', err })
  const cases: [format: string, stdin: string, code: number, err: RegExp | string][] = [
    ['qrels', '[{"a":1}]\n', 65, /:1: 1 columns, a qrels row has 4\n/],
    ['qrels', 't 0 d 0.9\n', 0, /:1: the grade 0\.9 is cut to 0\n/],
    ['ir_measures', 'r t M Infinity\n', 0, /:1: M is Infinity: written as null/],
    ['json', '[{"a":NaN}]', 65, /JSON has no NaN or Infinity/],
    ['json', "[{'a':1}]", 65, /Python's notation is not JSON/],
    ['csv', ' \n\t\n', 65, /:1: the header line names no column/],
    ['csv', '\ufeff\ufeffid\n1\n', 0, ''],
  ]
  for (const [format, stdin, code, err] of cases) expect(await jb('read', [format], { stdin }), { code, err })
  // Standard input is not opened a second time.
  fine(await jb('read', ['nuggets'], { stdin: '{"query":"q","qid":"t","nuggets":[{"text":"n"}]}' }))
  const place = folder(t, { 'plain.json.gz': '{}', 'topics.csv': 'id,title\n1,x\n', 'sub/x.txt': '' })
  for (const [args, code, err] of [
    [
      ['nuggets', 'plain.json.gz'],
      65,
      /plain\.json\.gz: this is not a gzip file, though its name ends in \.gz/,
    ],
    [['nuggets', 'sub'], 66, /sub: no \.json or \.jsonl file in this folder/],
    [['parquet', 'sub'], 66, /sub: is a directory/],
    [['sub'], 2, /sub is a folder: the format comes first/],
    [['autojudge', '--topics', 'topics.csv'], 65, /topics\.csv:1: .* looks like CSV/],
  ] as const)
    expect(await jb('read', [...args], { cwd: place }), { code, out: '', err })
  // A carriage return alone ends a line.
  const lines = (await jb('read', ['qrels'], { stdin: 't 0 d 1\rt 0 e 0\r' })).stdout
  assert.equal(objects(lines).length, 2)
  const cwd = folder(t, {
    'question.jsonl': '{"question_id":1,"category":"c","turns":["a"]}\n{"id":2,"turns":["b"]}\n',
    'model_answer/m.jsonl': '{"question_id":1,"choices":[{"turns":["x"]}]}\n',
  })
  expect(await jb('read', ['mt-bench', cwd]), { code: 65, err: /question\.jsonl:2: no "question_id"\n/ })
})
