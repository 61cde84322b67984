/** lm-eval's page on llm_judge: the document's command and its task files in jb, in its order. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { judgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, fine, pipe } from '../helpers/run.ts'
import { timeless } from '../helpers/timeless.ts'
import { detailsIn, envOf, inJb, judgment, logged, SAMPLES, sample } from './_lm-eval.ts'

/** A task of one's own with the document's settings. @param settings lines of its llm_judge entries */
const task = (...settings: string[][]) => {
  const entry = (lines: string[]) => [
    '- metric: llm_judge',
    '  aggregation: llm_judge',
    '  higher_is_better: true',
    ...lines.map((line) => `  ${line}`),
  ]
  return ['task: my_task', 'metric_list:', ...settings.flatMap(entry).map((line) => `  ${line}`), ''].join(
    '\n',
  )
}
const PROMPT =
  'prompt_template: "Rate {{ prediction }} against {{ reference }}, a question in {{ doc.source_lang }}."'

test('several judges by name: a metric and a file for each', async (t) => {
  const server = await judgeServer(t, (asked) => `Score: ${asked.model === 'gpt-4' ? 8.5 : 7.2}\nWhy.`)
  const accuracy = ['name: accuracy', 'model: gpt-4', PROMPT]
  const fluency = ['name: fluency', PROMPT]
  const cwd = judgeFolder(t, { ...logged, 'my_task.yaml': task(accuracy, fluency) })
  const env = {
    ...envOf(server),
    LLM_JUDGE_FLUENCY_MODEL: 'claude-haiku',
    LLM_JUDGE_FLUENCY_API_KEY: 'its-own',
  }
  const ran = fine(await pipe(inJb('my_task.yaml'), { cwd, env }))
  assert.deepEqual(JSON.parse(ran.stdout), { llm_judge_accuracy: 8.5, llm_judge_fluency: 7.2 })
  timeless(`${cwd}/results`)
  assert.deepEqual(readdirSync(`${cwd}/results/gpt2`).sort(), [
    'llm_judge_my_task_accuracy_gpt-4_now.jsonl',
    'llm_judge_my_task_fluency_claude-haiku_now.jsonl',
    'results_now.json',
    'samples_my_task_2026-01-01T00-00-00.000000.jsonl',
  ])
  assert.deepEqual(
    new Set(server.asked.map(({ model }, i) => `${model} ${server.keys[i]}`)),
    new Set(['gpt-4 Bearer none', 'claude-haiku Bearer its-own']),
  )
})

test('lines of the details, plain and structured', async (t) => {
  const server = await judgeServer(t, (asked) =>
    asked.response_format ? '{"score": 7.5, "reasoning": "So."}' : 'Score: 8.5\n\nIt is\naccurate.',
  )
  const run = async (...settings: string[]) => {
    const cwd = judgeFolder(t, { ...logged, 'my_task.yaml': task([...settings, PROMPT]) })
    const ran = fine(await pipe(inJb('my_task.yaml'), { cwd, env: envOf(server) }))
    return settings.includes('save_details: false')
      ? ran.stderr + readdirSync(`${cwd}/results/gpt2`)
      : detailsIn(cwd, 'gpt-4')[0]
  }
  const rest = { prediction: 'p0', reference: 'gold 0', error: null }
  const formatted_prompt = 'Rate p0 against gold 0, a question in English.'
  assert.deepEqual(await run(), {
    idx: 0,
    score: 8.5,
    judgment_raw: 'Score: 8.5\n\nIt is\naccurate.',
    explanation: 'It is\naccurate.',
    formatted_prompt,
    ...rest,
  })
  const form = 'response_format: { score: 8.5, reasoning: "Why." }'
  const { formatted_prompt: prompt, ...line } = (await run(form)) as Record<string, unknown>
  assert.deepEqual(line, {
    idx: 0,
    score: 7.5,
    judgment_raw: '{"score": 7.5, "reasoning": "So."}',
    judgment_parsed: { score: 7.5, reasoning: 'So.' },
    ...rest,
  })
  // The form stands behind a prompt that does not print it.
  assert.match(String(prompt), /^Rate p0 .*\n\n[^{]*\{\n {2}"score": 8\.5,\n {2}"reasoning": "Why\."\n\}/)
  assert.doesNotMatch(String(await run('save_details: false')), /llm_judge/)
})

test('a base file with fields of its own for the template, which a task that includes it overrides', async (t) => {
  const server = await judgeServer(t, judgment)
  const base = `metadata:\n  extra_llm_judge_fields:\n    source_field: sentence_eng_Latn\n${task(['prompt_template: "{{ doc[source_field] }} {{ prediction }}"'])}`
  const child =
    'include: ../flores200_base.yaml\ndataset_name: ara_Arab-eng_Latn\nmetadata:\n  extra_llm_judge_fields:\n    source_field: sentence_ara_Arab\n'
  const cwd = judgeFolder(t, { ...logged, 'flores200_base.yaml': base, 'ara/my_task.yaml': child })
  const env = envOf(server)
  for (const [file, source] of [
    ['flores200_base.yaml', 'Hello.'],
    ['ara/my_task.yaml', 'مرحبا'],
  ]) {
    server.asked.length = 0
    fine(await pipe(inJb(file!), { cwd, env: { ...env, JB_JUDGE: file! } }))
    assert.deepEqual(server.asked.map(lastOf).sort(), [`${source} p0`, `${source} p1`])
  }
})

test('replies: the first line with a score, the text behind it; none is NaN, which is no number of the mean', async (t) => {
  const replies = ['Well.\nScore: 12.5\nOver ten.\nScore: 3', 'No score.']
  const server = await judgeServer(t, (asked) => replies[Number(lastOf(asked).includes('p1'))]!)
  const cwd = judgeFolder(t, { ...logged, 'my_task.yaml': task([PROMPT]) })
  const ran = await pipe(inJb('my_task.yaml'), { cwd, env: envOf(server) })
  assert.deepEqual(JSON.parse(ran.stdout), { llm_judge: 12.5, llm_judge_failed: 1 })
  const [read, none] = detailsIn(cwd, 'gpt-4')
  assert.deepEqual([read!.score, read!.explanation], [12.5, 'Over ten.\nScore: 3'])
  assert.deepEqual([none!.score, none!.judgment_raw, none!.explanation], [null, 'No score.', null])
})

test('settings of calls: retries of what may pass, the check before the batch, max_error_rate', async (t) => {
  let deed: (n: number) => number | string = () => 'Score: 5'
  let n = 0
  const server = await judgeServer(t, () => {
    const done = deed(n++)
    return typeof done === 'number' ? { status: done } : done
  })
  const many = ndjson(Array.from({ length: 20 }, (_, i) => sample(i, `p${i}`)))
  const run = async (act: typeof deed, ...settings: string[]) => {
    deed = act
    n = 0
    server.asked.length = 0
    const cwd = judgeFolder(t, { [SAMPLES]: many, 'my_task.yaml': task([...settings, PROMPT]) })
    const ran = await pipe(`${inJb('my_task.yaml')}`.replace('jb-call -q', 'jb-call -q --no-cache'), {
      cwd,
      env: envOf(server),
    })
    timeless(`${cwd}/results`)
    return { ...ran, files: readdirSync(`${cwd}/results/gpt2`), calls: n }
  }
  const waits = ['retry_attempts: 5', 'retry_min_wait: 0.01', 'retry_max_wait: 0.02']
  for (const status of [429, 500, 502, 503, 504]) {
    const passing = await run((one) => (one < 3 ? status : 'Score: 5'), ...waits)
    assert.deepEqual([passing.code, JSON.parse(passing.stdout)], [0, { llm_judge: 5 }], String(status))
  }
  // A key that is refused: found by the first call, and not asked again.
  const refused = await run(() => 401, ...waits)
  expect(refused, { code: 1, err: /refuses the key in LLM_JUDGE_API_KEY \(HTTP 401: no\)/ })
  assert.equal(refused.calls, 1)
  const failing = (share: number) => (one: number) => (one < 20 * share ? 400 : 'Score: 5')
  const calm = ['preflight_check: false', 'concurrency: 1']
  const few = await run(failing(0.1), ...calm)
  assert.deepEqual([few.code, few.files.includes('results_now.json')], [0, true])
  const some = await run(failing(0.25), ...calm, 'max_error_rate: 0.3')
  assert.deepEqual(JSON.parse(some.stdout), { llm_judge: 5, llm_judge_failed: 5 })
  const all = await run(failing(0.75), ...calm, 'max_error_rate: 1.0')
  assert.deepEqual(JSON.parse(all.stdout), { llm_judge: 5, llm_judge_failed: 15 })
  const strict = await run(failing(0.1), ...calm, 'max_error_rate: 0.05')
  expect(strict, { code: 1, err: /max_error_rate|max-error-rate/ })
  assert.ok(!strict.files.includes('results_now.json'))
})
