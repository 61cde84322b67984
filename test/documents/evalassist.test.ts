/** EvalAssist's README of its judges: the document's classes and calls in jb, in its order. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { serviceOf } from '../../src/stages/call/service.ts'
import { folder } from '../helpers/folder.ts'
import { type Asked, judgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe, ROOT } from '../helpers/run.ts'

const TEXT =
  'Use the API client to fetch data from the server and the cache to store frequently accessed results for faster performance.'

test('DirectJudge with feedback; evaluate_multi_criteria of two questions', async (t) => {
  const { url, asked } = await judgeServer(t, () =>
    JSON.stringify({ explanation: 'why', selected_option: 'Yes', feedback: 'more' }),
  )
  const run = async (questions: string) =>
    rowsOf(
      fine(
        await pipe(
          `jb-read evalassist | jb-render -q direct ${questions} --set feedback=true | jb-call -q -m llama --base-url ${url} --repair 3 | jb-parse -q | jb-score -q`,
          { stdin: `${JSON.stringify([TEXT])}\n` },
        ),
      ),
    )
  const [one] = await run("--criteria 'Is the text self-explanatory and self-contained?'")
  const { option, score, explanation, feedback } = one!.jb.result as Record<string, unknown>
  assert.deepEqual([option, score, explanation, feedback], ['Yes', 1, 'why', 'more'])
  assert.match(asked[0]!.messages.at(-1)!.content, /self-explanatory and self-contained/)
  const [both] = await run(
    "--criteria 'Is the text self-explanatory and self-contained?' --criteria 'Is the text consistent?'",
  )
  assert.equal(both!.jb.result!.score, 1)
})

/** A judge that is asked for JSON and chooses as the test says, or in words. */
const chosen = (asked: Asked, option: (options: string[], text: string) => string) => {
  const { schema } = (asked.response_format as { json_schema: { schema: Schema } }).json_schema
  const names = schema.properties.selected_option!.enum!
  const text = lastOf(asked)
  const said = Object.keys(schema.properties).map((key) => [key, `the ${key}`])
  return JSON.stringify({ ...Object.fromEntries(said), selected_option: option(names, text) })
}
interface Schema {
  properties: Record<string, { enum?: string[] }>
}

/** The results that jb-write evalassist gives for items, rendered as told. */
async function judged(cwd: string, url: string, render: string, items: object[], compat = '') {
  const line = `jb-render -q ${render}${compat} items.jsonl | jb-call -q -m m --base-url ${url} --no-cache --temperature 1 --repair 3 | jb-parse -q | jb-write -q evalassist`
  writeFileSync(`${cwd}/items.jsonl`, ndjson(items))
  return rowsOf(fine(await pipe(line, { cwd }))) as unknown as Record<string, unknown>[]
}

const YES_NO = [
  { name: 'Yes', score: 1 },
  { name: 'No', score: 0 },
]

test('an instance’s fields have the roles that the criterion gives them', async (t) => {
  const { url, asked } = await judgeServer(t, (one) => chosen(one, ([first]) => first!))
  const relevance = { to_evaluate_field: 'documents', context_fields: ['user_message'] }
  const grounded = { to_evaluate_field: 'assistant_response', context_fields: ['user_message', 'documents'] }
  const criteria = [
    { name: 'Context Relevance', description: 'Relevant?', ...relevance, options: YES_NO },
    { name: 'Groundedness', description: 'Grounded?', ...grounded, options: YES_NO },
  ]
  const cwd = folder(t, { 'rag.json': JSON.stringify(criteria) })
  const fields = { user_message: 'MESSAGE', assistant_response: 'RESPONSE', documents: 'DOCUMENTS' }
  const [both] = await judged(cwd, url, 'direct --criteria rag.json', [{ fields }])
  const seen = asked.map((one) =>
    ['MESSAGE', 'RESPONSE', 'DOCUMENTS'].filter((word) => lastOf(one).includes(word)),
  )
  assert.deepEqual(seen, [
    ['MESSAGE', 'DOCUMENTS'],
    ['MESSAGE', 'RESPONSE', 'DOCUMENTS'],
  ])
  assert.equal(both!.aggregated_score, 1)
  const [one] = await judged(cwd, url, 'direct --criteria rag.json#Groundedness', [{ fields }])
  assert.deepEqual(Object.keys(one!), [
    ...['criteria', 'instance', 'metadata', 'selected_option', 'explanation', 'positional_bias'],
    ...['score', 'feedback'],
  ])
  const { criteria: criterion, instance, metadata } = one as Record<string, Record<string, unknown>>
  assert.deepEqual(
    [criterion!.name, instance, Array.isArray(metadata!.prompt)],
    ['Groundedness', { fields }, true],
  )
})

test('MultiCriteria: weights, targets, thresholds, required, scores that are not normalized', async (t) => {
  const { url } = await judgeServer(t, (one) =>
    chosen(one, (_, text) => /Is it (\w+)\?/.exec(text)![1]!.replace(/^yes$/, 'Yes')),
  )
  const scale = ['1', '2', '3', '4', '5'].map((name) => ({ name, score: Number(name) }))
  const item = (answer: string, more: object) => ({
    criterion: {
      name: answer,
      description: `Is it ${answer}?`,
      to_evaluate_field: 'response',
      options: answer === 'yes' ? YES_NO : scale,
    },
    ...more,
  })
  const score = async (items: object[], more: object = {}) => {
    const cwd = folder(t, { 'multi.json': JSON.stringify({ items, ...more }) })
    const [result] = await judged(cwd, url, 'direct --criteria multi.json', [{ response: TEXT }])
    return result!.aggregated_score
  }
  const three = [
    item('4', { weight: 0.5 }),
    item('2', { weight: 0.3 }),
    item('yes', { weight: 0.2, target_option: 'Yes' }),
  ]
  assert.equal(await score(three), 0.65)
  assert.equal(await score(three, { normalize_scores: false }), 2.8)
  assert.equal(await score([item('4', { weight: 1, score_threshold: 0.75 })]), 0)
  assert.equal(await score([item('5', { weight: 1, score_threshold: 0.75 })]), 1)
  const veto = (answer: string) => [
    item(answer, { weight: 0.5, required: true }),
    item('yes', { weight: 0.5 }),
  ]
  assert.equal(await score(veto('4')), 0)
  assert.equal(await score(veto('5')), 1)
})

test('PairwiseJudge of three answers in one call; each two of them with win rates', async (t) => {
  const { url, asked } = await judgeServer(t, (one) =>
    chosen(
      one,
      (options, text) =>
        options.findLast((name) => text.includes(`${name}:`) && !/tie/.test(name)) ?? options[0]!,
    ),
  )
  const cwd = folder(t)
  const items = [{ fields: { response: ['a', 'bb', 'ccc'] } }]
  const [one] = await judged(cwd, url, "pairwise --criteria 'Which is longest?'", items)
  assert.equal(asked.length, 1)
  assert.deepEqual([typeof one!.selected_option, one!.per_system_results], ['number', null])
  const [contests] = await judged(cwd, url, "pairwise --contests --criteria 'Which is longest?'", items)
  assert.equal(asked.length, 1 + 3)
  const systems = contests!.per_system_results as Record<string, unknown>[]
  assert.deepEqual(Object.keys(systems[0]!), [
    ...[
      'contest_results',
      'compared_to',
      'explanations',
      'positional_bias',
      'winrate',
      'ranking',
      'selections',
    ],
  ])
  assert.equal(
    systems.reduce((sum, { winrate }) => sum + Number(winrate), 0),
    1.5,
  )
})

test('DirectJudge’s parameters: a description of the judge, a persona made for the criterion', async (t) => {
  const { url, asked } = await judgeServer(t, (one) =>
    one.response_format && /personas/.test(JSON.stringify(one.response_format))
      ? '{"personas": [{"name": "Ada", "description": "An editor."}]}'
      : chosen(one, ([first]) => first!),
  )
  const cwd = folder(t)
  const who = () => asked.at(-1)!.messages[0]!.content.split('\n')[0]
  const direct = "direct --criteria 'Is it clear?'"
  await judged(cwd, url, `${direct} --set judge_description_prompt='You are a cook.'`, [{ response: TEXT }])
  assert.equal(who(), 'You are a cook.')
  const persona = `jb-render -q persona --criteria 'Is it clear?' items.jsonl | jb-call -q -m m --base-url ${url} | jb-parse -q`
  writeFileSync(`${cwd}/personas.ndjson`, fine(await pipe(persona, { cwd })).stdout)
  await judged(cwd, url, `${direct} --personas personas.ndjson`, [{ response: TEXT }])
  assert.equal(who(), 'You are Ada. An editor.')
})

test('a reply that does not fit is asked for again with the error, three times; then a random option, if asked for', async (t) => {
  let broken = 2
  const { url, asked } = await judgeServer(t, (one, n) =>
    n < broken ? '{"explanation": "e", "selected_option": "Perhaps"}' : chosen(one, ([first]) => first!),
  )
  const cwd = folder(t)
  const run = (compat: string) =>
    judged(cwd, url, "direct --criteria 'Is it clear?'", [{ response: TEXT }], compat)
  const [mended] = await run('')
  assert.deepEqual([mended!.selected_option, asked.length], ['Yes', 3])
  assert.match(lastOf(asked[1]!), /Perhaps/)
  broken = Number.POSITIVE_INFINITY
  const before = asked.length
  const [random] = await run(' --compat evalassist')
  assert.equal(asked.length - before, 4)
  assert.ok(['Yes', 'No'].includes(String(random!.selected_option)))
  assert.equal((random!.metadata as Record<string, unknown>).generation_failed, true)
  const row = `jb-render -q direct --criteria 'Is it clear?' items.jsonl | jb-call -q -m m --base-url ${url} --repair 3 | jb-parse -q | jb-score -q`
  assert.equal(rowOf(await pipe(row, { cwd })).jb.error!.code, 'no_verdict')
})

test('Unitxt’s and M-Prometheus’s judges', async (t) => {
  const { url, asked } = await judgeServer(t, (one) =>
    one.messages.length > 1 && one.messages[0]!.role === 'user'
      ? 'Yes'
      : /Rubric/.test(lastOf(one))
        ? 'Feedback: so. [RESULT] 4'
        : 'It is clear.',
  )
  const call = `jb-call -q -m m --base-url ${url}`
  const scale = ['bad', 'poor', 'fair', 'good', 'best']
  const rubric = {
    name: 'clear',
    description: 'Is it clear?',
    to_evaluate_field: 'response',
    options: scale.map((name, i) => ({ name, description: `How ${name}`, score: i + 1 })),
  }
  const cwd = folder(t, { 'rubric.json': JSON.stringify(rubric) })
  const stdin = ndjson([{ instruction: 'Write.', response: TEXT }])
  const unitxt = `jb-render -q unitxt --criteria 'Is it clear?' | ${call} | jb-render -q unitxt_select | ${call} | jb-parse -q`
  const { option, explanation } = rowOf(fine(await pipe(unitxt, { cwd, stdin }))).jb.verdict!
  assert.deepEqual([option, explanation, asked.length], ['Yes', 'It is clear.', 2])
  const prometheus = `jb-render -q m_prometheus --criteria rubric.json | ${call} | jb-parse -q | jb-score -q`
  const { result } = rowOf(fine(await pipe(prometheus, { cwd, stdin }))).jb
  assert.deepEqual([result!.option, result!.score], ['good', 4])
})

test('check_positional_bias and self_consistency', async (t) => {
  const { url, asked } = await judgeServer(t, (one) => chosen(one, ([first]) => first!))
  const cwd = folder(t)
  const [one] = await judged(cwd, url, "direct --criteria 'Is it clear?' --order both --samples 3", [
    { response: TEXT },
  ])
  assert.equal(asked.length, 6)
  assert.deepEqual(
    [one!.selected_option, (one!.positional_bias as { detected: boolean }).detected],
    ['Yes', true],
  )
  assert.deepEqual((one!.metadata as { self_consistency: unknown }).self_consistency, {
    selected_options: ['Yes', 'Yes', 'Yes'],
  })
})

test('CrossProviderInferenceEngine: its short names are the services’ ids', async () => {
  const options = { api: undefined, usual: 'chat', env: {}, plain: false }
  for (const [model, id] of [
    ['watsonx/llama-3-3-70b-instruct', 'meta-llama/llama-3-3-70b-instruct'],
    ['watsonx/ibm/granite-3-8b-instruct', 'ibm/granite-3-8b-instruct'],
    ['bedrock/llama-3-3-70b-instruct', 'meta.llama3-3-70b-instruct-v1:0'],
    ['ollama/llama-3-3-70b-instruct', 'llama-3-3-70b-instruct'],
  ])
    assert.equal((await serviceOf(model!, options)).sentModel, id)
})

test('criteria of Unitxt’s catalogue by id and by name, in front of jb’s own', async (t) => {
  const criterion = (name: string) =>
    JSON.stringify({
      __type__: 'criteria_with_options',
      name,
      description: `Is it about ${name}?`,
      prediction_field: 'response',
      context_fields: ['user message'],
      options: ['Yes', 'No'].map((one) => ({ __type__: 'criteria_option', name: one, description: '' })),
      option_map: { Yes: 1, No: 0 },
    })
  const at = 'metrics/llm_as_judge/direct/criteria'
  const cwd = folder(t, {
    [`${at}/tone.json`]: criterion('tone'),
    [`${at}/conciseness.json`]: criterion('theirs'),
  })
  const render = (name: string, item: object, ...args: string[]) =>
    jb('render', ['-q', 'direct', '--criteria', name, ...args], { cwd, stdin: ndjson([item]) })
  const item = { context: { 'User message': 'hi' }, response: 'r', which: 'tone' }
  for (const [name, found] of [
    ['metrics.llm_as_judge.direct.criteria.tone', 'tone'],
    ['tone', 'tone'],
    ['@which', 'tone'],
    ['conciseness', 'theirs'],
  ]) {
    const row = rowOf(fine(await render(name!, item, '--catalog', '.')))
    assert.equal(row.jb.criterion!.name, found)
    assert.match(row.jb.request!.messages!.at(-1)!.content, /hi/)
  }
  const id = 'metrics.llm_as_judge.direct.criteria.tone'
  expect(await render(id, item), {
    code: 78,
    err: /it is an id in Unitxt's catalogue, whose folder --catalog DIR names/,
  })
  expect(await render(`${id}s`, item, '--catalog', '.'), {
    code: 78,
    err: /did you mean metrics\.llm_as_judge\.direct\.criteria\.tone\?/,
  })
  expect(await render(id, item, '--catalog', 'metrics'), {
    code: 78,
    err: /catalogue metrics: there is no metrics\/llm_as_judge/,
  })
})

test('evaluate_with_custom_prompt: the judge files of docs/criteria.md', async (t) => {
  const page = readFileSync(`${ROOT}docs/criteria.md`, 'utf8')
  const [, named, last] =
    /evaluate_with_custom_prompt[^`]*`[^`]*```yaml\n([^`]*)```[^`]*`[^`]*`[^`]*```yaml\n([^`]*)```/.exec(
      page,
    )!
  const graded = named!.replace('kind: choice', 'kind: grade').replace(/^verdict:.*\n/m, last!)
  const cwd = folder(t, { 'named.yaml': named!, 'graded.yaml': graded })
  const read = async (judge: string, said: object) => {
    const stdin = ndjson([{ said: JSON.stringify({ explanation: 'e', ...said }) }])
    const ran = await jb('parse', ['-q', '--judge', `./${judge}.yaml`, '--text', 'said'], { cwd, stdin })
    const { verdict, error } = rowOf(ran).jb
    return verdict?.option ?? verdict?.score ?? error?.code
  }
  assert.equal(await read('named', { selected_option: 'news' }), 'news')
  assert.equal(await read('named', { selected_option: 'bill' }), 'no_verdict')
  assert.equal(await read('graded', { selected_score: 4 }), 4)
  assert.equal(await read('graded', { selected_score: 4.5 }), 'no_verdict')
  assert.equal(await read('graded', { selected_score: 9 }), 'out_of_range')
})
