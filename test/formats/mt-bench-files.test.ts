/** MT-bench's files as FastChat leaves them: empty answers, answers given again, several benches, judgments that failed, tables of one turn. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { game, ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

const QUESTIONS = ndjson([{ question_id: 1, category: 'writing', turns: ['Write.', 'Again.'] }])
const answer = (words: string[], more: object = {}) => ({
  question_id: 1,
  model_id: 'm',
  choices: [{ index: 0, turns: words }],
  ...more,
})

test('an empty answer is an answer, and is judged', async (t) => {
  const place = folder(t, {
    'question.jsonl': QUESTIONS,
    'model_answer/m.jsonl': ndjson([answer(['', ''])]),
    'model_answer/n.jsonl': ndjson([answer(['n', ''], { model_id: 'n' })]),
  })
  for (const [args, judge, items, empty] of [
    ['', 'mt_bench', 4, 'jb-render: empty texts: answer in 1 of 4 items, answer_2 in 2 of 4 items\n'],
    ['--pairs all', 'mt_bench_pair', 2, 'jb-render: empty texts: answer_a in 1 of 2 items\n'],
  ] as const) {
    const ran = await pipe(`jb-read mt-bench ${args} '${place}' | jb-render ${judge} --order ab`)
    expect(ran, { code: 0, err: empty })
    const rows = rowsOf(ran)
    assert.deepEqual(
      rows.map(({ jb }) => [jb.error, typeof jb.request?.messages]),
      Array.from({ length: items }, () => [undefined, 'object']),
    )
    assert.equal(rows[0]![judge === 'mt_bench' ? 'answer' : 'answer_a'], '')
  }
})

test('of several answers of a model to a question the newest counts, where nothing says when the last', async (t) => {
  const shown = async (...answers: object[]) => {
    const place = folder(t, { 'question.jsonl': QUESTIONS, 'model_answer/m.jsonl': ndjson(answers) })
    return rowsOf(fine(await jb('read', ['mt-bench', place])))[0]!.answer
  }
  const [early, late] = [answer(['early', ''], { tstamp: 1 }), answer(['late', ''], { tstamp: 2 })]
  assert.deepEqual([await shown(early, late), await shown(late, early)], ['late', 'late'])
  assert.equal(await shown(answer(['one', '']), answer(['two', ''])), 'two')
})

test('two files with answers of one model to a question are refused, a model in two files is not', async (t) => {
  const read = (...second: string[]) => {
    const files = {
      'model_answer/a.jsonl': ndjson([answer(['one', ''])]),
      'reference_answer/m.jsonl': ndjson([answer(['r', ''])]),
    }
    const b = second.map((id) => ({ ...answer(['two', '']), question_id: Number(id) }))
    return jb('read', [
      'mt-bench',
      folder(t, { 'question.jsonl': QUESTIONS, ...files, 'model_answer/b.jsonl': ndjson(b) }),
    ])
  }
  expect(await read('2', '1'), {
    code: 65,
    out: '',
    err: /a\.jsonl and .*b\.jsonl both have an answer of m to question 1: name the files you want\n$/,
  })
  assert.equal(rowsOf(fine(await read('2')))[0]!.answer, 'one')
})

test('a folder of several benches is refused: they are named', async (t) => {
  const bench = (name: string) => ({
    [`${name}/question.jsonl`]: QUESTIONS,
    [`${name}/model_answer/m.jsonl`]: ndjson([answer([name, ''])]),
  })
  const place = folder(t, { ...bench('mt_bench'), ...bench('vicuna_bench') })
  expect(await jb('read', ['mt-bench', place]), {
    code: 65,
    out: '',
    err: /several benches \(mt_bench, vicuna_bench\): name one, as .*mt_bench\n$/,
  })
  const [row] = rowsOf(fine(await jb('read', ['mt-bench', `${place}/vicuna_bench`])))
  assert.equal(row!.answer, 'vicuna_bench')
})

const judged = (question_id: number, judgment: string, more: object = {}) => ({
  question_id,
  model: 'm',
  judge: ['gpt-4', 'single-v1'],
  user_prompt: 'p',
  judgment,
  turn: 1,
  ...more,
})

/** What show_result's tables hold of recorded judgments, and what was said beside them. */
const tables = (rows: object[], compat = '') =>
  pipe(`jb-read mt-bench-judgments | jb-parse -q ${compat} | jb-write mt-bench-results -q ${compat}`, {
    stdin: ndjson(rows),
  })

const EMPTY = 'Empty DataFrame\nColumns: [score]\nIndex: []\n'
const FIRST = '\n########## First turn ##########\n'
const SECOND = '\n########## Second turn ##########\n'
const AVERAGE = '\n########## Average ##########\n'

test('$ERROR$ is a judge that could not be asked: failed, and in no mean', async () => {
  const stdin = ndjson([judged(1, '[[8]]'), judged(2, '$ERROR$', { score: -1 })])
  for (const compat of ['', '--compat mt-bench']) {
    const ran = await pipe(`jb-read mt-bench-judgments | jb-parse -q ${compat} | jb-aggregate`, { stdin })
    const { items, valid, failures, score } = JSON.parse(expect(ran, { err: /recorded as \$ERROR\$/ }).stdout)
    assert.deepEqual([items, valid, failures, score], [2, 1, { unavailable: 1 }, 8])
  }
})

test('tables of one turn have the columns of both, and show_result’s other tables under compat', async () => {
  const first = `${FIRST}            score\nmodel turn       \nm     1       8.0\n`
  const rows = [judged(1, '[[8]]')]
  assert.equal(fine(await tables(rows)).stdout, first)
  assert.equal(
    fine(await tables(rows, '--compat mt-bench')).stdout,
    `${first}${SECOND}${EMPTY}${AVERAGE}       score\nmodel       \nm        8.0\n`,
  )
})

test('a file of which all failed: nothing was measured; under compat the empty tables of show_result', async () => {
  const rows = [judged(1, '$ERROR$'), judged(2, 'none')]
  expect(await tables(rows), { code: 1, out: '', err: /nothing was measured: none of 2 has a verdict/ })
  expect(await tables(rows, '--compat mt-bench'), {
    code: 1,
    out: `${FIRST}${EMPTY}${SECOND}${EMPTY}${AVERAGE}${EMPTY}`,
    err: /nothing was measured/,
  })
})

const played = (model_1: string, model_2: string, first: string, second: string) => ({
  question_id: 1,
  model_1,
  model_2,
  judge: ['gpt-4', 'pair-v2'],
  g1_judgment: first,
  g2_judgment: second,
  turn: 1,
})

test('a file of pairs of which all failed: show_result prints no table', async () => {
  const rows = [played('m', 'n', '$ERROR$', '[[A]]'), { ...played('m', 'n', '[[A]]', 'none'), turn: 2 }]
  for (const compat of ['', '--compat mt-bench'])
    expect(await tables(rows, compat), { code: 1, out: '', err: /nothing was measured/ })
})

test('models with equal means are in the order of their names, which are padded and escaped as pandas does', async () => {
  const rows = ['z', 'é😀', 'a\tb'].map((model) => judged(1, '[[8]]', { model }))
  const scored = [
    '            score',
    'model turn       ',
    'a\\tb  1       8.0',
    'z     1       8.0',
    'é😀    1       8.0',
  ]
  assert.equal(fine(await tables(rows)).stdout, `${FIRST}${scored.join('\n')}\n`)
  const pairs = [played('n', 'm', '[[C]]', '[[C]]')]
  assert.match(fine(await tables(pairs)).stdout, /\nm .*\nn /)
})

test('ratings below a millionth, and long ones from a million on, are in exponents, as pandas prints them', async () => {
  for (const [rating, shown] of [
    ['1000001', '1000001.0'],
    ['1000001.333333', '1.000001e+06'],
    ['0.0000001', '1.000000e-07'],
  ])
    assert.match(
      fine(await tables([judged(1, `[[${rating}]]`)], '--compat mt-bench')).stdout,
      new RegExp(`First turn #+\n *score\nmodel turn *\nm     1     ${shown!.replace('+', '\\+')}\n`),
    )
})

test('an original’s report over rows of which none has a score: nothing was measured, exit 1', async () => {
  const stdin = ndjson([game('a', 0, 1, 'A>B'), game('b', 0, 1, 'B>A')])
  for (const format of ['mt-bench', 'lm-eval'])
    expect(await jb('write', ['-q', format], { stdin }), {
      code: 1,
      err: /^jb-write: nothing was measured: no (item has a rating|judgment has a score)\n$/,
    })
})

test('of several models’ reference answers those of gpt-4 count, and without them the files are refused', async (t) => {
  const question = ndjson([{ question_id: 1, category: 'math', turns: ['Add.', 'Again.'] }])
  const read = (...models: string[]) => {
    const references = models.map((model) => [
      `reference_answer/${model}.jsonl`,
      ndjson([answer([model, ''], { model_id: model })]),
    ])
    const files = { 'question.jsonl': question, 'model_answer/m.jsonl': ndjson([answer(['2', '3'])]) }
    return jb('read', ['mt-bench', folder(t, { ...files, ...Object.fromEntries(references) })])
  }
  expect(await read('claude', 'gpt-3'), {
    code: 65,
    err: /reference answers of several models \(claude, gpt-3\), none of gpt-4: name the files you want/,
  })
  for (const models of [['claude'], ['gpt-4', 'claude']])
    assert.equal(rowsOf(await read(...models))[0]!.ref_answer_1, models[0])
})
