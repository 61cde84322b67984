/** Other programs' reports hold what they are for: one judge, labelled pairs, grades that are numbers. */
import { test } from 'node:test'
import { ndjson } from '../helpers/rows.ts'
import { expect, jb, pipe } from '../helpers/run.ts'

const pair = (id: number, judge: string, more: object = {}) => ({
  id,
  source: 's',
  label: 'A>B',
  ...more,
  jb: {
    judge,
    item: String(id),
    trial: { n: 0, of: 1 },
    verdict: { label: 'A>B', decision: 'A>B', score: 1 },
  },
})

test('an original’s report is of one judge and model', async () => {
  for (const as of ['rm-gallery', 'mt-bench', 'mt-bench-results', 'lm-eval', 'rewardbench', 'rewardbench2']) {
    const stdin = ndjson([pair(1, 'one'), pair(2, 'two')])
    expect(await jb('write', ['-q', as], { stdin }), {
      code: 65,
      err: new RegExp(`${as} is for one judge and model: the judge is two here, one before`),
    })
  }
})

test('rm-gallery: pairs without a label are no wrong ones', async () => {
  const stdin = ndjson([pair(1, 'one', { label: undefined })])
  expect(await jb('write', ['rm-gallery'], { stdin }), {
    code: 78,
    err: /no label to compare with/,
  })
})

test('mt-bench-results: a game that nobody could read is nobody’s win', async () => {
  const stdin = ndjson([{ id: 1, model_1: 'x', model_2: 'y', said: 'no idea' }])
  const ran = await pipe(
    'jb-parse -q --judge vanilla --text said --compat judgebench | jb-write mt-bench-results',
    { stdin },
  )
  expect(ran, { out: '', err: /pairs with a game without a verdict, in no table: 1/ })
})

test('qrels: what has no grade is told, and what is no number refused', async () => {
  const doc = (doc_id: string, grade: unknown, jb?: object) => ({
    topic_id: 't',
    doc_id,
    grade,
    ...(jb && { jb }),
  })
  const failed = { error: { stage: 'read', code: 'bad_row', message: 'm' } }
  const stdin = ndjson([doc('a', 2), doc('b', null), doc('c', '1'), doc('d', '', failed)])
  expect(await jb('write', ['qrels'], { stdin }), {
    out: 't 0 a 2\nt 0 c 1\n',
    err: /document b, topic t: no grade[\s\S]*document d, topic t: no grade \(bad_row\)[\s\S]*2 grades missing/,
  })
  expect(await jb('write', ['qrels'], { stdin: ndjson([doc('a', 'high')]) }), {
    code: 65,
    err: /"grade" is "high", expected a number/,
  })
})

test('a leaderboard’s row without a value is missing, and one of no run an error', async () => {
  const entry = (more: object) => ({ run_id: 'r', topic_id: 't', measure: 'm', value: 1, ...more })
  const stdin = ndjson([entry({}), entry({ topic_id: 'u', value: null })])
  expect(await jb('write', ['trec'], { stdin }), {
    out: 'r\tt\tm\t1.0\nr\tall\tm\t1.0\n',
    err: /topic u: no value/,
  })
  const nameless = ndjson([entry({ run_id: undefined })])
  expect(await jb('write', ['trec'], { stdin: nameless }), {
    code: 65,
    err: /without a "run_id"/,
  })
})

test('--combine says nothing where the judge has measures of its own', async () => {
  const row = {
    run_id: 'r',
    topic_id: 't',
    text: 'a',
    jb: { judge: 'relevance', item: '1', trial: { n: 0, of: 1 }, verdict: { label: '3', score: 3 } },
  }
  expect(await jb('write', ['trec', '--combine', 'median'], { stdin: ndjson([row]) }), {
    code: 2,
    err: /--combine: the measures of relevance are taken of all its trials/,
  })
})
