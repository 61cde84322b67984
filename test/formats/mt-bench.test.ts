/** MT-bench from its folder: questions, answers and references, prompts, and pipes against a local server. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { type Asked, judgeServer } from '../helpers/judge_server.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, jb, pipe } from '../helpers/run.ts'
import { bench } from './_mt-bench.ts'

test('questions, answers and references are joined; what is missing is a failed row', async (t) => {
  const place = judgeFolder(t, bench)
  const rows = rowsOf(await jb('read', ['mt-bench', place]))
  assert.deepEqual(
    rows.map((row) => [row.jb.item, row.jb.error?.message]),
    [
      ['1:m1:1', undefined],
      ['1:m2:1', undefined],
      ['2:m1:1', undefined],
      ['2:m2:1', 'no answer of m2 to question 2, turn 1'],
      ['3:m1:1', 'no reference answer to question 3, which math needs'],
      ['3:m2:1', 'no reference answer to question 3, which math needs'],
      ['1:m1:2', undefined],
      ['1:m2:2', undefined],
      ['2:m1:2', undefined],
      ['2:m2:2', 'no answer of m2 to question 2, turn 2'],
    ],
  )
  const { jb: _, ...item } = rows[2]!
  assert.deepEqual(item, {
    question_id: 2,
    category: 'math',
    model: 'm1',
    turn: 1,
    question: '1+1?',
    answer: 'm1 2 one',
    ref_answer_1: 'gpt-4 2 one',
  })
  const { jb: __, ...second } = rows[8]!
  assert.deepEqual(second, {
    question_id: 2,
    category: 'math',
    model: 'm1',
    turn: 2,
    question_1: '1+1?',
    question_2: '2+2?',
    answer_1: 'm1 2 one',
    answer_2: 'm1 2 two',
    ref_answer_1: 'gpt-4 2 one',
    ref_answer_2: 'gpt-4 2 two',
  })
  const pairs = rowsOf(await jb('read', ['mt-bench', '--pairs', 'all', place]))
  assert.deepEqual([pairs.length, pairs[0]!.answer_a, pairs[0]!.answer_b], [5, 'm1 1 one', 'm2 1 one'])
  const against = rowsOf(await jb('read', ['mt-bench', '--pairs', 'm1', place]))
  assert.deepEqual([against[0]!.model_1, against[0]!.model_2], ['m2', 'm1'])
  expect(await jb('read', ['mt-bench', '--pairs', 'm3', place]), {
    code: 2,
    err: /no answers of that model \(there are: m1, m2\)/,
  })
})

test('a folder without questions, or without answers, is bad data', async (t) => {
  const { 'question.jsonl': questions, 'model_answer/m1.jsonl': answers } = bench
  for (const [files, err] of [
    [{ 'answers.jsonl': answers }, /no questions found/],
    [{ 'question.jsonl': questions }, /no models' answers found/],
  ] as const)
    expect(await jb('read', ['mt-bench', judgeFolder(t, files)]), { code: 65, out: '', err })
})

test('--bad-rows: lines of the files that are no objects', async (t) => {
  const place = judgeFolder(t, { ...bench, 'model_answer/m2.jsonl': 'null\nnope\n' })
  const bad = `${place}/model_answer/m2.jsonl`
  expect(await jb('read', ['mt-bench', place]), {
    code: 65,
    out: '',
    err: new RegExp(`${bad}:1: a row must`),
  })
  const skipped = await jb('read', ['mt-bench', '--bad-rows', 'skip', place])
  assert.equal(rowsOf(expect(skipped, { err: /bad_row 2/ })).length, 5)
  const passed = rowsOf(await jb('read', ['mt-bench', '--bad-rows', 'pass', place]))
  assert.deepEqual(
    passed.slice(0, 2).map(({ jb }) => [jb.error!.code, jb.raw]),
    [
      ['bad_row', 'null'],
      ['bad_row', 'nope'],
    ],
  )
  assert.equal(passed.length, 7)
})

test('files are read as rows are: a BOM is accepted, a byte that is not UTF-8 is a bad row', async (t) => {
  const bom = judgeFolder(t, { ...bench, 'question.jsonl': `\ufeff${bench['question.jsonl']}` })
  assert.equal(rowsOf(expect(await jb('read', ['mt-bench', bom]), {})).length, 10)
  const place = judgeFolder(t, bench)
  writeFileSync(
    `${place}/model_answer/m2.jsonl`,
    Buffer.from('{"question_id":1,"choices":[{"turns":["\xff"]}]}\n', 'latin1'),
  )
  expect(await jb('read', ['mt-bench', place]), { code: 65, out: '', err: /m2\.jsonl:1: not valid UTF-8/ })
})

test('a user’s judge_prompts.jsonl: the prompt that asks for most of what the item has', async (t) => {
  const place = judgeFolder(t, bench)
  const prompts = `${place}/judge_prompts.jsonl`
  const ask = async (judge: string, args: string[], item: object) =>
    rowsOf(await jb('render', [judge, ...args], { stdin: ndjson([item]) })).map(
      ({ jb }) => jb.request?.messages ?? jb.error,
    )
  const one = { question: 'q', answer: 'a' }
  assert.deepEqual(await ask(`${prompts}#single`, [], one), [
    [
      { role: 'system', content: 'You {judge}.' },
      { role: 'user', content: 'Q q A a {5}' },
    ],
  ])
  assert.match(
    JSON.stringify(await ask(`${prompts}#single`, [], { ...one, ref_answer_1: 'r' })),
    /Q q A a R r/,
  )
  assert.match(JSON.stringify(await ask(`${prompts}#s`, [], { ...one, ref_answer_1: 'r' })), /Q q A a \{5\}/)
  const two = {
    question_1: 'q1',
    question_2: 'q2',
    answer_a_1: 'a1',
    answer_a_2: 'a2',
    answer_b_1: 'b1',
    answer_b_2: 'b2',
  }
  assert.match(
    JSON.stringify(await ask(`${prompts}#pairwise`, ['--order', 'both'], two)),
    /A a1 a2 B b1 b2.*A b1 b2 B a1 a2/,
  )
  assert.match(
    JSON.stringify(await ask(`${prompts}#pairwise`, [], { question: 'q' })),
    /missing_field.*\bp: (?=[^)]*question)(?=[^)]*answer_a)[^)]*answer_b/,
  )
  expect(await jb('render', [prompts], { stdin: '' }), {
    code: 78,
    err: /several types: name one, as in .*#single or .*#pairwise/,
  })
  expect(await jb('render', [`${prompts}#singel`], { stdin: '' }), { code: 78, err: /did you mean single\?/ })
})

test('the own-worded judges show what each pass needs, and turn pairs whole', async (t) => {
  const place = judgeFolder(t, bench)
  const single = await pipe(`jb-read mt-bench '${place}' | jb-render mt_bench`)
  const prompts = new Map(
    rowsOf(single).map(({ jb }) => [jb.item, jb.request?.messages?.at(-1)?.content ?? '']),
  )
  const has = (id: string, ...words: string[]) => {
    for (const word of words) assert.ok(prompts.get(id)!.includes(word), `${id}: ${word}\n${prompts.get(id)}`)
  }
  has('1:m1:1', 'Write.', 'm1 1 one')
  has('2:m1:1', '1+1?', 'm1 2 one', 'gpt-4 2 one')
  has('1:m1:2', 'Write.', 'Again.', 'm1 1 one', 'm1 1 two')
  has('2:m1:2', '2+2?', 'm1 2 two', 'gpt-4 2 two')
  assert.ok(!/eference/.test(prompts.get('1:m1:1')!) && !/eference/.test(prompts.get('1:m1:2')!))
  const pairs = rowsOf(
    await pipe(`jb-read mt-bench --pairs all '${place}' | jb-render mt_bench_pair --order both`),
  )
  const shown = pairs
    .filter(({ jb }) => jb.item === '1:m1:m2:2')
    .map(({ jb }) => [jb.trial!.order, jb.request!.messages!.at(-1)!.content.match(/m\d 1 two/g)])
  assert.deepEqual(shown, [
    ['AB', ['m1 1 two', 'm2 1 two']],
    ['BA', ['m2 1 two', 'm1 1 two']],
  ])
})

test('a reply without a rating is continued; the continuation was cut at "]]"', async (t) => {
  const place = judgeFolder(t, bench)
  const goesOn = (asked: Asked) => asked.messages.at(-1)!.role === 'assistant'
  const server = await judgeServer(t, (asked) =>
    goesOn(asked) ? { text: '7', finish_reason: 'stop' } : 'The answer is good, I find.',
  )
  const asked = `jb-read mt-bench '${place}' | jb-render mt_bench_rating --limit 2 | jb-call -m judge --base-url ${server.url} --no-cache`
  const plain = rowsOf(await pipe(`${asked} | jb-parse`))
  assert.deepEqual(
    plain.map(({ jb }) => [jb.verdict!.score, jb.verdict!.failure]),
    [
      [1, 'no_verdict'],
      [1, 'no_verdict'],
    ],
  )
  const before = server.asked.length
  const repaired = rowsOf(await pipe(`${asked} --repair 1 | jb-parse`))
  assert.deepEqual(
    repaired.map(({ jb }) => jb.verdict?.score),
    [7, 7],
  )
  assert.equal(repaired[0]!.jb.reply!.text, 'The answer is good, I find.\n\nRating: [[7]]')
  const [continued] = server.asked.slice(before).filter(goesOn)
  assert.deepEqual(
    [continued!.stop, continued!.messages.at(-1)!.content],
    [[']]', '\n'], 'The answer is good, I find.\n\nRating: [['],
  )
})

test('from the folder to every report: ratings, csv, pairs', async (t) => {
  const place = judgeFolder(t, bench)
  const server = await judgeServer(t, (asked) => {
    const content = asked.messages.at(-1)!.content
    if (/Answer of assistant A|Conversation with assistant A/.test(content))
      return content.indexOf('m1') < content.indexOf('m2') ? 'It is "[[A]]".' : 'It is "[[B]]".'
    return content.includes('m1 1') ? 'Good, "so" good.\n\nRating: [[9]]' : 'Rating: [[4]]'
  })
  const call = `jb-call -m org/judge --base-url ${server.url} --no-cache`
  const verdicts = await pipe(`jb-read mt-bench '${place}' | jb-render mt_bench | ${call} | jb-parse`)
  const report = JSON.parse((await jb('write', ['mt-bench'], { stdin: verdicts.stdout })).stdout)
  assert.deepEqual(
    [
      report.total_questions,
      report.average_rating,
      report.writing_avg_rating,
      report.math_avg_rating,
      report.failed,
    ],
    [10, 34 / 6, 6.5, 4, 4],
  )
  const csv = await jb('write', ['mt-bench-csv'], { stdin: verdicts.stdout })
  assert.match(
    csv.stdout,
    /^question_id,category,rating,completion,model\r\n1,writing,9,"Good, ""so"" good\.\n\nRating: \[\[9\]\]",m1\r\n1,writing,4,Rating: \[\[4\]\],m2\r\n/,
  )
  const pairs = await pipe(
    `jb-read mt-bench --pairs all '${place}' | jb-render mt_bench_pair --order both | ${call} | jb-parse | jb-write mt-bench-results`,
  )
  assert.equal(
    pairs.stdout,
    `       win  loss  tie  win_rate  loss_rate  win_rate_adjusted
model                                                        
m1       2     0    0       1.0        0.0                1.0
m2       0     2    0       0.0        1.0                0.0
`,
  )
})

test('a reference that is null is none: by judge, by judge_prompts.jsonl, by --templates', async (t) => {
  const prompts = [
    ['single', '{question} {answer}'],
    ['single', '{question} {answer} REFERENCE {ref_answer_1}'],
    ['pairwise', '{question} {answer_a} {answer_b}'],
    ['pairwise', '{question} {answer_a} {answer_b} REFERENCE {ref_answer_1}'],
  ].map(([type, prompt_template], i) => ({ name: `p${i}`, type, system_prompt: '', prompt_template }))
  const cwd = judgeFolder(t, { 'judge_prompts.jsonl': ndjson(prompts) })
  const single = { question: 'Q', answer: 'a', answer_a: 'a', answer_b: 'b' }
  const turns = { question_1: 'Q', answer_1: 'a', question_2: 'R', answer_2: 'b' }
  const pairs = { answer_a_1: 'a', answer_b_1: 'b', answer_a_2: 'a', answer_b_2: 'b' }
  const asked = async (args: string[], item: object) =>
    rowsOf(expect(await jb('render', args, { cwd, stdin: ndjson([item]) }), { err: '' }))[0]!.jb.request
  const judges = ['mt_bench', 'mt_bench_pair', 'mt_bench_rating']
  const files = ['mt_bench', 'mt_bench_pair'].map((judge) => [judge, '--templates', cwd])
  for (const args of [...judges.map((judge) => [judge]), ...files, ['judge_prompts.jsonl#single']]) {
    const none = await asked(args, single)
    assert.deepEqual(await asked(args, { ...single, ref_answer_1: null }), none, args.join(' '))
    assert.match(JSON.stringify(await asked(args, { ...single, ref_answer_1: 'known' })), /known/)
  }
  for (const judge of judges) {
    const item = { ...turns, ...pairs }
    const none = await asked([judge], item)
    assert.deepEqual(await asked([judge], { ...item, ref_answer_1: null, ref_answer_2: null }), none, judge)
    const first = await asked([judge], { ...item, ref_answer_1: 'known', ref_answer_2: null })
    assert.match(JSON.stringify(first), /known/)
    assert.doesNotMatch(JSON.stringify(first), /None/)
  }
})
