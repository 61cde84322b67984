/** MT-bench, whole: its recorded judgments read again, its prompts rendered again, and pipes against a local server. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder, judgeFolder, sharedData } from '../helpers/folder.ts'
import { type Asked, judgeServer } from '../helpers/judge_server.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: lines of other people's files
const lines = (path: string): any[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('all 480 recorded scores, read again by the default rule and by FastChat’s', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const recorded = lines(`${data}/vanbujm_gpt-4_single.jsonl`)
  for (const compat of [[], ['--compat', 'mt-bench']]) {
    const ran = await jb('parse', [
      '--judge',
      'mt_bench',
      '--text',
      'judgment',
      ...compat,
      `${data}/vanbujm_gpt-4_single.jsonl`,
    ])
    const rows = rowsOf(ran)
    assert.equal(rows.length, 480)
    assert.deepEqual(
      rows.map((row) => row.jb.verdict!.score),
      recorded.map(({ score }) => score),
    )
  }
})

test('means by model and turn', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const cwd = folder(t)
  const read = `jb-read mt-bench-judgments ${data}/vanbujm_gpt-4_single.jsonl ${data}/question.jsonl`
  const line = `${read} | jb-parse | tee verdicts | jb-aggregate --format json --by model --by turn --by category`
  const ran = await pipe(line, { cwd })
  const { items, valid, by } = JSON.parse(ran.stdout)
  assert.deepEqual([items, valid], [480, 480])
  assert.deepEqual(
    Object.entries(by.model as Record<string, { score: number }>).map(([model, { score }]) => [model, score]),
    [
      ['ultrachat_baseline', 6.39375],
      ['ultrachat_cai', 6.5125],
      ['ultrachat_sai', 6.675],
    ],
  )
  assert.equal(Object.keys(by.category).length, 8)
  const tables = await pipe('jb-aggregate --as mt-bench-results verdicts', { cwd })
  assert.equal(
    tables.stdout,
    `
########## First turn ##########
                          score
model              turn        
ultrachat_sai      1     7.1500
ultrachat_cai      1     7.1000
ultrachat_baseline 1     6.7625

########## Second turn ##########
                         score
model              turn       
ultrachat_sai      2     6.200
ultrachat_baseline 2     6.025
ultrachat_cai      2     5.925

########## Average ##########
                      score
model                      
ultrachat_sai       6.67500
ultrachat_cai       6.51250
ultrachat_baseline  6.39375
`,
  )
})

test('all 480 recorded prompts, byte for byte, from judge_prompts.jsonl', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const recorded = new Map(
    lines(`${data}/vanbujm_gpt-4_single.jsonl`).map((row) => [
      `${row.question_id}:${row.model}:${row.turn}`,
      row,
    ]),
  )
  const items = await jb('read', ['mt-bench', data])
  for (const args of [
    ['mt_bench', '--templates', data],
    [`${data}/judge_prompts.jsonl#single`, '--syntax', 'format'],
  ]) {
    const rows = rowsOf(expect(await jb('render', args, { stdin: items.stdout }), { err: '' }))
    assert.equal(rows.length, 480)
    const same = rows.filter(
      ({ jb }) => jb.request!.messages!.at(-1)!.content === recorded.get(jb.item!)!.user_prompt,
    )
    assert.equal(same.length, 480)
    assert.equal(rows[0]!.jb.request!.messages![0]!.role, 'system')
  }
})

test('the rating extraction’s figures: with fallbacks as its code reads, and as documented', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const cwd = folder(t)
  fine(
    await pipe(
      `jb-read mt-bench-judgments ${data}/vanbujm_gpt-4_single.jsonl ${data}/question.jsonl > replies`,
      { cwd },
    ),
  )
  const parsed = (args: string) =>
    pipe(`jb-parse --judge mt_bench_rating ${args} replies | jb-aggregate --as mt-bench`, { cwd })
  const original = await parsed('--compat mt-bench')
  const report = JSON.parse(original.stdout)
  assert.deepEqual(Object.keys(report).slice(0, 11), [
    'total_questions',
    'average_rating',
    'utility_score',
    'median_rating',
    'std_rating',
    'min_rating',
    'max_rating',
    'ratings_distribution',
    'writing_avg_rating',
    'writing_utility_score',
    'writing_count',
  ])
  assert.deepEqual(
    [
      report.total_questions,
      report.average_rating,
      report.utility_score,
      report.median_rating,
      report.std_rating,
    ],
    [480, 6.4, 0.64, 8, 3.557620927904864],
  )
  assert.deepEqual([report.min_rating, report.max_rating, report.fallback], [1, 10, 9])
  assert.deepEqual(Object.keys(report.ratings_distribution), [
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '10',
  ])
  assert.match(original.stdout, /"median_rating": 8\.0,/)
  // "Rating: [[8.5]]" is a rating, documented as a number: six of the nine are read.
  const documented = JSON.parse((await parsed('')).stdout)
  assert.deepEqual([documented.total_questions, documented.failed, documented.fallback], [480, 3, undefined])
  const asked = JSON.parse((await parsed('--fallback 1')).stdout)
  assert.deepEqual([asked.total_questions, asked.failed, asked.fallback], [480, undefined, 3])
})

test('ratings as documented and as the originals read them', async () => {
  const read = async (judge: string, texts: string[], ...args: string[]) =>
    rowsOf(
      await jb('parse', ['--judge', judge, '--text', 'text', ...args], {
        stdin: ndjson(texts.map((text) => ({ text }))),
      }),
    ).map(({ jb }) => jb.error?.code ?? jb.verdict!.decision ?? jb.verdict!.score)
  // Reply; MT-bench as documented here, FastChat's code; rating extraction as documented, its code.
  const table: [string, unknown, unknown, unknown, unknown][] = [
    ['[[8.5]]', 8.5, 8.5, 'no_verdict', 1],
    ['[[8.]]', 8, 8, 'no_verdict', 1],
    ['[[ 8 ]]', 8, -1, 'no_verdict', 1],
    ['[[8/10]]', 8, -1, 'no_verdict', 1],
    ['[[-1]]', 'out_of_range', -1, 'no_verdict', 1],
    // FastChat's program ends at 08, which is no number of Python's: its row fails, no -1 stands for it.
    ['[[08]]', 8, 'no_verdict', 'no_verdict', 1],
    ['[[08.5]]', 8.5, 8.5, 'no_verdict', 1],
    ['[[00]]', 'out_of_range', 0, 'no_verdict', 1],
    ['so [010]', 'no_verdict', 'no_verdict', 'no_verdict', 1],
    ['Rating: [[08]]', 8, 'no_verdict', 8, 8],
    // So it does at digits of other scripts, which its pattern takes; they are found before others.
    ['see [2]. [[٣]]', 'no_verdict', 'no_verdict', 'no_verdict', 1],
    ['see [1] so [9]', 'no_verdict', 1, 'no_verdict', 1],
    ['[[10]] then [[3]]', 3, 10, 'no_verdict', 1],
    ['Rating: [[7]]', 7, 7, 7, 7],
    ['Rating: [[7]] no, Rating: [[4]]', 4, 7, 4, 4],
    ['Rating: [[8.5]]', 8.5, 8.5, 8.5, 1],
    ['Rating: [[0]]', 'out_of_range', 0, 'out_of_range', 0],
    ['Rating: [[11]]', 'out_of_range', 11, 'out_of_range', 11],
    ['Rating: [[100]]', 'out_of_range', 100, 'out_of_range', 100],
    ['Well.\n\nRating: [[7', 7, -1, 7, 1],
    ['no rating', 'no_verdict', -1, 'no_verdict', 1],
  ]
  const texts = table.map(([text]) => text)
  const column = (index: number) => table.map((line) => line[index])
  assert.deepEqual(await read('mt_bench', texts), column(1))
  assert.deepEqual(await read('mt_bench', texts, '--compat', 'mt-bench'), column(2))
  assert.deepEqual(await read('mt_bench_rating', texts), column(3))
  assert.deepEqual(await read('mt_bench_rating', texts, '--compat', 'mt-bench'), column(4))

  const pairs: [string, unknown, unknown][] = [
    ['I say [[A]]', 'A>B', 'A>B'],
    ['I say [[C]]', 'A=B', 'A=B'],
    ['Not [[A]] but [[B]]', 'B>A', 'A>B'],
    ['neither', 'no_verdict', 'no_verdict'],
  ]
  const words = pairs.map(([text]) => text)
  assert.deepEqual(
    await read('mt_bench_pair', words),
    pairs.map(([, documented]) => documented),
  )
  assert.deepEqual(
    await read('mt_bench_pair', words, '--compat', 'mt-bench'),
    pairs.map(([, , original]) => original),
  )
})

test('what FastChat’s program stops at is one failed row, counted, also with a prompt of the user’s own', async (t) => {
  const place = judgeFolder(t, bench)
  for (const judge of ['mt_bench', `${place}/judge_prompts.jsonl#single`]) {
    const stdin = ndjson([{ text: '[[8]]' }, { text: '[[08]]' }, { text: '[[6]]' }])
    const parsed = await jb('parse', ['--judge', judge, '--text', 'text', '--compat', 'mt-bench'], { stdin })
    assert.match(rowsOf(parsed)[1]!.jb.error!.message, /the original crashes at 08/)
    const [report] = rowsOf(
      await jb('aggregate', ['--format', 'json'], { stdin: parsed.stdout }),
    ) as unknown as Record<string, unknown>[]
    const { score, items, valid, failures } = report!
    assert.deepEqual([score, items, valid, failures], [7, 3, 2, { no_verdict: 1 }])
  }
})

test('FastChat’s -1 is in no mean, and it is counted', async () => {
  const stdin = ndjson([{ text: '[[8]]' }, { text: 'none' }])
  const ran = await pipe(
    'jb-parse --judge mt_bench --text text --compat mt-bench | jb-aggregate --format json',
    { stdin },
  )
  const { score, items, valid, failures } = JSON.parse(ran.stdout)
  assert.deepEqual([score, items, valid, failures], [8, 2, 1, { no_verdict: 1 }])
})

const bench = {
  'question.jsonl': ndjson([
    { question_id: 1, category: 'writing', turns: ['Write.', 'Again.'] },
    { question_id: 2, category: 'math', turns: ['1+1?', '2+2?'] },
    { question_id: 3, category: 'math', turns: ['Only one turn: 3+3?'] },
  ]),
  'model_answer/m1.jsonl': ndjson([1, 2, 3].map((id) => answer('m1', id))),
  'model_answer/m2.jsonl': ndjson([1, 3].map((id) => answer('m2', id))),
  'reference_answer/gpt-4.jsonl': ndjson([answer('gpt-4', 2)]),
  'model_judgment/gpt-4_single.jsonl': ndjson([{ question_id: 1, model: 'm1', judgment: 'x' }]),
  'judge_prompts.jsonl': ndjson([
    {
      name: 's',
      type: 'single',
      system_prompt: 'You {judge}.',
      prompt_template: 'Q {question} A {answer} {{5}}',
      output_format: '[[rating]]',
    },
    {
      name: 'm',
      type: 'single',
      system_prompt: '',
      prompt_template: 'Q {question} A {answer} R {ref_answer_1}',
      output_format: '[[rating]]',
    },
    {
      name: 'p',
      type: 'pairwise',
      system_prompt: '',
      prompt_template: 'Q {question} A {answer_a} B {answer_b}',
      output_format: '[[A]]',
    },
    {
      name: 'p2',
      type: 'pairwise',
      system_prompt: '',
      prompt_template: 'Q {question_1} {question_2} A {answer_a_1} {answer_a_2} B {answer_b_1} {answer_b_2}',
      output_format: '[[A]]',
    },
  ]),
}

function answer(model: string, id: number) {
  return {
    question_id: id,
    model_id: model,
    choices: [{ index: 0, turns: [`${model} ${id} one`, `${model} ${id} two`] }],
  }
}

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

test('a file that holds no judgments: a failed row a line; questions alone: said', async (t) => {
  const place = judgeFolder(t, bench)
  const pairs = ndjson([
    { pair_id: 'p', question: 'q' },
    { judgment: '[[8]]', question_id: 1, model: 'm' },
  ])
  const ran = await jb('read', ['mt-bench-judgments'], {
    stdin: `${pairs}nope\n`,
    env: { JB_BAD_ROWS: 'pass' },
  })
  const [pair, judged, bad] = rowsOf(expect(ran, { err: /missing_field: neither "judgment" nor/ }))
  assert.deepEqual([pair!.pair_id, pair!.jb.error!.code, pair!.jb.reply], ['p', 'missing_field', undefined])
  assert.equal(judged!.jb.reply!.text, '[[8]]')
  assert.deepEqual([bad!.jb.error!.code, bad!.jb.raw], ['bad_row', 'nope'])
  expect(await jb('read', ['mt-bench-judgments', `${place}/question.jsonl`]), {
    code: 65,
    out: '',
    err: /question\.jsonl: questions alone, there is no file of judgments\n$/,
  })
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
  const single = await pipe(`jb-read mt-bench ${place} | jb-render mt_bench`)
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
    await pipe(`jb-read mt-bench --pairs all ${place} | jb-render mt_bench_pair --order both`),
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
  const asked = `jb-read mt-bench ${place} | jb-render mt_bench_rating --limit 2 | jb-call -m judge --base-url ${server.url} --no-cache`
  const plain = rowsOf(await pipe(`${asked} | jb-parse`))
  assert.deepEqual(
    plain.map(({ jb }) => jb.error?.code),
    ['no_verdict', 'no_verdict'],
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
  const verdicts = await pipe(`jb-read mt-bench ${place} | jb-render mt_bench | ${call} | jb-parse`)
  const report = JSON.parse((await jb('aggregate', ['--as', 'mt-bench'], { stdin: verdicts.stdout })).stdout)
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
  const csv = await jb('aggregate', ['--as', 'mt-bench-csv'], { stdin: verdicts.stdout })
  assert.match(
    csv.stdout,
    /^question_id,category,rating,completion,model\r\n1,writing,9,"Good, ""so"" good\.\n\nRating: \[\[9\]\]",m1\r\n1,writing,4,Rating: \[\[4\]\],m2\r\n/,
  )
  const pairs = await pipe(
    `jb-read mt-bench --pairs all ${place} | jb-render mt_bench_pair --order both | ${call} | jb-parse | jb-aggregate --as mt-bench-results`,
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

test('recorded pairwise judgments: games that disagree are a tie, errors are in no table', async (t) => {
  const game = (id: number, g1: string, g2: string) => ({
    question_id: id,
    model_1: 'x',
    model_2: 'y',
    judge: ['gpt-4', 'pair-v2'],
    g1_judgment: g1,
    g2_judgment: g2,
    turn: 1,
  })
  const place = judgeFolder(t, {
    'gpt-4_pair.jsonl': ndjson([
      game(1, '[[A]]', '[[B]]'),
      game(2, '[[A]]', '[[A]]'),
      game(3, '[[C]]', '[[C]]'),
      game(4, '[[B]]', '[[C]]'),
      game(5, '$ERROR$', '[[B]]'),
      game(6, '[[B]]', '[[A]]'),
    ]),
  })
  const ran = await pipe(
    `jb-read mt-bench-judgments ${place}/gpt-4_pair.jsonl | jb-parse | jb-aggregate --as mt-bench-results`,
  )
  assert.equal(
    ran.stdout,
    `       win  loss  tie  win_rate  loss_rate  win_rate_adjusted
model                                                        
x        1     1    3       0.2        0.2                0.5
y        1     1    3       0.2        0.2                0.5
`,
  )
  assert.match(ran.stderr, /1 items failed/)
})

test('recorded judgments of the rating extraction: the turn is in the id, the category in the questions', async (t) => {
  const place = judgeFolder(t, {
    'question.jsonl': ndjson([{ question_id: 81, category: 'writing', turns: ['a', 'b'] }]),
    'judgments.jsonl': ndjson([
      {
        question_id: '81_single_turn',
        model: 'm',
        judge: 'openai/gpt-oss-20b',
        judgment: 'Rating: [[8]]',
        tstamp: 1,
      },
      {
        question_id: '81_conversation',
        model: 'm',
        judge: 'openai/gpt-oss-20b',
        judgment: 'None.',
        tstamp: 2,
      },
    ]),
  })
  const ran = await pipe(
    `jb-read mt-bench-judgments ${place}/judgments.jsonl ${place}/question.jsonl | jb-parse`,
  )
  assert.deepEqual(
    rowsOf(ran).map(({ question_id, turn, category, jb }) => [
      question_id,
      turn,
      category,
      jb.judge,
      jb.reply!.model,
      jb.verdict?.score ?? jb.error!.code,
    ]),
    [
      ['81', 1, 'writing', 'mt_bench_rating', 'openai/gpt-oss-20b', 8],
      ['81', 2, 'writing', 'mt_bench_rating', 'openai/gpt-oss-20b', 'no_verdict'],
    ],
  )
  const asked = await pipe(
    `jb-read mt-bench-judgments ${place}/judgments.jsonl ${place}/question.jsonl | jb-parse --fallback 1 | jb-aggregate --as mt-bench`,
  )
  const { average_rating, fallback, writing_count } = JSON.parse(asked.stdout)
  assert.deepEqual([average_rating, fallback, writing_count], [4.5, 1, 2])
  assert.match(asked.stderr, /1 ratings are fallbacks/)
})

test('recorded judgments as the rating extraction’s code evaluates them: category general, model of the first row', async (t) => {
  const judgment = (id: string, model: string, rating: number) => ({
    question_id: id,
    model,
    judge: 'openai/gpt-oss-20b',
    judgment: `Rating: [[${rating}]]`,
  })
  const place = judgeFolder(t, {
    'question.jsonl': ndjson([
      { question_id: 81, category: 'writing', turns: ['a', 'b'] },
      { question_id: 82, category: 'math', turns: ['a', 'b'] },
    ]),
    'judgments.jsonl': ndjson([
      judgment('81_single_turn', 'm1', 8),
      judgment('81_conversation', 'm2', 5),
      judgment('82_single_turn', 'm2', 2),
    ]),
  })
  const verdicts = (
    await pipe(
      `jb-read mt-bench-judgments ${place}/judgments.jsonl ${place}/question.jsonl | jb-parse --compat mt-bench`,
    )
  ).stdout
  const as = async (...args: string[]) =>
    (await jb('aggregate', ['--as', ...args], { stdin: verdicts })).stdout
  const original = JSON.parse(await as('mt-bench', '--compat', 'mt-bench'))
  assert.deepEqual(Object.keys(original), [
    'total_questions',
    'average_rating',
    'median_rating',
    'std_rating',
    'min_rating',
    'max_rating',
    'ratings_distribution',
    'utility_score',
    'general_avg_rating',
    'general_utility_score',
    'general_count',
  ])
  assert.deepEqual([original.general_avg_rating, original.general_count], [5, 3])
  const documented = JSON.parse(await as('mt-bench'))
  assert.deepEqual([documented.writing_avg_rating, documented.math_avg_rating], [6.5, 2])
  assert.equal(
    await as('mt-bench-csv', '--compat', 'mt-bench'),
    [
      'question_id,category,rating,completion,model',
      '81_single_turn,general,8,Rating: [[8]],m1',
      '81_conversation,general,5,Rating: [[5]],m1',
      '82_single_turn,general,2,Rating: [[2]],m1',
      '',
    ].join('\r\n'),
  )
  assert.match(await as('mt-bench-csv'), /\r\n81,writing,5,Rating: \[\[5\]\],m2\r\n82,math,2,/)
  // What was judged here has its question with it, and keeps its category.
  const judged = ndjson([
    {
      question_id: 81,
      category: 'writing',
      model: 'm2',
      turn: 1,
      question: 'a',
      jb: { judge: 'mt_bench_rating', item: 'x', verdict: { label: '8', score: 8 } },
    },
  ])
  const live = await jb('aggregate', ['--as', 'mt-bench', '--compat', 'mt-bench'], { stdin: judged })
  assert.equal(JSON.parse(live.stdout).writing_count, 1)
})

test('two ratings in one reply: the last pair, and with --compat mt-bench the first, double brackets before single ones', async (t) => {
  const prompt = {
    name: 'pair-scores',
    type: 'pairwise',
    system_prompt: '',
    prompt_template: '{question} {answer_a} {answer_b}',
    output_format: '[[rating_a,rating_b]]',
  }
  const cwd = judgeFolder(t, { 'p.jsonl': ndjson([prompt]) })
  // Reply, the last pair (own reading), FastChat's.
  const cases: [text: string, own: string, original: string][] = [
    ['[[8,3]]', 'A>B', 'A>B'],
    ['[[2,9]], no: [[9, 2]]', 'A>B', 'B>A'],
    ['[1,2] then [[9,8]]', 'A>B', 'A>B'],
    ['[1,2]', 'no_verdict', 'B>A'],
    ['[[7, 7.1]]', 'A=B', 'A=B'],
    // Python's code stops at 08, but not where it comes second.
    ['[[08,9]]', 'B>A', 'no_verdict'],
    ['[[9,8]] or [[08,9]]', 'B>A', 'A>B'],
    ['none', 'no_verdict', 'no_verdict'],
  ]
  const stdin = ndjson(cases.map(([text]) => replied('p.jsonl', text)))
  for (const [column, args] of [
    [1, []],
    [2, ['--compat', 'mt-bench']],
  ] as const) {
    const rows = rowsOf(expect(await jb('parse', ['-q', ...args], { cwd, stdin }), {}))
    assert.deepEqual(
      rows.map(({ jb }) => jb.verdict?.decision ?? jb.error?.code),
      cases.map((one) => one[column]),
    )
  }
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
