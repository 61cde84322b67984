/** Task files of lm-eval: groups, Python functions, configs and versions in results, and what is wrong in a file. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder, judgeFolder } from '../helpers/folder.ts'
import { ndjson, rewritten, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { timeless } from '../helpers/timeless.ts'
import { simple, task } from './_lm-eval.ts'

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

test('of several includes the later wins, as since lm-eval 0.4.12, and a note says so', async (t) => {
  const place = folder(t, {
    'a.yaml': 'task: t\nmetric_list:\n  - metric: llm_judge\n    prompt_template: "A {{ prediction }}"\n',
    'b.yaml': 'metric_list:\n  - metric: llm_judge\n    prompt_template: "B {{ prediction }}"\n',
    'task.yaml': 'include: [a.yaml, b.yaml]\n',
  })
  const ran = expect(await jb('render', [`${place}/task.yaml`], { stdin: ndjson([{ prediction: 'p' }]) }), {
    err: /task\.yaml: of several included files the later overrides the earlier, as in lm-eval since 0\.4\.12/,
  })
  assert.equal(rowsOf(ran)[0]!.jb.request!.messages!.at(-1)!.content, 'B p')
})

test('a wrong task file says file, entry and what was expected (exit 78)', async (t) => {
  const files = {
    'none.yaml': 'task: t\nmetric_list:\n  - metric: bleu\n',
    'template.yaml': task('model: m'),
    'twice.yaml': `${simple}  - metric: llm_judge\n    prompt_template: x\n`,
    'score.yaml': task('response_format: { score: 1, other: 2 }\nscore_field: scor\nprompt_template: x'),
    'number.yaml': task('max_tokens: many\nprompt_template: x'),
    'none-at-once.yaml': task('concurrency: 0\nprompt_template: x'),
    'minus.yaml': task('retry_attempts: -1\nprompt_template: x'),
    'percent.yaml': task('max_error_rate: 10\nprompt_template: x'),
    'maybe.yaml': task('save_details: maybe\nprompt_template: x'),
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
    ['none-at-once', /metric_list\[0\]: concurrency is 0, expected a whole number of at least 1/],
    ['minus', /retry_attempts is -1, expected a whole number of at least 0/],
    ['percent', /max_error_rate is 10, expected a share from 0 to 1/],
    ['maybe', /save_details is "maybe", expected true or false/],
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

test('a key that is no setting, is not used, and is spelt nearly as a setting: told, for the default counts', async (t) => {
  const cwd = folder(t, {
    'task.yaml': task('temprature: 0.7\nmax_token: 9\nprompt_template: "{{ prediction }} {{ max_token }}"'),
  })
  const stdin = ndjson([{ prediction: 'x', doc: {} }])
  expect(await jb('render', ['task.yaml'], { cwd, stdin }), {
    err: 'jb-render: task.yaml: metric_list[0]: temprature is no setting, and the template does not use it: did you mean temperature?\n',
  })
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
  const trials = fine(await pipe(`jb-render '${place}/fine.yaml'`, { stdin })).stdout
  const reply = { text: 'Score: 7', model: 'm' }
  const replies = rewritten(trials, (row) => ({ ...row, jb: { ...row.jb, reply } }))
  const report = `jb-parse | jb-write lm-eval --save '${place}/out'`
  const ran = await pipe(report, { stdin: replies })
  assert.deepEqual(JSON.parse(fine(ran).stdout), { llm_judge: 7 })
  timeless(`${place}/out`)
  // The rows name no task: the file's own does.
  assert.deepEqual(readdirSync(`${place}/out`).sort(), ['llm_judge_mytask_m_now.jsonl', 'results_now.json'])
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(`${place}/out/results_now.json`, 'utf8')).results), [
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
  const read = `jb-read lm-eval '${place}/samples_t1_2024-05-01T12-34-56.789012.jsonl'`
  const rendered = await pipe(`${read} | jb-render '${place}/task.yaml' --compat lm-eval 2>/dev/null`)
  const [row] = rowsOf(rendered)
  assert.equal(row!.jb.request!.messages![0]!.content, 'Q|||True|n')
  row!.jb.reply = { text: 'Score: 4', model: 'm' }
  fine(
    await pipe(
      `jb-parse --judge '${place}/task.yaml' | jb-write -q lm-eval --judge '${place}/task.yaml' --save '${place}/out'`,
      { stdin: ndjson([row!]) },
    ),
  )
  timeless(`${place}/out`)
  const folder = readdirSync(`${place}/out`)[0]!
  const text = readFileSync(`${place}/out/${folder}/results_now.json`, 'utf8')
  const { configs, versions } = JSON.parse(text)
  assert.deepEqual(versions, { t1: 2.5 })
  assert.equal(configs.t1.process_docs, '!function utils.process_docs')
  assert.equal(configs.t1.metric_list[0].flag, true)
  assert.doesNotMatch(text, /sk-secret/)
})
