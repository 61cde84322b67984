/** lm-eval's llm_judge, from the task file to its results: whole pipes against a local server. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { taskJudges } from '../../src/judges/_lm_eval.ts'
import { judgeFolder } from '../helpers/folder.ts'
import { type Asked, judgeServer } from '../helpers/judge_server.ts'
import { ndjson, rewritten, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { chatBody, chatServer } from '../stages/call/server.ts'

const SAMPLES = 'out/org__model/samples_flores_ara_2024-05-01T12-34-56.789012.jsonl'

const samples = ndjson([
  {
    doc_id: 0,
    doc: { sentence_eng_Latn: 'hello', sentence_ara_Arab: 'مرحبا', level: 8 },
    target: 'hello',
    resps: [['hi there']],
    filtered_resps: ['hi'],
    filter: 'none',
  },
  {
    doc_id: 1,
    doc: { sentence_eng_Latn: 'bye', sentence_ara_Arab: 'وداعا', level: 7 },
    target: null,
    resps: [['see you']],
    filtered_resps: ['see you'],
    filter: 'none',
  },
]).replace('"level":8', '"level":8.0')

const base = (url: string) => `
metadata:
  version: 1.0
  extra_llm_judge_fields:
    source_field: sentence_eng_Latn
    tone: plain
process_docs: !function utils.process_docs
metric_list:
  - metric: bleu
    aggregation: bleu
    higher_is_better: true
  - metric: llm_judge
    name: accuracy
    aggregation: llm_judge
    higher_is_better: true
    prompt_template: |
      Source ({{ tone }}): {{ doc[source_field] }}
      {% if reference %}
      Reference: {{ reference }}
      {% endif %}
      Translation: {{ prediction }}
      Score from 0-10 (start with "Score: X.XX"):
    model: judge-a
    api_base: ${url}
    retry_attempts: 0
    max_error_rate: 0.6
    preflight_check: false
  - metric: llm_judge
    name: fluency
    aggregation: llm_judge
    higher_is_better: true
    response_format:
      score: 8.0
      accuracy: 9.5
      fluency: 8
      explanation: "The translation reads well."
    score_field: score
    prompt_template: |
      Evaluate {{ prediction }}
`

const child = `
include: ../flores200_base.yaml
task: flores_ara
dataset_name: ara_Arab-eng_Latn
metadata:
  extra_llm_judge_fields:
    source_field: sentence_ara_Arab
`

const text = (asked: Asked) => asked.messages.at(-1)!.content

test('a task file with two named judges, a model each, and a structured one: every number of the report', async (t) => {
  const server = await judgeServer(t, (asked) => {
    if (asked.model === 'judge-b')
      return JSON.stringify({
        score: text(asked).includes('see you') ? 6 : 8.5,
        accuracy: 9,
        fluency: 7,
        explanation: 'So.',
      })
    return text(asked).includes('مرحبا') ? 'Score: 8.5\n\nThe response is accurate.' : 'I had rather not say.'
  })
  const place = judgeFolder(t, {
    'flores200_base.yaml': base(server.url),
    'ara/flores.yaml': child,
    [SAMPLES]: samples,
  })
  const env = {
    LLM_JUDGE_ACCURACY_MODEL: 'not-this-one',
    LLM_JUDGE_FLUENCY_MODEL: 'judge-b',
    LLM_JUDGE_API_BASE: server.url,
    LLM_JUDGE_API_KEY: 'key-for-all',
    LLM_JUDGE_FLUENCY_API_KEY: 'key-for-fluency',
  }
  const verdicts = await pipe(
    `jb-read lm-eval ${place}/${SAMPLES} | jb-render ${place}/ara/flores.yaml | jb-call --no-cache | jb-parse`,
    { env },
  )
  expect(verdicts, { err: /no_verdict/ })
  const rows = rowsOf(verdicts)
  assert.deepEqual(
    rows.map((row) => [row.jb.item, row.jb.name, row.jb.verdict?.score, row.jb.error?.code]),
    [
      ['flores_ara:0', 'accuracy', 8.5, undefined],
      ['flores_ara:0', 'fluency', 8.5, undefined],
      ['flores_ara:1', 'accuracy', undefined, 'no_verdict'],
      ['flores_ara:1', 'fluency', 6, undefined],
    ],
  )
  const byModel = (model: string) => server.asked.filter((asked) => asked.model === model)
  assert.deepEqual(
    [byModel('judge-a').length, byModel('judge-b').length, server.asked.length >= 4],
    [2, 2, true],
  )
  const [first] = byModel('judge-a').filter((asked) => text(asked).includes('مرحبا'))
  assert.equal(
    text(first!),
    'Source (plain): مرحبا\n\nReference: hello\n\nTranslation: hi\nScore from 0-10 (start with "Score: X.XX"):',
  )
  assert.deepEqual([first!.temperature, first!.max_tokens, first!.response_format], [0, 1024, undefined])
  assert.ok(!text(byModel('judge-a').find((asked) => asked !== first)!).includes('Reference'))
  assert.deepEqual(
    new Set(server.asked.map((asked, i) => `${asked.model} ${server.keys[i]}`)),
    new Set(['judge-a Bearer key-for-all', 'judge-b Bearer key-for-fluency']),
  )
  const [structured] = byModel('judge-b')
  assert.match(text(structured!), /\{\n {2}"score": 8\.0,\n {2}"accuracy": 9\.5,\n {2}"fluency": 8,\n/)
  assert.deepEqual(structured!.response_format, {
    type: 'json_schema',
    json_schema: {
      name: 'llm_judge_response',
      strict: true,
      schema: {
        type: 'object',
        properties: {
          score: { type: 'number' },
          accuracy: { type: 'number' },
          fluency: { type: 'integer' },
          explanation: { type: 'string' },
        },
        required: ['score', 'accuracy', 'fluency', 'explanation'],
        additionalProperties: false,
      },
    },
  })

  const report = rowsOf(
    await jb('aggregate', ['--format', 'json'], { stdin: verdicts.stdout }),
  ) as unknown as Record<string, unknown>[]
  assert.deepEqual(
    report.map((run) => [run.name, run.model, run.items, run.valid, run.failures, run.score, run.dimensions]),
    [
      ['accuracy', 'judge-a', 2, 1, { no_verdict: 1 }, 8.5, undefined],
      ['fluency', 'judge-b', 2, 2, {}, 7.25, { accuracy: 9, fluency: 7 }],
    ],
  )

  const results = await jb(
    'aggregate',
    ['--as', 'lm-eval', '--save', `${place}/out`, '--stamp', '2025-01-01T00-00-00.000000'],
    { stdin: verdicts.stdout },
  )
  expect(results, { err: /1 of 4 judgments failed/ })
  assert.deepEqual(JSON.parse(results.stdout), {
    llm_judge_accuracy: 8.5,
    llm_judge_accuracy_failed: 1,
    llm_judge_fluency: 7.25,
  })
  assert.deepEqual(readdirSync(`${place}/out/org__model`).sort(), [
    'llm_judge_flores_ara_accuracy_judge-a_2025-01-01T00-00-00.000000.jsonl',
    'llm_judge_flores_ara_fluency_judge-b_2025-01-01T00-00-00.000000.jsonl',
    'results_2025-01-01T00-00-00.000000.json',
    'samples_flores_ara_2024-05-01T12-34-56.789012.jsonl',
  ])
  const file = (name: string) =>
    readFileSync(
      `${place}/out/org__model/${name}_2025-01-01T00-00-00.000000.json${name === 'results' ? '' : 'l'}`,
      'utf8',
    )
  assert.deepEqual(JSON.parse(file('results')).results.flores_ara, {
    alias: 'flores_ara',
    'llm_judge_accuracy,none': 8.5,
    'llm_judge_accuracy_stderr,none': 'N/A',
    'llm_judge_accuracy_failed,none': 1,
    'llm_judge_fluency,none': 7.25,
    'llm_judge_fluency_stderr,none': 0.8838834764831843,
  })
  const details = file('llm_judge_flores_ara_accuracy_judge-a')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(Object.keys(details[0]), [
    'idx',
    'score',
    'judgment_raw',
    'explanation',
    'formatted_prompt',
    'prediction',
    'reference',
    'error',
  ])
  assert.deepEqual(
    [
      details[0].idx,
      details[0].score,
      details[0].explanation,
      details[0].prediction,
      details[0].reference,
      details[0].error,
    ],
    [0, 8.5, 'The response is accurate.', 'hi', 'hello', null],
  )
  assert.deepEqual(
    [details[1].score, details[1].judgment_raw, details[1].explanation, details[1].reference],
    [null, 'I had rather not say.', null, null],
  )
  assert.match(details[1].error, /no score found/)
  const parsed = JSON.parse(file('llm_judge_flores_ara_fluency_judge-b').split('\n')[0]!)
  assert.deepEqual(Object.keys(parsed), [
    'idx',
    'score',
    'judgment_raw',
    'judgment_parsed',
    'formatted_prompt',
    'prediction',
    'reference',
    'error',
  ])
  assert.deepEqual(parsed.judgment_parsed, { score: 8.5, accuracy: 9, fluency: 7, explanation: 'So.' })
})

const task = (entry: string, more = '') =>
  `${more}task: t\nmetric_list:\n  - metric: llm_judge\n${entry.replace(/^/gm, '    ')}\n`
const simple = task('prompt_template: "Rate {{ prediction }}"')

test('the model is gpt-4 where nothing else is said; file before environment, named before plain', async (t) => {
  const server = await judgeServer(t, () => 'Score: 1')
  const place = judgeFolder(t, {
    'plain.yaml': simple,
    'named.yaml': task('name: my-judge\nprompt_template: "Rate {{ prediction }}"'),
    'own.yaml': task(
      `name: own\nmodel: from-file\napi_base: ${server.url}\nprompt_template: "Rate {{ prediction }}"`,
    ),
  })
  const model = async (name: string, env: Record<string, string>, args = '') => {
    const ran = await pipe(`jb-render ${place}/${name}.yaml | jb-call --no-cache ${args}`, {
      stdin: '{"prediction":"p"}\n',
      env: { LLM_JUDGE_API_BASE: server.url, ...env },
    })
    return rowOf(ran).jb.reply!.model
  }
  assert.equal(await model('plain', {}), 'gpt-4')
  assert.equal(await model('plain', { LLM_JUDGE_MODEL: 'from-env' }), 'from-env')
  assert.equal(await model('named', { LLM_JUDGE_MODEL: 'plain', LLM_JUDGE_MY_JUDGE_MODEL: 'named' }), 'named')
  assert.equal(
    await model('own', { LLM_JUDGE_OWN_MODEL: 'env', LLM_JUDGE_API_BASE: 'http://127.0.0.1:1/v1' }),
    'from-file',
  )
  assert.equal(await model('own', {}, '-m from-flag'), 'from-flag')
})

test('what a task file says of calls: as many at once as it says, its waits and retries', async (t) => {
  const server = await chatServer(t, () => ({ delay: 150, body: chatBody('Score: 4') }))
  const place = judgeFolder(t, {
    'task.yaml': task(
      `api_base: ${server.url}
model: m
concurrency: 90
retry_attempts: 7
retry_min_wait: 0.5
retry_max_wait: 9
max_error_rate: 0.3
preflight_check: false
prompt_template: "{{ prediction }}"`,
    ),
  })
  const [judge] = await taskJudges(`${place}/task.yaml`)
  assert.deepEqual(judge!.endpoint, {
    model: 'm',
    base_url: server.url,
    concurrency: 90,
    retries: 7,
    retry_min: 0.5,
    retry_max: 9,
    max_error_rate: 0.3,
    preflight: false,
  })
  const stdin = ndjson(Array.from({ length: 270 }, (_, i) => ({ id: i, prediction: `p${i}` })))
  const rendered = await jb('render', [`${place}/task.yaml`], { stdin })
  const call = (...args: string[]) =>
    jb('call', ['--judge', `${place}/task.yaml`, '--no-cache', '--no-adapt', '-q', ...args], {
      stdin: rendered.stdout,
      env: { LLM_JUDGE_API_KEY: 'k' },
    })
  fine(await call('-j', '5', '--limit', '20'))
  assert.equal(server.widest, 5)
  fine(await call())
  assert.ok(server.widest > 32 && server.widest <= 90, `${server.widest} at once`)
})

test('a row cannot say where a key is sent', async (t) => {
  const server = await judgeServer(t, () => 'Score: 1')
  const thief = await judgeServer(t, () => 'Score: 10')
  const place = judgeFolder(t, { 'task.yaml': simple })
  const stdin = ndjson([
    { prediction: 'p', jb: { item: 'x', endpoint: { base_url: thief.url, model: 'm' } } },
  ])
  const ran = await pipe(`jb-render ${place}/task.yaml | jb-call --no-cache`, {
    stdin,
    env: { LLM_JUDGE_API_BASE: server.url, LLM_JUDGE_API_KEY: 'secret' },
  })
  expect(ran, {})
  assert.equal(thief.asked.length, 0)
  assert.ok(server.asked.length > 0)
})

test('names in a template: doc’s own fields stand behind the documented ones, and before them under --compat', async (t) => {
  const place = judgeFolder(t, {
    'task.yaml': task(
      'prompt_template: "{{ prediction }}|{{ reference }}|{{ extra }}|{{ only }}|{{ doc.only }}|{{ doc.n }}|{{ mine }}"\nmine: 0.50',
      'metadata:\n  extra_llm_judge_fields: { extra: e, mine: theirs }\n',
    ),
  })
  const stdin =
    '{"doc":{"prediction":"doc-p","reference":"doc-r","extra":"doc-e","only":"o","n":8.0},"prediction":"p","reference":"r"}\n'
  const prompt = async (...args: string[]) =>
    rowsOf(await jb('render', [`${place}/task.yaml`, ...args], { stdin }))[0]!.jb.request!.messages![0]!
      .content
  // The metric's own setting comes before the task's field of the same name; numbers keep their form.
  assert.equal(await prompt(), 'p|r|e|o|o|8.0|0.50'.replace('0.50', '0.5'))
  assert.equal(await prompt('--compat', 'lm-eval'), 'doc-p|doc-r|doc-e|o|o|8.0|0.5')
})

test('any row will do: --map says where the prediction and the reference are', async (t) => {
  const place = judgeFolder(t, {
    'task.yaml': task(
      'prompt_template: "{{ doc.q }} {{ prediction }}{% if reference %} ({{ reference }}){% endif %}"',
    ),
  })
  const render = async (item: object, ...args: string[]) =>
    rowsOf(await jb('render', [`${place}/task.yaml`, ...args], { stdin: ndjson([item]) }))[0]!.jb
  const args = ['--map', 'prediction=out.text', '--map', 'reference=gold']
  assert.equal(
    (await render({ q: 'Q', out: { text: 'P' }, gold: 'G' }, ...args)).request!.messages![0]!.content,
    'Q P (G)',
  )
  // No reference is none, no prediction is a failed row.
  assert.equal((await render({ q: 'Q', prediction: 'P' })).request!.messages![0]!.content, 'Q P')
  assert.equal((await render({ q: 'Q' })).error!.code, 'missing_field')
})

test('the form of the reply stands where {{ response_format }} is, else behind the prompt', async (t) => {
  const entry = (template: string) =>
    task(`response_format: { score: 8, why: "x" }\nprompt_template: "${template}"`)
  const place = judgeFolder(t, {
    'with.yaml': entry('Rate {{ prediction }}: {{ response_format }} please'),
    'without.yaml': entry('Rate {{ prediction }} in response_format'),
  })
  const prompt = async (name: string) =>
    rowsOf(await jb('render', [`${place}/${name}.yaml`], { stdin: '{"prediction":"p"}\n' }))[0]!.jb.request!
      .messages![0]!.content
  assert.equal(await prompt('with'), 'Rate p: {\n  "score": 8,\n  "why": "x"\n} please')
  // The bare word is no placeholder: the original takes it for one.
  assert.match(await prompt('without'), /^Rate p in response_format\n\n.*\n\{\n {2}"score": 8,/)
})

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
    ['Score: 3\nScore: 9', 'conflict', 3],
    ['Score: 1,000', 1000, 1],
    ['Score: 1e3', 1000, 1],
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
    ['{"deep": {"score": 8}}', 'no_verdict', [0, 'no_verdict']],
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
  const left = await pipe('jb-parse --compat lm-eval | jb-aggregate --as lm-eval', { stdin: nan })
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
      ...(judge === 'json' && { name: 'parts' }),
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
  ])
  const details = async (compat: string) => {
    const ran = await pipe(`jb-parse ${compat} | jb-aggregate --as lm-eval-details ${compat}`, { stdin })
    return rowsOf(ran) as unknown as Record<string, unknown>[]
  }
  const before = ['score', 'judgment_raw']
  const after = ['formatted_prompt', 'prediction', 'reference', 'error']
  const original = await details('--compat lm-eval')
  assert.deepEqual(
    original.map((line) => Object.keys(line)),
    original.map(({ idx }) => [...before, idx === 3 ? 'judgment_parsed' : 'explanation', ...after, 'idx']),
  )
  assert.deepEqual(
    original.map(({ idx, score, explanation, error }) => [idx, score, explanation, error]),
    [
      [0, 7, 'Good.', null],
      [1, 0, null, null],
      [2, 0, null, 'too slow'],
      [3, 8, undefined, null],
      [4, 0, null, null],
      [5, 0, null, 'expected a JSON object, the reply is a list'],
    ],
  )
  const documented = await details('')
  assert.deepEqual(Object.keys(documented[0]!), ['idx', ...before, 'explanation', ...after])
  assert.deepEqual(
    documented.map(({ score }) => score),
    [7, null, null, 8, null, null],
  )
  const parsed = await jb('parse', ['--compat', 'lm-eval'], { stdin })
  const stamped = ['--as', 'lm-eval', '--compat', 'lm-eval', '--save', `${place}/out`, '--stamp', 'x']
  expect(await jb('aggregate', stamped, { stdin: parsed.stdout }), {})
  const saved = readFileSync(`${place}/out/llm_judge_t_parts_m_x.jsonl`, 'utf8').split('\n')
  assert.deepEqual(Object.keys(JSON.parse(saved[0]!)), [...before, 'judgment_parsed', ...after, 'idx'])
})

test('nothing valid has no mean', async () => {
  const stdin = ndjson([
    {
      jb: {
        judge: 'x',
        item: 'i',
        trial: { n: 0, of: 1 },
        error: { stage: 'call', code: 'timeout', message: 'm' },
      },
    },
  ])
  const ran = await jb('aggregate', ['--as', 'lm-eval'], { stdin })
  assert.deepEqual(JSON.parse(ran.stdout), { llm_judge: null, llm_judge_failed: 1 })
})

test('a group: the tasks that stand in its file, each judge for the items of its own task', async (t) => {
  const place = judgeFolder(t, {
    'parts/rate.yaml': `metric_list:\n  - metric: llm_judge\n    name: depth\n    prompt_template: "Included {{ tone }}: {{ prediction }}"\n`,
    'group.yaml': `
group: both
metadata: { extra_llm_judge_fields: { tone: warm } }
task:
  - task: first
    metric_list:
      - metric: llm_judge
        prompt_template: "First {{ tone }}: {{ prediction }}"
        model: one
  - group: inner
    task:
      - task: second
        include: parts/rate.yaml
        metadata: { extra_llm_judge_fields: { tone: cool } }
  - elsewhere
`,
    'names.yaml': 'group: g\ntask:\n  - arc_easy\n  - hellaswag\n',
    'wrong.yaml': 'group: g\ntask:\n  - metric_list: []\n',
    'inner.yaml': 'group: g\ntask:\n  - task: a\n    metric_list:\n      - metric: llm_judge\n',
  })
  const stdin = ndjson([
    { task: 'second', prediction: 'a' },
    { task: 'first', prediction: 'b' },
    { prediction: 'c' },
  ])
  const ran = expect(await jb('render', [`${place}/group.yaml`], { stdin }), {
    err: /group\.yaml only names elsewhere: the llm_judge of such a task is read from its own file/,
  })
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => [
      jb.judge!.slice(place.length),
      jb.name,
      jb.request!.messages!.at(-1)!.content,
    ]),
    [
      ['/group.yaml#second/depth', 'depth', 'Included cool: a'],
      ['/group.yaml#first', undefined, 'First warm: b'],
      ['/group.yaml#first', undefined, 'First warm: c'],
      ['/group.yaml#second/depth', 'depth', 'Included cool: c'],
    ],
  )
  const one = await jb('render', [`${place}/group.yaml#first`], { stdin: ndjson([{ prediction: 'd' }]) })
  assert.deepEqual(
    rowsOf(one).map(({ jb }) => jb.judge!.slice(place.length)),
    ['/group.yaml#first'],
  )
  // The verdict is read, and the call made, by the entry that the row names.
  const called = await pipe('jb-call -q --no-cache --replay /dev/null', { stdin: one.stdout })
  assert.equal(rowOf(called).jb.error!.code, 'unavailable')
  for (const [name, message] of [
    [
      'names',
      /names\.yaml: a group that only names its tasks \(arc_easy, hellaswag\): give jb-render the file/,
    ],
    ['wrong', /wrong\.yaml: task\[0\]: expected the name of a task, or a mapping with "task"/],
    ['inner', /inner\.yaml: task\[0\]\.metric_list\[0\]: prompt_template is missing/],
  ] as const)
    expect(await jb('render', [`${place}/${name}.yaml`], { stdin: '' }), { code: 78, out: '', err: message })
})

test('--pick with a judge whose replies are one JSON object is left aside, and told', async (t) => {
  const place = judgeFolder(t, { 'json.yaml': task('response_format: { score: 8 }\nprompt_template: x') })
  const ran = expect(
    await jb('parse', ['--judge', `${place}/json.yaml`, '--text', 'said', '--pick', 'first'], {
      stdin: ndjson([{ said: '{"score": 3}' }, { said: '{"score": 4}' }]),
    }),
    { err: /--pick first changes nothing for .*json\.yaml.*rule "json"/ },
  )
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.verdict!.score),
    [3, 4],
  )
  assert.equal(ran.stderr.match(/--pick/g)!.length, 1)
})

test('a wrong task file says file, entry and what was expected (exit 78)', async (t) => {
  const files = {
    'none.yaml': 'task: t\nmetric_list:\n  - metric: bleu\n',
    'template.yaml': task('model: m'),
    'twice.yaml': `${simple}  - metric: llm_judge\n    prompt_template: x\n`,
    'score.yaml': task('response_format: { score: 1, other: 2 }\nscore_field: scor\nprompt_template: x'),
    'number.yaml': task('max_tokens: many\nprompt_template: x'),
    'lost.yaml': 'include: nowhere.yaml\ntask: t\n',
    'self.yaml': 'include: self.yaml\ntask: t\n',
    'broken.yaml': 'task: t\nmetric_list: [\n',
    'jinja.yaml': task('prompt_template: "{{ prediction"'),
  }
  const place = judgeFolder(t, files)
  for (const [name, message] of [
    ['none', /none\.yaml: no llm_judge in metric_list \(there are: bleu\)/],
    ['template', /template\.yaml: metric_list\[0\]: prompt_template is missing/],
    ['twice', /twice\.yaml: two llm_judge entries have the same name/],
    [
      'score',
      /score\.yaml: metric_list\[0\]: score_field "scor" is not a key of response_format: did you mean score\?/,
    ],
    ['number', /number\.yaml: metric_list\[0\]: max_tokens must be a number/],
    ['lost', /nowhere\.yaml: no such file \(included by .*lost\.yaml\)/],
    ['self', /self\.yaml: includes itself/],
    ['broken', /broken\.yaml:3:1: /],
    ['jinja', /jinja\.yaml: metric_list\[0\]/],
  ] as const)
    expect(await jb('render', [`${place}/${name}.yaml`], { stdin: '{"prediction":"p"}\n' }), {
      code: 78,
      out: '',
      err: message,
    })
  expect(await jb('render', [`${place}/score.yaml`, '--name', 'x'], { stdin: '' }), { code: 78 })
})

test('a Python function is no text: refused where its value is needed, left alone where it is not', async (t) => {
  const task = (entry: string, more = '') => `${more}
process_docs: !function utils.process_docs
doc_to_text: !function utils.text
metric_list:
  - metric: !function utils.bleu
  - metric: llm_judge
    aggregation: !function utils.mean
${entry}`
  const place = judgeFolder(t, {
    'template.yaml': task('    prompt_template: !function utils.tmpl'),
    'own.yaml': task('    prompt_template: "{{ style }}"\n    style: !function utils.style'),
    'deep.yaml': task(
      '    prompt_template: x\n    response_format: { score: 1, why: [!function utils.why] }',
    ),
    'fields.yaml': task(
      '    prompt_template: x',
      'metadata: { extra_llm_judge_fields: { tone: !function u.tone } }',
    ),
    'fine.yaml': task('    prompt_template: "{{ prediction }}"', 'task: mytask'),
  })
  const stdin = ndjson([{ prediction: 'good' }])
  for (const [name, what] of [
    ['template', 'metric_list\\[1\\]: prompt_template is !function utils.tmpl'],
    ['own', 'metric_list\\[1\\]: style is !function utils.style'],
    ['deep', 'metric_list\\[1\\]: response_format is !function utils.why'],
    ['fields', 'extra_llm_judge_fields: tone is !function u.tone'],
  ])
    expect(await jb('render', [`${place}/${name}.yaml`], { stdin }), {
      code: 78,
      out: '',
      err: new RegExp(`${name}\\.yaml: ${what}: a Python function cannot be used here`),
    })
  const trials = fine(await pipe(`jb-render ${place}/fine.yaml`, { stdin })).stdout
  const reply = { text: 'Score: 7', model: 'm' }
  const replies = rewritten(trials, (row) => ({ ...row, jb: { ...row.jb, reply } }))
  const report = `jb-parse | jb-aggregate --as lm-eval --save ${place}/out --stamp x`
  const ran = await pipe(report, { stdin: replies })
  assert.deepEqual(JSON.parse(fine(ran).stdout), { llm_judge: 7 })
  // The rows name no task: the file's own does.
  assert.deepEqual(readdirSync(`${place}/out`).sort(), ['llm_judge_mytask_m_x.jsonl', 'results_x.json'])
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(`${place}/out/results_x.json`, 'utf8')).results), [
    'mytask',
  ])
})

test('as its code: names that are unknown print nothing, y and n are texts, results have configs and versions', async (t) => {
  const place = judgeFolder(t, {
    'task.yaml': `
task: t1
metadata: { version: 2.5 }
process_docs: !function utils.process_docs
metric_list:
  - metric: llm_judge
    api_key: sk-secret
    prompt_template: "{{ doc.q }}|{{ nothing }}|{{ doc.none }}|{{ flag }}|{{ y }}"
    flag: yes
    y: n
`,
    'samples_t1_2024-05-01T12-34-56.789012.jsonl': ndjson([
      { doc_id: 0, doc: { q: 'Q' }, target: '', filtered_resps: ['p'], filter: 'none' },
    ]),
  })
  const read = `jb-read lm-eval ${place}/samples_t1_2024-05-01T12-34-56.789012.jsonl`
  const rendered = await pipe(`${read} | jb-render ${place}/task.yaml --compat lm-eval 2>/dev/null`)
  const [row] = rowsOf(rendered)
  assert.equal(row!.jb.request!.messages![0]!.content, 'Q|||True|n')
  row!.jb.reply = { text: 'Score: 4', model: 'm' }
  fine(
    await pipe(
      `jb-parse --judge ${place}/task.yaml | jb-aggregate --as lm-eval --judge ${place}/task.yaml --save ${place}/out --stamp x`,
      { stdin: ndjson([row!]) },
    ),
  )
  const folder = readdirSync(`${place}/out`)[0]!
  const text = readFileSync(`${place}/out/${folder}/results_x.json`, 'utf8')
  const { configs, versions } = JSON.parse(text)
  assert.deepEqual(versions, { t1: 2.5 })
  assert.equal(configs.t1.process_docs, '!function utils.process_docs')
  assert.equal(configs.t1.metric_list[0].flag, true)
  assert.doesNotMatch(text, /sk-secret/)
})
