/** Replies to lm-eval's llm_judge: as documented, and as its code reads them and writes details (--compat lm-eval). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, jb, pipe } from '../helpers/run.ts'
import { timeless } from '../helpers/timeless.ts'
import { simple, task } from './_lm-eval.ts'

test('--compat lm-eval: what cannot be read and what failed is 0, and counted all the same', async (t) => {
  const place = judgeFolder(t, {
    'text.yaml': simple,
    'json.yaml': task('response_format: { score: 8 }\nprompt_template: "Rate {{ prediction }}"'),
  })
  const row = (judge: string, reply: string | null) => ({
    prediction: 'p',
    jb: {
      judge: `${place}/${judge}.yaml`,
      item: reply ?? 'failed',
      trial: { n: 0, of: 1 },
      ...(reply === null
        ? { error: { stage: 'call', code: 'rate_limited', message: 'too many', model: 'm' } }
        : { reply: { text: reply, model: 'm' } }),
    },
  })
  /** Of each reply the score or the failure's code, what a given score stands for, and the explanation. */
  const readAll = async (judge: string, replies: (string | null)[], ...args: string[]) =>
    rowsOf(await jb('parse', args, { stdin: ndjson(replies.map((reply) => row(judge, reply))) })).map(
      ({ jb: { verdict, error } }) =>
        error ? [error.code] : [verdict!.score, verdict!.failure, verdict!.reason],
    )
  const read = async (judge: string, reply: string | null, ...args: string[]) =>
    (await readAll(judge, [reply], ...args))[0]!
  // Reply, as documented, as the code does it: the score, what failed, the explanation.
  const table: [string, unknown, unknown][] = [
    ['Score: 8.5', 8.5, 8.5],
    ['SCORE:\n 7', 7, 7],
    ['Score: -3', -3, 'none'],
    ['Score: .5', 0.5, 0.5],
    ['Score: 10.', 10, 10],
    ['Score: 8/10', 8, 8],
    ['**Score:** 9', 9, 'none'],
    ['Score: **9**', 9, 'none'],
    ['underscore: 4', 'no_verdict', 4],
    ['Score: 3\nScore: 9', 3, 3],
    ['Score: 1,000', 1000, 1],
    ['Score: 1e3', 'no_verdict', 1],
    ['Score:\u00a0\u20037', 7, 7],
    ['Score:\u000b\u001c\u00857', 'no_verdict', 7],
    ['nothing', 'no_verdict', 'none'],
    // Its pattern has the digits 0 to 9.
    ['Score: \u0667', 'no_verdict', 'none'],
  ]
  const replies = table.map(([reply]) => reply)
  assert.deepEqual(
    (await readAll('text', replies)).map(([score]) => score),
    table.map(([, documented]) => documented),
  )
  assert.deepEqual(
    (await readAll('text', replies, '--compat', 'lm-eval')).map(([score, failure]) => [score, failure]),
    table.map(([, , original]) => (original === 'none' ? [0, 'no_verdict'] : [original, undefined])),
  )
  const structured: [string, unknown, unknown][] = [
    ['{"score": 8.5}', 8.5, [8.5, undefined]],
    ['{"score": "8.5"}', 8.5, [8.5, undefined]],
    ['```json\n{"score": 8.5}\n```', 8.5, [0, 'no_verdict']],
    ['not json', 'no_verdict', [0, 'no_verdict']],
    ['{"other": 8}', 'no_verdict', [0, 'no_verdict']],
    ['{"score": null}', 'no_verdict', [0, 'no_verdict']],
    ['{"score": "good"}', 'no_verdict', [0, 'no_verdict']],
    // float(True), float("8_0"), float("nan"); NaN and Infinity in JSON. A mean leaves NaN out.
    ['{"score": "\u0667"}', 'no_verdict', [7, undefined]],
    ['\ufeff{"score": 7}', 7, [0, 'no_verdict']],
    // Python's JSON has no white space but these four.
    [' \t\r\n{"score": 7}\n', 7, [7, undefined]],
    ['{"score": 7}\u00a0', 7, [0, 'no_verdict']],
    ['\f{"score": 7}', 7, [0, 'no_verdict']],
    ['{"score": 7}\ufeff', 7, [0, 'no_verdict']],
    ['{"score": true}', 'no_verdict', [1, undefined]],
    ['{"score": false}', 'no_verdict', [0, undefined]],
    ['{"score": "8_0"}', 'no_verdict', [80, undefined]],
    ['{"score": "8__0"}', 'no_verdict', [0, 'no_verdict']],
    ['{"score": " 1e1 "}', 10, [10, undefined]],
    ['{"score": ".5"}', 0.5, [0.5, undefined]],
    ['{"score": ""}', 'no_verdict', [0, 'no_verdict']],
    ['{"score": "0x10"}', 'no_verdict', [0, 'no_verdict']],
    ['{"score": "8/10"}', 'no_verdict', [0, 'no_verdict']],
    ['{"score": "nan"}', 'no_verdict', [null, 'no_verdict']],
    ['{"score": NaN}', 'no_verdict', [null, 'no_verdict']],
    ['{"score": "-Infinity"}', 'no_verdict', [null, 'no_verdict']],
    ['{"score": 8, "why": NaN, "quote": "\\"NaN\\""}', 8, [8, undefined]],
    ['{"score": [8]}', 'no_verdict', [0, 'no_verdict']],
    ['{"score": {"value": 8}}', 'no_verdict', [0, 'no_verdict']],
    ['{"deep": {"score": 8}}', 8, [0, 'no_verdict']],
    ['"8"', 'no_verdict', [0, 'bad_response']],
    ['null', 'no_verdict', [0, 'bad_response']],
    ['[8]', 'no_verdict', [0, 'bad_response']],
    ['8', 'no_verdict', [0, 'bad_response']],
  ]
  const objects = structured.map(([reply]) => reply)
  assert.deepEqual(
    (await readAll('json', objects)).map(([score]) => score),
    structured.map(([, documented]) => documented),
  )
  assert.deepEqual(
    (await readAll('json', objects, '--compat', 'lm-eval')).map(([score, failure]) => [score, failure]),
    structured.map(([, , original]) => original),
  )
  const nan = ndjson(['{"score": "nan"}', '{"score": 6}'].map((reply) => row('json', reply)))
  const left = await pipe('jb-parse --compat lm-eval | jb-write lm-eval', { stdin: nan })
  assert.deepEqual(JSON.parse(left.stdout), { llm_judge: 6, llm_judge_failed: 1 })
  assert.match(left.stderr, /1 of 2 judgments failed: they are NaN and in no mean/)
  assert.deepEqual(await read('text', null), ['rate_limited'])
  assert.deepEqual(await read('text', null, '--compat', 'lm-eval'), [0, 'rate_limited', undefined])
  assert.deepEqual(await read('text', 'Well.\nScore: 4\nEnd.'), [4, undefined, 'End.'])
  assert.deepEqual(await read('text', 'Well.\nScore: 4\nEnd.', '--compat', 'lm-eval'), [
    4,
    undefined,
    'Score: 4\nEnd.',
  ])

  // White space as str.strip() sees it.
  assert.deepEqual(await read('text', 'Score: 4\n\ufeffEnd.\x1c', '--compat', 'lm-eval'), [
    4,
    undefined,
    '\ufeffEnd.',
  ])

  const stdin = ndjson([row('text', 'Score: 8'), row('text', 'nothing'), row('text', null)])
  const mean = async (...args: string[]) => {
    const parsed = await jb('parse', args, { stdin })
    const [report] = rowsOf(
      await jb('aggregate', ['--format', 'json'], { stdin: parsed.stdout }),
    ) as unknown as Record<string, unknown>[]
    return [report!.score, report!.valid, report!.failures, report!.unread]
  }
  assert.deepEqual(await mean(), [8, 1, { no_verdict: 1, rate_limited: 1 }, undefined])
  assert.deepEqual(await mean('--compat', 'lm-eval'), [8 / 3, 3, {}, 2])
})

test('--compat lm-eval: details in the order in which the code writes them', async (t) => {
  const place = judgeFolder(t, {
    'text.yaml': simple,
    'json.yaml': task('name: parts\nresponse_format: { score: 8 }\nprompt_template: "Rate {{ prediction }}"'),
  })
  const row = (judge: string, idx: number, text: string | undefined) => ({
    prediction: 'p',
    reference: null,
    idx,
    jb: {
      judge: `${place}/${judge}.yaml`,
      ...(judge === 'json' && { name: 'parts', request: { response_format: { type: 'json_schema' } } }),
      item: String(idx),
      trial: { n: 0, of: 1 },
      ...(text === undefined
        ? { error: { stage: 'call', code: 'timeout', message: 'too slow', model: 'm' } }
        : { reply: { text, model: 'm' } }),
    },
  })
  const stdin = ndjson([
    row('text', 0, 'Score: 7\nGood.'),
    row('text', 1, 'I had\nrather not.'),
    row('text', 2, undefined),
    row('json', 3, '{"score": 8}'),
    row('json', 4, '{"other": 8}'),
    row('json', 5, '[8]'),
    row('json', 6, '{"score": null}'),
  ])
  const details = async (compat: string) => {
    const ran = await pipe(`jb-parse ${compat} | jb-write lm-eval-details ${compat}`, { stdin })
    return rowsOf(ran) as unknown as Record<string, unknown>[]
  }
  const before = ['score', 'judgment_raw']
  const after = ['formatted_prompt', 'prediction', 'reference', 'error']
  const original = await details('--compat lm-eval')
  assert.deepEqual(
    original.map((line) => Object.keys(line)),
    original.map(({ idx }) => [
      ...before,
      [3, 4, 6].includes(idx as number) ? 'judgment_parsed' : 'explanation',
      ...after,
      'idx',
    ]),
  )
  assert.deepEqual(
    original.map(({ idx, score, judgment_raw, explanation, judgment_parsed, error }) => [
      idx,
      score,
      judgment_raw,
      judgment_parsed ?? explanation ?? null,
      error,
    ]),
    [
      [0, 7, 'Score: 7\nGood.', 'Good.', null],
      // Without a score, the text below the first line is still the explanation, and the object what was parsed.
      [1, 0, 'I had\nrather not.', 'rather not.', null],
      [2, 0, null, null, 'too slow'],
      [3, 8, '{"score": 8}', { score: 8 }, null],
      [4, 0, '{"other": 8}', { other: 8 }, null],
      [5, 0, null, null, 'expected a JSON object, the reply is a list'],
      [6, 0, '{"score": null}', null, null],
    ],
  )
  const documented = await details('')
  assert.deepEqual(Object.keys(documented[0]!), ['idx', ...before, 'explanation', ...after])
  assert.deepEqual(
    documented.map(({ score }) => score),
    [7, null, null, 8, null, null, null],
  )
  const parsed = await jb('parse', ['--compat', 'lm-eval'], { stdin })
  const args = ['lm-eval', '--compat', 'lm-eval', '--save', `${place}/out`]
  expect(await jb('write', args, { stdin: parsed.stdout }), {})
  timeless(`${place}/out`)
  const saved = readFileSync(`${place}/out/llm_judge_t_parts_m_now.jsonl`, 'utf8').split('\n')
  assert.deepEqual(Object.keys(JSON.parse(saved[0]!)), [...before, 'judgment_parsed', ...after, 'idx'])
  // The metric's aggregation has no standard error.
  const { results } = JSON.parse(readFileSync(`${place}/out/results_now.json`, 'utf8'))
  assert.equal(results.t['llm_judge_parts_stderr,none'], 'N/A')
})

test('--pick with a judge whose replies are one JSON object is left aside, and told', async (t) => {
  const place = judgeFolder(t, { 'json.yaml': task('response_format: { score: 8 }\nprompt_template: x') })
  const ran = expect(
    await jb('parse', ['--judge', `${place}/json.yaml`, '--text', 'said', '--pick', 'first'], {
      stdin: ndjson([{ said: '{"score": 3}' }, { said: '{"score": 4}' }]),
    }),
    { err: /--pick first has no effect on .*json\.yaml.*rule "json"/ },
  )
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.verdict!.score),
    [3, 4],
  )
  assert.equal(ran.stderr.match(/--pick/g)!.length, 1)
})
