/** Files of recorded MT-bench judgments, single and pairwise, and the reports on them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, jb, pipe } from '../helpers/run.ts'
import { bench } from './_mt-bench.ts'

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
    `jb-read mt-bench-judgments '${place}/gpt-4_pair.jsonl' | jb-parse | jb-write mt-bench-results`,
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
    `jb-read mt-bench-judgments '${place}/judgments.jsonl' '${place}/question.jsonl' | jb-parse`,
  )
  assert.deepEqual(
    rowsOf(ran).map(({ question_id, turn, category, jb }) => [
      question_id,
      turn,
      category,
      jb.judge,
      jb.reply!.model,
      jb.verdict?.score,
    ]),
    [
      ['81', 1, 'writing', 'mt_bench_rating', 'openai/gpt-oss-20b', 8],
      ['81', 2, 'writing', 'mt_bench_rating', 'openai/gpt-oss-20b', 1],
    ],
  )
  const asked = await pipe(
    `jb-read mt-bench-judgments '${place}/judgments.jsonl' '${place}/question.jsonl' | jb-parse | jb-write mt-bench`,
  )
  const { average_rating, fallback, writing_count } = JSON.parse(asked.stdout)
  assert.deepEqual([average_rating, fallback, writing_count], [4.5, 1, 2])
  assert.match(asked.stderr, /1 ratings are fallbacks/)
})

test('a question that was judged twice: a conflict; --compat mt-bench counts both judgments, as FastChat does', async () => {
  const rating = (id: number, score: number) => ({
    ...{ question_id: id, model: 'm', judge: ['gpt-4', 'single-v1'], turn: 1 },
    judgment: `Rating: [[${score}]]`,
  })
  const pair = (winner: string) => ({
    ...{ question_id: 1, model_1: 'x', model_2: 'y', judge: ['gpt-4', 'pair-v2'], turn: 1 },
    ...{ g1_judgment: winner, g2_judgment: { '[[A]]': '[[B]]', '[[B]]': '[[A]]' }[winner] ?? winner },
  })
  const table = async (stdin: string, compat = '') =>
    (
      await pipe(`jb-read mt-bench-judgments | jb-parse ${compat} | jb-write mt-bench-results ${compat}`, {
        stdin,
      })
    ).stdout.replace(/ +/g, ' ')
  const ratings = ndjson([rating(81, 8), rating(81, 6), rating(82, 4), rating(82, 4), rating(83, 10)])
  assert.match(await table(ratings), /\nm 1 7\.0\n/)
  assert.match(await table(ratings, '--compat mt-bench'), /\nm 1 6\.4\n/)
  const pairs = ndjson([pair('[[A]]'), pair('[[B]]'), pair('[[A]]')])
  assert.match(await table(pairs, '--compat mt-bench'), /\nx 2 1 0 /)
  // 1/128 = 0.0078125: Python rounds ties to an even digit.
  const many = ndjson([pair('[[A]]'), ...Array.from({ length: 127 }, () => pair('[[C]]'))])
  assert.match(await table(many, '--compat mt-bench'), /\nx 1 0 127 0\.007812 /)
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
      `jb-read mt-bench-judgments '${place}/judgments.jsonl' '${place}/question.jsonl' | jb-parse --compat mt-bench`,
    )
  ).stdout
  const as = async (...args: string[]) => (await jb('write', [...args], { stdin: verdicts })).stdout
  const original = JSON.parse(await as('mt-bench'))
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
  const documented = JSON.parse(await as('mt-bench', '--compat', 'none'))
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
  assert.match(
    await as('mt-bench-csv', '--compat', 'none'),
    /\r\n81,writing,5,Rating: \[\[5\]\],m2\r\n82,math,2,/,
  )
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
  const live = await jb('write', ['mt-bench', '--compat', 'mt-bench'], { stdin: judged })
  assert.equal(JSON.parse(live.stdout).writing_count, 1)
})
