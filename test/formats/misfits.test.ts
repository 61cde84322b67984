/** Values of any depth and type in other people's files: the row fails, with its place, and the next one is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../src/rows/record.ts'
import type { BankFormat } from '../../src/trec/banks/bank.ts'
import { readBank } from '../../src/trec/banks/index.ts'
import { readResponse } from '../../src/trec/responses.ts'
import { jb, shown } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'

/** Deeper than jq reads, and than JSON.stringify can go. */
const DEEP = `${'[{"o":'.repeat(10_000)}0${'}]'.repeat(10_000)}`
/** No text can be made of it. */
const NO_TEXT = '{"toString":1}'

/** Of each format, by the value that does not fit, a line with X in its place. */
const LINES: [format: string, value: string, line: string][] = [
  ['arena-hard', DEEP, '{"model":"m","question_id":1,"baseline":"b","games":[{"score":"A>B"}],"more":X}'],
  ['arena-hard', DEEP, '{"model":"m","question_id":1,"baseline":"b","games":[{"score":X}]}'],
  ['arena-hard', NO_TEXT, '{"model":"m","question_id":X,"baseline":"b","games":[]}'],
  [
    'judgebench-outputs',
    DEEP,
    '{"pair_id":"p","judge_name":"vanilla","judgments":[{"judgment":{"response":"r"}}],"more":X}',
  ],
  [
    'judgebench-outputs',
    '5',
    '{"pair_id":"p","judge_name":"vanilla","judgments":[{"judgment":{"scores":X}}]}',
  ],
  ['mt-bench-judgments', DEEP, '{"question_id":1,"judge":"j","judgment":"[[7]]","more":X}'],
  ['rewardbench-scores', DEEP, '{"subset":"s","scores_chosen":1,"scores_rejected":0,"more":X}'],
  ['lm-eval', DEEP, '{"doc_id":1,"doc":{},"filtered_resps":[X]}'],
  ['llmbar', DEEP, '{"input":"i","output_1":"a","output_2":"b","label":1,"more":X}'],
  ['alpaca_eval', DEEP, '{"instruction":"i","generator_2":"m","preference":1,"more":X}'],
  ['evalassist', DEEP, '{"name":"n","instances":[{"response":"r","metadata":{"more":X}}]}'],
]

test('a value that a format cannot hold fails its row, one that is too deep is no row: with file and line', async () => {
  for (const [format, value, line] of LINES) {
    const ran = await jb('read', [format], {
      stdin: `${line.replace('X', value)}\n${line.replace('X', '[1]')}\n`,
    })
    if (value === DEEP) {
      assert.equal(ran.code, 65, `${format} ${line}: ${shown(ran)}`)
      assert.match(ran.stderr, /^jb-read: \(stdin\)(?::1)?.*nested too deeply: a row may have 100 levels\n$/)
      continue
    }
    assert.equal(ran.code, 0, `${format} ${line}: ${shown(ran)}`)
    const [first, ...others] = objects(ran.stdout)
    assert.equal(first?.jb?.error?.code, 'bad_record', `${format} ${line}`)
    assert.ok(others.length > 0 && others.every((row) => row.jb?.error?.code !== 'bad_record'))
    assert.match(ran.stderr, /^jb-read: \(stdin\):1: bad_record: /)
  }
})

test('a row that lacks what its format needs is written as it stands', async () => {
  const line = '{"id": 1.0, "label": [12345678901234567890]'
  for (const format of ['arena-hard', 'judgebench-outputs', 'mt-bench-judgments']) {
    const ran = await jb('read', [format], { stdin: `${line}}\n` })
    assert.equal(ran.code, 65, shown(ran))
    assert.ok(ran.stdout.startsWith(`${line},"jb":{"error":{"stage":"read","code":"missing_field"`), format)
  }
})

test('a record with a jb.error passes where jb could have written it, and fails where not', async () => {
  const bad = [
    ['"boom"', 'jb.error is "boom", expected an object'],
    ['{"code":5}', 'jb.error.code is 5, expected a string'],
  ] as const
  const sound = '{"stage":"call","code":"timeout","message":"m","retryable":true}'
  const formats: [format: string, value: string, line: string][] = [
    ...LINES,
    ['autojudge', '', '{"metadata":{"run_id":"r","team_id":"t","topic_id":"28"},"responses":[]}'],
  ]
  for (const [format, , line] of formats) {
    const record = (error: string) => `${line.replace('X', '1').slice(0, -1)},"jb":{"error":${error}}}`
    const lines = [...bad.map(([error]) => error), sound].map(record)
    const args = format === 'autojudge' ? ['-', '--topics', 'fixtures/autojudge/topics.jsonl'] : []
    const ran = await jb('read', [format, ...args], { stdin: `${lines.join('\n')}\n` })
    assert.equal(ran.code, 0, `${format}: ${shown(ran)}`)
    const out = ran.stdout.trimEnd().split('\n')
    for (const [i, [, message]] of bad.entries())
      assert.ok(
        out[i]!.includes(
          `"jb":{"error":{"stage":"read","code":"bad_record","message":${JSON.stringify(message)}}}`,
        ),
        `${format}: ${out[i]}`,
      )
    assert.equal(out[2], lines[2], format)
  }
})

test('a leaderboard or a bank with such a value ends with its place, and a response is none', async () => {
  const board = '{"run_id":X,"topic_id":"t","measure":"m","value":1}'
  for (const value of [NO_TEXT, '['.repeat(10_000) + ']'.repeat(10_000)]) {
    const ran = await jb('read', ['jsonl'], { stdin: `${board.replace('X', value)}\n` })
    assert.equal(ran.code, 65, shown(ran))
    assert.match(ran.stderr, /^jb-read: \(stdin\):1: a value is n/)
  }
  const bank = () =>
    readBank(JSON.parse(`{"query_id":1,"nugget_bank":{"q":{"answers":null}}}`), 'b.jsonl:3', misread)
  assert.throws(bank, { message: /^b\.jsonl:3: a value is not of the type/ })
  const response = { metadata: { run_id: 'r', topic_id: 't' }, responses: [], references: 'd' }
  assert.throws(() => readResponse(response, () => ''), { message: '"references" is not a list' })
})

/** Reads a bank as all do: it takes values for what they should be. */
const misread = {
  read: ({ nugget_bank }: JsonObject) => Object.keys((nugget_bank as { q: { answers: object } }).q.answers),
} as unknown as BankFormat

test('a response that is none goes on without a jb of its own, which is nothing that jb-read said', async () => {
  const line = '{"metadata":{"run_id":"r","topic_id":["t"]},"responses":[]'
  const args = ['autojudge', '-', '--topics', 'fixtures/autojudge/topics.jsonl', '--bad-rows', 'pass']
  const ran = await jb('read', args, { stdin: `${line},"jb":{"judge":5,"item":"x"}}\n` })
  assert.equal(ran.code, 0, shown(ran))
  assert.ok(ran.stdout.startsWith(`${line},"jb":{"error":{"stage":"read","code":"bad_row"`), shown(ran))
})
