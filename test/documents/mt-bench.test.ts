/** MT-bench's rating extraction: the document's five steps in jb, in its order. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { test } from 'node:test'
import { bench } from '../formats/_mt-bench.ts'
import { folder } from '../helpers/folder.ts'
import { type Asked, judgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson, rowOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe, ROOT } from '../helpers/run.ts'

/** The same in jb. */
const IN_JB = [
  'jb-read -q mt-bench data | jb-render -q mt_bench_rating | jb-call -q -m openai/gpt-oss-20b --repair 2 | jb-parse -q | jb-write -q mt-bench --save results/evaluation.json',
  'jb-read -q mt-bench-judgments data/model_judgment/judgments.jsonl data/question.jsonl | jb-parse -q | jb-write -q mt-bench --save results/evaluation.json',
]

/** Keys of the document's JSON, before those of categories. */
const KEYS = [
  ...['total_questions', 'average_rating', 'utility_score', 'median_rating', 'std_rating', 'min_rating'],
  ...['max_rating', 'ratings_distribution'],
]

test('judgments with their evaluation, and the evaluation of a file of judgments: its JSON and its CSV', async (t) => {
  const { url } = await judgeServer(t, (asked) => {
    const text = asked.messages.find(({ role }) => role === 'user')!.content
    if (/^User: Write\.$/m.test(text)) return 'A fine answer.\n\nRating: [[8]]'
    return /^User: 2\+2/m.test(text) ? 'I cannot say.' : 'Short, "right".\nRating: [[7]]'
  })
  const answers = Object.entries(bench).filter(([name]) => !/m2|judgment|prompts/.test(name))
  const cwd = folder(t, Object.fromEntries(answers.map(([name, text]) => [`data/${name}`, text])))
  const env = { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'none' }
  const evaluation = () => {
    const csv = readFileSync(`${cwd}/results/evaluation.csv`, 'utf8')
    return { report: JSON.parse(readFileSync(`${cwd}/results/evaluation.json`, 'utf8')), csv }
  }
  const printed = fine(await pipe(IN_JB[0]!, { cwd, env })).stdout
  const { report, csv } = evaluation()
  assert.deepEqual(JSON.parse(printed), report)
  assert.deepEqual(Object.keys(report), [
    ...KEYS,
    ...['writing', 'math'].flatMap((name) =>
      ['avg_rating', 'utility_score', 'count'].map((key) => `${name}_${key}`),
    ),
    ...['failed', 'fallback'],
  ])
  // Five questions and turns; the third has no reference, and fails.
  const { total_questions, average_rating, utility_score, failed, fallback } = report
  assert.deepEqual([total_questions, failed, fallback], [5, 1, 1])
  assert.deepEqual([average_rating, utility_score], [6, 0.6])
  assert.deepEqual(csv.split('\r\n').slice(0, 4), [
    'question_id,category,rating,completion,model',
    '1,writing,8,"A fine answer.\n\nRating: [[8]]",m1',
    '2,math,7,"Short, ""right"".\nRating: [[7]]",m1',
    '3,math,,,m1',
  ])

  // The document's file of judgments: ids with the turn in them.
  const said = (question_id: string, judgment: string) => ({
    question_id,
    model: 'your-model-name',
    judge: 'openai/gpt-oss-20b',
    judgment,
  })
  const rows = [said('1_single_turn', 'Good.\n\nRating: [[8]]'), said('2_conversation', 'Hm.')]
  mkdirSync(`${cwd}/data/model_judgment`)
  const file = folder(t, { 'judgments.jsonl': ndjson(rows) })
  renameSync(`${file}/judgments.jsonl`, `${cwd}/data/model_judgment/judgments.jsonl`)
  fine(await pipe(IN_JB[1]!, { cwd }))
  const again = evaluation()
  assert.deepEqual(again.report, {
    total_questions: 2,
    average_rating: 4.5,
    utility_score: 0.45,
    median_rating: 4.5,
    std_rating: 3.5,
    min_rating: 1,
    max_rating: 8,
    ratings_distribution: { 1: 1, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 1, 9: 0, 10: 0 },
    writing_avg_rating: 8,
    writing_utility_score: 0.8,
    writing_count: 1,
    math_avg_rating: 1,
    math_utility_score: 0.1,
    math_count: 1,
    fallback: 1,
  })
  assert.equal(
    again.csv,
    'question_id,category,rating,completion,model\r\n1,writing,8,"Good.\n\nRating: [[8]]",your-model-name\r\n2,math,1,Hm.,your-model-name\r\n',
  )
  // A folder; one that cannot be made.
  const stdin = ndjson([
    {
      question_id: 1,
      category: 'c',
      model: 'm',
      jb: { judge: 'mt_bench', item: '1', trial: { n: 0, of: 1 }, verdict: { label: '', score: 3 } },
    },
  ])
  fine(await jb('write', ['mt-bench', '--save', 'out'], { cwd, stdin }))
  assert.match(readFileSync(`${cwd}/out/evaluation.csv`, 'utf8'), /^1,c,3,,m\r$/m)
  expect(await jb('write', ['mt-bench', '--save', 'out/evaluation.csv/x'], { cwd, stdin }), {
    code: 74,
    err: /cannot write out\/evaluation\.csv\/x\/evaluation\.csv: /,
  })
})

test('the second command by the line of docs/from/mt-bench.md: the mean of its code, to the digit', async (t) => {
  const page = readFileSync(`${ROOT}docs/from/mt-bench.md`, 'utf8')
  const line = /metric\.py [^|]*\| `([^`]*)`/.exec(page)![1]!.replaceAll('\\|', '|')
  const questions = Array.from({ length: 80 }, (_, i) => ({
    question_id: 81 + i,
    category: 'math',
    turns: ['a', 'b'],
  }))
  // 129 ratings of 8 and 30 of 9; the last is in a form that the code does not read, and counts 1.
  const rating = (i: number, turn: number) =>
    i === 79 && turn === 2
      ? 'Perfect: [[10]]'
      : `Good.${i % 2 === 0 ? '\n\n' : ' '}Rating: [[${i < 15 ? 9 : 8}]]`
  const judgments = (form: (id: number, turn: number) => object) =>
    questions.flatMap(({ question_id }, i) =>
      [1, 2].map((turn) => ({
        ...form(question_id, turn),
        model: 'm',
        judgment: rating(i, turn),
        tstamp: 0,
      })),
    )
  const report = async (rows: object[], command: string) => {
    const cwd = folder(t, { 'judgments.jsonl': ndjson(rows), 'question.jsonl': ndjson(questions) })
    await pipe(command, { cwd })
    return JSON.parse(readFileSync(`${cwd}/results/evaluation.json`, 'utf8'))
  }
  const extraction = judgments((id, turn) => ({
    question_id: `${id}_${turn === 1 ? 'single_turn' : 'conversation'}`,
    judge: 'j',
  }))
  const fastChat = judgments((id, turn) => ({
    question_id: id,
    judge: ['gpt-4', 'single-v1'],
    turn,
    score: 8,
  }))
  for (const rows of [extraction, fastChat]) {
    const found = await report(rows, line)
    assert.deepEqual(
      [found.total_questions, found.average_rating, found.utility_score, found.median_rating],
      [160, 8.14375, 0.8143750000000001, 8],
    )
    // statistics.pstdev of Python 3.
    assert.ok(Math.abs(found.std_rating - 0.6878124290095374) < 1e-12)
    assert.deepEqual([found.general_avg_rating, found.fallback], [8.14375, 1])
  }
  const own = await report(fastChat, line.replace(/ --judge \S+ --compat \S+/, ''))
  assert.equal(own.average_rating, 8.2)
})

test('judge_prompts.jsonl: its system prompt and its templates', async (t) => {
  const cwd = folder(t, { 'judge_prompts.jsonl': bench['judge_prompts.jsonl'] })
  const stdin = ndjson([{ ...ITEM, question: 'why?' }])
  const { jb: found } = rowOf(
    fine(await jb('render', ['-q', 'mt_bench_rating', '--templates', 'judge_prompts.jsonl'], { cwd, stdin })),
  )
  assert.deepEqual(found.request!.messages, [
    { role: 'system', content: 'You {judge}.' },
    { role: 'user', content: 'Q why? A a {5}' },
  ])
})

const ITEM = { question_id: 81, category: 'writing', question: 'q', answer: 'a', model: 'm' }

/** What the judge's reply comes to, and what was sent. */
async function rated(t: Parameters<typeof judgeServer>[0], say: Parameters<typeof judgeServer>[1]) {
  const { url, asked } = await judgeServer(t, say)
  const line = `jb-render -q mt_bench_rating | jb-call -q -m m --base-url ${url} --repair 2 | jb-parse -q`
  const { verdict, reply, error } = rowOf(fine(await pipe(line, { stdin: ndjson([ITEM]) }))).jb
  return { score: verdict?.score, text: reply!.text, error, asked }
}

test('a judgment without a rating is continued with restricted tokens', async (t) => {
  const { score, text, asked } = await rated(t, ({ messages }) =>
    messages.at(-1)!.role === 'assistant' ? '7' : 'A fine answer.',
  )
  assert.equal(score, 7)
  assert.equal(text, 'A fine answer.\n\nRating: [[7]]')
  const [first, second] = asked
  assert.equal(first!.stop, undefined)
  assert.deepEqual([second!.max_tokens, second!.stop, second!.temperature], [50, [']]', '\n'], 0])
  assert.equal(lastOf(second!), 'A fine answer.\n\nRating: [[')
})

test('a chat server that answers the prefill instead is asked in words', async (t) => {
  const { score, text, asked } = await rated(
    t,
    (_, n) => ['A fine answer.', 'I would say the rating is 7.', 'Rating: [[7]]'][n]!,
  )
  assert.equal(score, 7)
  assert.equal(text, 'A fine answer.\nRating: [[7]]')
  assert.deepEqual(
    asked[2]!.messages.slice(-2).map(({ role, content }) => [role, content]),
    [
      ['assistant', 'A fine answer.'],
      ['user', 'End with your rating, as in "Rating: [[5]]".'],
    ],
  )
  assert.equal(asked[2]!.stop, undefined)
})

test('a question file is known by its content', async (t) => {
  const cwd = folder(t, {
    'q.jsonl': ndjson([{ question_id: 81, category: 'writing', turns: ['a', 'b'] }]),
    'j.jsonl': ndjson([
      {
        question_id: 81,
        model: 'm',
        judge: ['gpt-4', 'single-v1'],
        judgment: 'Rating: [[7]]',
        score: 7,
        turn: 1,
      },
    ]),
  })
  const row = rowOf(fine(await jb('read', ['mt-bench-judgments', 'j.jsonl', 'q.jsonl'], { cwd })))
  assert.equal((row as unknown as { category: string }).category, 'writing')
})

test('judgments are written as FastChat’s tools read them, ratings and pairs, and read again', async (t) => {
  const { url } = await judgeServer(t, (asked: Asked) => {
    const text = lastOf(asked)
    if (/assistant B/i.test(text)) return text.indexOf('m1 1') < text.indexOf('m2 1') ? '[[A]]' : '[[B]]'
    if (text.includes('m2 1 two')) return { status: 400 }
    return text.includes('m1') ? 'Rating: [[7]]' : 'none'
  })
  const cwd = folder(t, bench)
  const env = { JB_BASE_URL: url, OPENAI_API_KEY: 'none', JB_QUIET: '1' }
  const run = async (judge: string, pairs: string, name: string) => {
    const made = `jb-read mt-bench . ${pairs} | jb-render ${judge} | jb-call -m gpt-4 --max-error-rate 1 | jb-parse | jb-write mt-bench-judgments -o ${name}`
    await pipe(made, { cwd, env })
    const lines = readFileSync(`${cwd}/${name}`, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return lines.filter(({ question_id }) => question_id === 1)
  }
  const single = await run('mt_bench', '', 'gpt-4_single.jsonl')
  assert.deepEqual(
    single.map(({ user_prompt, ...rest }) => rest),
    [
      {
        question_id: 1,
        model: 'm1',
        judge: ['gpt-4', 'single-v1'],
        judgment: 'Rating: [[7]]',
        score: 7,
        turn: 1,
      },
      { question_id: 1, model: 'm2', judge: ['gpt-4', 'single-v1'], judgment: 'none', score: -1, turn: 1 },
      {
        question_id: 1,
        model: 'm1',
        judge: ['gpt-4', 'single-v1-multi-turn'],
        judgment: 'Rating: [[7]]',
        score: 7,
        turn: 2,
      },
      {
        question_id: 1,
        model: 'm2',
        judge: ['gpt-4', 'single-v1-multi-turn'],
        judgment: '$ERROR$',
        score: -1,
        turn: 2,
      },
    ],
  )
  assert.match(single[0].user_prompt, /m1 1 one/)
  const [pair] = await run('mt_bench_pair --order both', '--pairs all', 'gpt-4_pair.jsonl')
  const { g1_user_prompt, g2_user_prompt, ...rest } = pair
  assert.deepEqual(rest, {
    question_id: 1,
    model_1: 'm1',
    model_2: 'm2',
    g1_winner: 'model_1',
    g2_winner: 'model_1',
    judge: ['gpt-4', 'pair-v2'],
    g1_judgment: '[[A]]',
    g2_judgment: '[[B]]',
    turn: 1,
  })
  assert.ok(g1_user_prompt.indexOf('m1') < g1_user_prompt.indexOf('m2'))
  assert.ok(g2_user_prompt.indexOf('m1') > g2_user_prompt.indexOf('m2'))
  for (const name of ['single', 'pair']) {
    const again = `jb-read mt-bench-judgments gpt-4_${name}.jsonl question.jsonl | jb-parse | jb-write mt-bench-judgments`
    assert.equal((await pipe(again, { cwd, env })).stdout, readFileSync(`${cwd}/gpt-4_${name}.jsonl`, 'utf8'))
  }
  const one = await pipe(
    'jb-read mt-bench . --pairs all | jb-render mt_bench_pair --limit 1 | jb-call -m baseline:first | jb-parse | jb-write mt-bench-judgments',
    { cwd },
  )
  expect(one, { out: '', err: /1 pairs were judged in one order only and are left out/ })
})
