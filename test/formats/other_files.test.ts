/** A file of one format given to the reader of another: no row of it comes out as if it could be judged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jb, shown } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'

/** A row of each format. */
const ROWS: Record<string, object> = {
  alpaca_eval: { instruction: 'i', generator_1: 'a', generator_2: 'm', preference: 1 },
  'arena-battles': { question_id: 'q', model_a: 'a', model_b: 'b', winner: 'model_a' },
  'arena-hard': { question_id: 'q', model: 'm', judge: 'j', games: [{ score: 'A>B' }, { score: 'B>A' }] },
  evalassist: { contextVariables: [{ name: 'q', value: 'why' }], response: 'r' },
  'judgebench-outputs': {
    pair_id: 'p',
    judge_name: 'vanilla',
    judgments: [{ judgment: { response: 'r' }, decision: 'A>B' }],
  },
  'lm-eval': { doc_id: 0, doc: {}, target: 't', resps: [['r']], filtered_resps: ['r'], filter: 'none' },
  llmbar: { input: 'i', output_1: 'a', output_2: 'b', label: 1 },
  'mt-bench-judgments': { question_id: 1, judge: ['gpt-4', 'single-v1'], judgment: '[[8]]' },
  'rewardbench-scores': { id: 1, subset: 's', scores_chosen: 1, scores_rejected: 0 },
}
/** Rows that are of none. */
const OTHERS = {
  likelihoods: {
    doc_id: 0,
    doc: {},
    resps: [[['-1.5', 'True']]],
    filtered_resps: [
      ['-1.5', 'True'],
      ['-2', 'False'],
    ],
  },
  label: { input: 'i', output_1: 'a', output_2: 'b', label: 'A' },
  page: { contextVariables: [{ name: 'q', value: 'why' }] },
  score: { id: 1, subset: 's', scores_chosen: null, scores_rejected: 0 },
  autojudge: { metadata: { run_id: 'r', team_id: 't', topic_id: '1' }, responses: [{ text: 's' }] },
  pair: { pair_id: 'p', question: 'q', response_A: 'a', response_B: 'b', label: 'A>B' },
  empty: {},
}

test('rows of another format fail with what they lack, and the format that they look like is named', async () => {
  for (const reader of Object.keys(ROWS))
    for (const [name, row] of Object.entries({ ...ROWS, ...OTHERS })) {
      const ran = await jb('read', [reader], { stdin: `${JSON.stringify(row)}\n` })
      assert.equal(ran.code, reader === name ? 0 : 65, shown(ran))
      const codes = objects(ran.stdout).map(({ jb }) => jb?.error?.code)
      const wanted = reader === name ? undefined : 'missing_field'
      assert.ok(
        codes.length > 0 && codes.every((code) => code === wanted),
        `${reader} of ${name}: ${shown(ran)}`,
      )
      if (wanted !== undefined && name in ROWS)
        assert.match(ran.stderr, new RegExp(`it looks like a row of ${name} \\(jb-read ${name}\\)`))
    }
})

test('the exit code is 65 only if no row is of the format', async () => {
  const rows = Object.values(ROWS).map((row) => `${JSON.stringify(row)}\n`)
  assert.equal((await jb('read', ['llmbar'], { stdin: rows.join('') })).code, 0)
  assert.equal((await jb('read', ['llmbar'], { stdin: '' })).code, 0)
  const ran = await jb('read', ['llmbar'], { stdin: rows[0]! })
  assert.match(
    ran.stderr,
    /\njb-read: no row has the fields of llmbar \(jb-read --list shows all formats\)\n$/,
  )
  assert.equal(objects(ran.stdout).length, 1)
})
