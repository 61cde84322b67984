/** EvalAssist's README of its judges: the document's classes and calls in jb, in its order. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { serviceOf } from '../../src/stages/call/service.ts'
import { folder } from '../helpers/folder.ts'
import { judgeServer } from '../helpers/judge_server.ts'
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
