/** lm-eval's llm_judge, from the task file to its results: a whole pipe against a local server. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { type Asked, judgeServer } from '../helpers/judge_server.ts'
import { type AnyRow, ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'
import { timeless } from '../helpers/timeless.ts'

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
    `jb-read lm-eval '${place}/${SAMPLES}' | jb-render '${place}/ara/flores.yaml' | jb-call --no-cache | jb-parse`,
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

  const results = await jb('write', ['lm-eval', '--save', `${place}/out`], { stdin: verdicts.stdout })
  expect(results, { err: /1 of 4 judgments failed/ })
  assert.deepEqual(JSON.parse(results.stdout), {
    llm_judge_accuracy: 8.5,
    llm_judge_accuracy_failed: 1,
    llm_judge_fluency: 7.25,
  })
  timeless(`${place}/out`)
  assert.deepEqual(readdirSync(`${place}/out/org__model`).sort(), [
    'llm_judge_flores_ara_accuracy_judge-a_now.jsonl',
    'llm_judge_flores_ara_fluency_judge-b_now.jsonl',
    'results_now.json',
    'samples_flores_ara_2024-05-01T12-34-56.789012.jsonl',
  ])
  const file = (name: string) =>
    readFileSync(`${place}/out/org__model/${name}_now.json${name === 'results' ? '' : 'l'}`, 'utf8')
  assert.deepEqual(JSON.parse(file('results')).results.flores_ara, {
    alias: 'flores_ara',
    'llm_judge_accuracy,none': 8.5,
    'llm_judge_accuracy_stderr,none': 'N/A',
    'llm_judge_accuracy_failed,none': 1,
    'llm_judge_fluency,none': 7.25,
    'llm_judge_fluency_stderr,none': 1.25,
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
  assert.match(details[1].error, /looked for "Score:" and a number/)
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

test('details of two runs with two filters each: a file for each, and told where they are printed in one list', async (t) => {
  const runs = ['2024-05-01T12-34-56.789012', '2024-06-01T12-34-56.789012']
  const filters = ['strict-match', 'flexible extract/2']
  const logged = (run: string) =>
    ndjson(
      [0, 1].flatMap((doc_id) =>
        filters.map((filter) => ({
          doc_id,
          target: 'x',
          filtered_resps: [`${run} ${filter} ${doc_id}`],
          filter,
        })),
      ),
    )
  const place = judgeFolder(
    t,
    Object.fromEntries(runs.map((run) => [`m/samples_gsm_${run}.jsonl`, logged(run)])),
  )
  const read = await jb('read', ['lm-eval', ...runs.map((run) => `${place}/m/samples_gsm_${run}.jsonl`)])
  const judged = rowsOf(read).map((row, i) => ({
    ...row,
    jb: {
      ...row.jb,
      judge: 'rating',
      trial: { n: 0, of: 1 },
      reply: { text: `${i}`, model: 'judge-a' },
      verdict: { label: `${i}`, score: i },
    },
  }))
  const args = ['lm-eval', '--save', `${place}/out`]
  const ran = fine(await jb('write', args, { stdin: ndjson(judged) }))
  timeless(`${place}/out`)
  const scores = Object.fromEntries(
    readdirSync(`${place}/out/m`)
      .filter((name) => name.startsWith('llm_judge'))
      .map((name) => [
        name,
        objects(readFileSync(`${place}/out/m/${name}`, 'utf8')).map((line) => line.score),
      ]),
  )
  assert.deepEqual(scores, {
    [`llm_judge_gsm_judge-a_${runs[0]}_flexible_extract__2_now.jsonl`]: [1, 3],
    [`llm_judge_gsm_judge-a_${runs[0]}_strict-match_now.jsonl`]: [0, 2],
    [`llm_judge_gsm_judge-a_${runs[1]}_flexible_extract__2_now.jsonl`]: [5, 7],
    [`llm_judge_gsm_judge-a_${runs[1]}_strict-match_now.jsonl`]: [4, 6],
  })
  assert.deepEqual(JSON.parse(ran.stdout), {
    [`llm_judge,${runs[0]} strict-match`]: 1,
    [`llm_judge,${runs[0]} flexible extract/2`]: 2,
    [`llm_judge,${runs[1]} strict-match`]: 5,
    [`llm_judge,${runs[1]} flexible extract/2`]: 6,
  })
  const listed = await jb('write', ['lm-eval-details'], { stdin: ndjson(judged) })
  assert.equal(rowsOf(expect(listed, { err: /:2: of another .*filter than the rows before/ })).length, 8)
  // Filters whose names differ only in what a file name cannot have.
  const [first, second] = judged as [AnyRow, AnyRow]
  const alike = [first, { ...second, jb: { ...second.jb, variant: `${runs[0]} strict_match` } }]
  alike[0]!.jb.variant = `${runs[0]} strict match`
  const other = ['lm-eval', '--save', `${place}/alike`]
  fine(await jb('write', other, { stdin: ndjson(alike) }))
  const names = readdirSync(`${place}/alike/m`).filter((name) => name.startsWith('llm_judge'))
  assert.equal(names.length, 2, names.join('\n'))
})

test('more failed calls than max_error_rate: exit 1 and no results file, the details are kept', async (t) => {
  const server = await judgeServer(t, (asked) => (/bad/.test(text(asked)) ? { status: 400 } : 'Score: 7'))
  const task = `task: t
metric_list:
  - metric: llm_judge
    higher_is_better: true
    prompt_template: 'Rate {{ prediction }}'
    model: m
    api_base: ${server.url}
    preflight_check: false
    max_error_rate: 0.2
`
  const item = (i: number) => ({
    doc_id: i,
    doc: {},
    target: null,
    filtered_resps: [i < 5 ? `bad ${i}` : `good ${i}`],
  })
  const place = judgeFolder(t, {
    'task.yaml': task,
    'm/samples_t_2024-05-01T12-34-56.789012.jsonl': ndjson(Array.from({ length: 20 }, (_, i) => item(i))),
  })
  const asked = await pipe(
    `jb-read lm-eval '${place}/m/samples_t_2024-05-01T12-34-56.789012.jsonl' | jb-render '${place}/task.yaml' | jb-call --max-error-rate 1 --no-cache | jb-parse`,
  )
  assert.equal(rowsOf(asked).filter((row) => row.jb.error?.stage === 'call').length, 5)
  const write = (args: string[]) => jb('write', ['lm-eval', ...args], { stdin: asked.stdout })
  const ran = await write(['--save', `${place}/out`])
  expect(ran, {
    code: 1,
    err: /llm_judge: 5 of 20 calls failed, more than max_error_rate 0\.2 .*no results file/,
  })
  timeless(`${place}/out`)
  assert.deepEqual(readdirSync(`${place}/out/m`), ['llm_judge_t_m_now.jsonl'])
  const more = ['--max-error-rate', '0.25', '--save', `${place}/named`]
  expect(await write(more), { err: /5 of 20 judgments failed/ })
  timeless(`${place}/named`)
  const results = JSON.parse(readFileSync(`${place}/named/m/results_now.json`, 'utf8'))
  assert.deepEqual(
    [results['n-shot'], results.higher_is_better, results.config, typeof results.date],
    [{ t: 0 }, { t: { llm_judge: true } }, { model: 'm' }, 'number'],
  )
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
  const ran = await jb('write', ['lm-eval'], { stdin })
  assert.deepEqual(JSON.parse(ran.stdout), { llm_judge: null, llm_judge_failed: 1 })
})
