/** `jb-write every_eval_ever`: what is evaluated, by which judges, and the figures. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { game, ndjson } from '../helpers/rows.ts'
import { expect, fine, jb, pipe, type Ran } from '../helpers/run.ts'

const FIXED = ['every_eval_ever', '--dataset', 'made/up']
const write = (rows: object[], ...args: string[]) => jb('write', [...FIXED, ...args], { stdin: ndjson(rows) })
// biome-ignore lint/suspicious/noExplicitAny: a document of another program
const documents = (stdout: string): any[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

const texts = { question: 'What is 2 + 2?', response_A: '4', response_B: '5' }
const model = (name: string) => ({ reply: { text: `[[A>B]] says ${name}`, model: name } })
const judged = (item: string, decision: string, more: object = {}) =>
  game(item, 0, 1, decision, { ...texts, jb: model('org/judge'), ...more })

/** An answer of a model, judged by itself. */
const answered = (id: string, verdict: object, more: object = {}) => ({
  ...{ id, model: 'org/writer', question: 'Why?', answer: `é ${id}`, reference: 'Because.' },
  ...more,
  jb: {
    ...{ judge: 'rating', item: id, trial: { n: 0, of: 1 } },
    reply: { text: 'Rating: [[1]]', model: 'org/judge', parameters: { temperature: 0.5 } },
    verdict: { label: '1', ...verdict },
  },
})

test('of pairs with labels the judge is evaluated: its accuracy, Wilson’s interval and the standard error', async () => {
  const rows = [judged('a', 'A>B'), judged('b', 'A>B'), judged('c', 'A>B'), judged('d', 'B>A')]
  const ran = await write(rows)
  fine(ran)
  const [one, ...others] = documents(ran.stdout)
  assert.equal(others.length, 0)
  assert.deepEqual(one.model_info, {
    name: 'judge',
    id: 'org/judge',
    developer: 'org',
    additional_details: { deployment_type: 'unknown', model_availability: 'unknown' },
  })
  assert.match(one.retrieved_timestamp, /^\d{10}$/)
  assert.equal(one.evaluation_id, `made/up/org/judge/${one.retrieved_timestamp}`)
  const [{ metric_config: metric, score_details: details }] = one.evaluation_results
  assert.equal(metric.metric_id, 'accuracy')
  assert.equal(details.score, 0.75)
  const { standard_error, standard_deviation, confidence_interval, num_samples } = details.uncertainty
  assert.equal(num_samples, 4)
  assert.equal(standard_deviation, 0.5)
  assert.deepEqual(standard_error, { value: 0.25, method: 'analytic' })
  // Wilson (1927) for 3 in 4, z = 1.959963984540054.
  assert.ok(Math.abs(confidence_interval.lower - 0.3006418423) < 1e-9)
  assert.ok(Math.abs(confidence_interval.upper - 0.9544127391) < 1e-9)
  const { llm_scoring: scoring } = metric
  assert.deepEqual(
    scoring.judges.map((judge: { model_info: { id: string } }) => judge.model_info.id),
    ['org/judge'],
  )
  assert.match(scoring.input_prompt, /^system: [\s\S]+\n\nuser: [\s\S]+\{\{ ?answer_a/)
  assert.equal('aggregation_method' in scoring, false)
  assert.deepEqual(details.details, { items: '4', valid: '4', failed: '0' })
})

test('--save writes both files, which name each other; the same rows give the same files', async (t) => {
  const cwd = folder(t)
  const rows = [judged('a', 'A>B'), judged('b', 'A=B')]
  const run = () => jb('write', [...FIXED, '--save', 'out'], { cwd, stdin: ndjson(rows) })
  const timeOf = ({ stdout }: Ran) => documents(stdout)[0].retrieved_timestamp
  let ran = fine(await run())
  let again = await run()
  // The second in which they were made is in them.
  if (timeOf(again) !== timeOf(ran)) [ran, again] = [again, await run()]
  assert.equal(again.stdout, ran.stdout)
  const [one] = documents(ran.stdout)
  const { file_path: path, checksum, total_rows } = one.detailed_evaluation_results
  assert.match(
    path,
    /^data\/made_up\/org\/judge\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}_samples\.jsonl$/,
  )
  const samples = readFileSync(`${cwd}/out/${path}`)
  assert.equal(createHash('sha256').update(samples).digest('hex'), checksum)
  assert.equal(total_rows, 2)
  const aggregate = readFileSync(`${cwd}/out/${path.replace('_samples.jsonl', '.json')}`, 'utf8')
  assert.deepEqual(JSON.parse(aggregate), one)
  const [first, tie] = documents(samples.toString())
  assert.equal(first.evaluation_id, one.evaluation_id)
  assert.equal(first.model_id, one.model_info.id)
  assert.equal(first.evaluation_result_id, one.evaluation_results[0].evaluation_result_id)
  assert.deepEqual(first.input, { raw: texts.question, reference: ['A>B'], choices: ['4', '5'] })
  assert.deepEqual(first.output, { raw: ['[[A>B]] says org/judge'] })
  assert.deepEqual(first.evaluation, { score: 1, is_correct: true })
  assert.deepEqual(tie.evaluation, { score: 0, is_correct: false })
})

test('of pairs without labels both models are evaluated, by their shares; neither has samples', async (t) => {
  const cwd = folder(t)
  const names = { label: null, model_a: 'x/one', model_b: 'y/two' }
  const rows = [judged('a', 'A>B', names), judged('b', 'A=B', names), judged('c', 'A>B', names)]
  const ran = await jb('write', [...FIXED, '--save', 'out'], { cwd, stdin: ndjson(rows) })
  expect(ran, { code: 0, err: /6 values have no sample/ })
  const [one, two] = documents(ran.stdout)
  const scoreOf = ({ evaluation_results: [{ score_details }] }: typeof one) => score_details.score
  assert.deepEqual([one.model_info.id, scoreOf(one)], ['x/one', 5 / 6])
  assert.deepEqual([two.model_info.id, Math.round(scoreOf(two) * 6)], ['y/two', 1])
  assert.equal('detailed_evaluation_results' in one, false)
  assert.ok(existsSync(`${cwd}/out/data/made_up/x/one`))
  expect(await write([judged('a', 'A>B', { label: null })]), {
    code: 65,
    err: /names none \(model_a and model_b\)/,
  })
})

test('pass and fail of answers: the pass rate of the model that wrote them, with a sample each', async (t) => {
  const cwd = folder(t)
  const rows = ['a', 'b', 'c'].map((id, i) =>
    answered(id, { option: i < 2 ? 'PASS' : 'FAIL', score: i < 2 ? 1 : 0 }),
  )
  const ran = await jb('write', [...FIXED, '--save', 'out'], { cwd, stdin: ndjson(rows) })
  fine(ran)
  const [one] = documents(ran.stdout)
  assert.equal(one.model_info.id, 'org/writer')
  const [{ metric_config: metric, score_details: details }] = one.evaluation_results
  assert.deepEqual([metric.metric_id, metric.min_score, metric.max_score], ['pass_rate', 0, 1])
  assert.equal(details.score, 2 / 3)
  const samples = documents(readFileSync(`${cwd}/out/${one.detailed_evaluation_results.file_path}`, 'utf8'))
  assert.deepEqual(
    samples.map(({ evaluation }) => evaluation.is_correct),
    [true, true, false],
  )
  assert.deepEqual(samples[0].output.raw, ['é a'])
  // hashlib.sha256(json.dumps({"raw": "Why?", "reference": ["Because."]}, …).encode()).hexdigest()
  assert.equal(samples[0].sample_hash, '984d17c48ae4178816f5f1ae1cfbb066b1a8c3e15f81774b396b0600a6f51607')
})

test('grades: their mean on the judge’s scale; samples only with --pass', async () => {
  const rows = [2, 4, 3].map((score, i) => answered(`${i}`, { score, range: [1, 5] }))
  const ran = await write(rows)
  expect(ran, { code: 0, err: /3 values have no sample/ })
  const [{ evaluation_results: results }] = documents(ran.stdout)
  const [{ metric_config: metric, score_details: details }] = results
  assert.deepEqual(
    [metric.metric_id, metric.score_type, metric.min_score, metric.max_score],
    ['mean_score', 'continuous', 1, 5],
  )
  assert.equal(details.score, 3)
  assert.equal(details.uncertainty.standard_error.value, 1 / Math.sqrt(3))
  assert.equal(metric.llm_scoring.judges[0].temperature, 0.5)
  fine(await write(rows, '--pass', '3'))
  const lower = documents((await write(rows, '--lower-is-better')).stdout)
  assert.equal(lower[0].evaluation_results[0].metric_config.lower_is_better, true)
  expect(await write(rows, '--pass', '3', '--lower-is-better'), { code: 2, err: /--lower-is-better/ })
})

test('a jury has a judge for each member, and how they are combined', async (t) => {
  const cwd = folder(t)
  const each = (name: string, decisions: string[]) =>
    decisions.map((decision, i) => judged(`p${i}`, decision, { jb: model(name) }))
  const rows = [
    ...each('x/a', ['A>B', 'A>B']),
    ...each('y/b', ['A>B', 'B>A']),
    ...each('z/c', ['B>A', 'B>A']),
  ]
  const line = `jb-score -q --jury majority | jb-write ${FIXED.join(' ')} --developer jury`
  const ran = await pipe(line, { cwd, stdin: ndjson(rows) })
  assert.equal(ran.code, 0, ran.stderr)
  const [{ model_info, evaluation_results: results }] = documents(ran.stdout)
  assert.equal(model_info.id, 'jury/majority of 3')
  const [{ metric_config: metric, score_details: details }] = results
  assert.equal(details.score, 0.5)
  assert.equal(metric.llm_scoring.aggregation_method, 'majority_vote')
  assert.deepEqual(
    metric.llm_scoring.judges.map(({ model_info }: { model_info: { id: string } }) => model_info.id),
    ['x/a', 'y/b', 'z/c'],
  )
})

test('what the rows do not say has to be given', async (t) => {
  const stdin = ndjson([judged('a', 'A>B', { jb: model('flat') })])
  expect(await jb('write', ['every_eval_ever'], { stdin }), { code: 2, err: /--dataset NAME/ })
  const cwd = folder(t)
  const save = (...args: string[]) => jb('write', [...FIXED, '--save', 'out', ...args], { cwd, stdin })
  expect(await save(), { code: 2, err: /"flat" names none: add --developer NAME/ })
  expect(await save('--developer', '..'), { code: 2, err: /cannot name a folder/ })
  assert.equal(existsSync(`${cwd}/out`), false)
  const noModel = answered('1', { score: 2, range: [1, 5] }, { model: undefined })
  expect(await write([noModel]), { code: 65, err: /no "model": .* --evaluated/ })
  expect(await write([noModel], '--evaluated', 'a/b'), { code: 0 })
})
