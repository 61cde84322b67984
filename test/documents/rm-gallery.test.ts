/** RM-Gallery's tutorial of JudgeBench, and RewardBench 2: the document's commands in jb, in its order. */
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { judgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe, ROOT, sh } from '../helpers/run.ts'

/** Pairs as the tutorial shows them; the judge's replies go by the question. */
const pair = (pair_id: string, question: string, more: object = {}) => ({
  pair_id,
  original_id: null,
  source: 'mmlu-pro-math',
  question,
  response_model: 'gpt-4o-2024-05-13',
  response_A: 'a',
  response_B: 'b',
  label: 'A>B',
  ...more,
})

test('failed calls, replies without a verdict, pairs without a label: left out, or counted as its code counts them', async (t) => {
  const { url } = await judgeServer(t, (asked) => {
    const text = lastOf(asked)
    if (text.includes('FAIL')) return { status: 400 }
    return text.includes('NONE') ? 'I cannot say.' : 'So [[A>B]]'
  })
  const rows = [
    pair('0', 'FAIL'),
    pair('1', 'NONE'),
    pair('2', 'q'),
    pair('3', 'q', { label: 'B>A' }),
    pair('4', 'NONE', { label: undefined }),
    pair('5', 'q', { source: undefined }),
  ]
  const run = async (order: string, compat: string, some: object[] = rows) => {
    const line = `jb-render -q arena_hard --order ${order} | jb-call -q -m m --base-url ${url} --max-error-rate 1 | jb-parse -q${compat} | jb-write -q rm-gallery${compat}`
    const ran = await pipe(line, { stdin: ndjson(some) })
    return JSON.parse(ran.stdout)
  }
  const labelled = rows.filter(({ label }) => label)
  const single = { accuracy: 2 / 3, correct_count: 2, valid_samples: 3, total_samples: 5 }
  assert.deepEqual((await run('ab', '', labelled)).overall_accuracy, single)
  const original = await run('ab', ' --compat rm-gallery')
  assert.deepEqual(original, {
    model: 'm',
    judge_type: 'arena_hard',
    // The code finds an empty decision equal to a label that is not there.
    overall_accuracy: { accuracy: 0.5, correct_count: 3, valid_samples: 6, total_samples: 6 },
    source_accuracy: {
      'mmlu-pro-math': { accuracy: 0.4, correct_count: 2, valid_samples: 5, total_samples: 5 },
      null: { accuracy: 1, correct_count: 1, valid_samples: 1, total_samples: 1 },
    },
  })
  const both = (await run('both', ' --compat rm-gallery')).overall_accuracy
  assert.deepEqual(both, {
    accuracy: 100 / 6,
    correct_count: 1,
    incorrect_count: 0,
    tie_count: 5,
    valid_samples: 6,
    total_samples: 6,
    all_correct: 1,
    all_incorrect: 2,
    some_correct: 3,
    n_inconsistent: 3,
    n_nulls: 0,
  })
})

/** The tutorial's third example: its replies, and what its parse makes of them. */
const REPLIES: [string, object][] = [
  ['Decision: [[A>B]] Confidence: 0.8', { decision: 'A>B', confidence: 0.8 }],
  ['I think [[B>A]] is better. Confidence: 0.9', { decision: 'B>A', confidence: 0.9 }],
  ['Both are equal [[A=B]] Confidence: 0.5', { decision: 'A=B', confidence: 0.5 }],
  ['Unclear response without clear format', { error: 'no_verdict' }],
]

test('a custom template with a confidence and a reason: the judge file of docs/from/judgebench.md', async (t) => {
  const [, file] = /^```yaml\n([^`]*keep:[^`]*)^```/m.exec(
    readFileSync(`${ROOT}docs/from/judgebench.md`, 'utf8'),
  )!
  assert.equal(file!.trimEnd().split('\n').length, 12)
  const cwd = folder(t, { 'research.yaml': file! })
  const said = [
    ...REPLIES,
    [
      'Reason: B is wrong.\nDecision: [[A>B]]\nConfidence: 0.75.',
      { decision: 'A>B', confidence: 0.75, reason: 'B is wrong.' },
    ],
    ['> Confidence: 0.1\n[[A>B]] Confidence: none', { decision: 'A>B' }],
  ] as const
  const stdin = ndjson(said.map(([text], i) => ({ ...pair(String(i), 'q'), text })))
  const ran = await jb('parse', ['-q', '--judge', './research.yaml', '--text', 'text'], { cwd, stdin })
  const found = rowsOf(ran).map(({ jb: { verdict, error } }) => {
    if (error) return { error: error.code }
    const { label, ...rest } = verdict!
    return rest
  })
  // In a quotation it counts, as a verdict does, where there is no other.
  assert.deepEqual(found, [...said.slice(0, -1).map(([, is]) => is), { decision: 'A>B', confidence: 0.1 }])
  // Over a result, too, and for jb-audit's calibration.
  const scored = rowsOf(
    await pipe('jb-parse -q --judge ./research.yaml --text text | jb-score -q', { cwd, stdin }),
  )
  assert.deepEqual(
    scored.map(({ jb: { trials } }) => trials?.[0]?.verdict?.confidence),
    [0.8, 0.9, 0.5, 0.75, 0.1, undefined],
  )
})

test('decisions as scores', async (t) => {
  const { url } = await judgeServer(t, (asked) => /say (\S+)/.exec(lastOf(asked))![1]!)
  const rows = ['A>B', 'B>A', 'A=B', 'none'].map((label) => pair(label, `say [[${label}]]`))
  const line = `jb-render -q arena_hard | jb-call -q -m m --base-url ${url} | jb-parse -q --compat rm-gallery | jb-score -q`
  const results = rowsOf(fine(await pipe(line, { stdin: ndjson(rows) })))
  assert.deepEqual(
    results.map(({ jb: { result } }) => result!.scores),
    [
      [1, 0],
      [0, 1],
      [0.5, 0.5],
      [0, 0],
    ],
  )
})

test('RewardBench 2: the recipe of docs/compare.md, from the Parquet file to the score', async (t) => {
  const { url } = await judgeServer(t, (asked) => {
    const text = lastOf(asked)
    if (!text.includes('[Assistant D]')) return text.includes('the right answer') ? 'Good.\n\n9' : 'Bad.\n\n2'
    const before = text.slice(0, text.indexOf('the right answer'))
    return `It is [[${/.*\[Assistant ([A-D])\]/s.exec(before)![1]}]]`
  })
  const cwd = folder(t, {})
  copyFileSync(`${ROOT}fixtures/rewardbench2.parquet`, `${cwd}/test.parquet`)
  const [, recipe] = /^```sh norun\n(jb-read parquet [^`]*rewardbench2[^`]*)^```/m.exec(
    readFileSync(`${ROOT}docs/compare.md`, 'utf8'),
  )!
  const env = { JB_BASE_URL: url, JB_QUIET: '1', OPENAI_API_KEY: 'none' }
  const report = { model: 'gpt-4o', Score: 6.01 / 6 }
  for (const domain of ['Factuality', 'Precise IF', 'Math', 'Safety', 'Focus'])
    Object.assign(report, { [domain]: 1 })
  const lines = fine(await sh(recipe!, { cwd, env }))
    .stdout.trimEnd()
    .split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [1, 2].map(() => ({ ...report, Ties: 1.01 })),
  )
})
