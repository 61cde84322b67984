/** Names and numbers of the command line that would change nothing, or too much. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, pair, rowOf } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'

const stdin = ndjson([pair({ other: 'x', list: ['a'] })])

test('--map and --set of a name that nothing looks at are refused, and told where the environment has them', async (t) => {
  const cwd = folder(t, { 'j.jinja2': '{{ question }} {{ other }}' })
  const cases: [args: string[], err: string][] = [
    [['vanilla', '--map', 'anser_a=other'], 'no template of vanilla uses "anser_a": did you mean answer_a?'],
    [
      ['j.jinja2', '--map', 'questoin=other'],
      'no template of j.jinja2 uses "questoin": did you mean question?',
    ],
  ]
  for (const [args, words] of cases) {
    const ran = await jb('render', args, { cwd, stdin })
    expect(ran, { code: 2, out: '' })
    assert.equal(ran.stderr, `jb-render: --map ${args[2]!.split('=')[0]}=…: ${words}\n`)
  }
  const set = await jb('render', ['prometheus_2', '--set', 'rubrc=x'], { cwd, stdin })
  expect(set, {
    code: 2,
    out: '',
    err: 'jb-render: --set rubrc=…: no template of prometheus_2 uses "rubrc": did you mean rubric?\n',
  })
  expect(await jb('render', ['vanilla', '--set', 'language=en'], { cwd, stdin }), {
    code: 2,
    err: /^jb-render: --set language=…: no template of vanilla uses "language" \(they use /,
  })
  // One set of names for several judges, of which not all use each.
  const env = { JB_MAP: 'reference=other' }
  expect(await jb('render', ['vanilla'], { cwd, stdin, env }), {
    err: 'jb-render: --map reference=…: no template of vanilla uses "reference" (they use answer_a, answer_b, question)\n',
  })
})

test('--map of a name that is used somewhere, or may be, is taken', async (t) => {
  const grade = { kind: 'grade', verdict: { rule: 'number' } }
  const prompt = (name: string, type: string, prompt_template: string) =>
    JSON.stringify({ name, type, system_prompt: '', prompt_template, output_format: '[[rating]]' })
  const entry = (name: string, uses: string) =>
    `  - { metric: llm_judge, name: ${name}, prompt_template: '{{ ${uses} }} Score:' }\n`
  const cwd = folder(t, {
    'j.mjs': `export const kind = 'grade'
export const parse = () => 1
export const render = (item, { fields }) => fields.anything`,
    'known.json': JSON.stringify({
      ...grade,
      prompt: '{{ question }}{{ extra }}{{ more }}',
      fields: { extra: 'other' },
      set: { more: 1 },
    }),
    'part.jinja2': '{{ inner }}',
    'whole.jinja2': '{% include "part.jinja2" %}{{ question }}',
    'item.jinja2': '{{ item.question }}',
    'global.jinja2': '{% for one in range %}{{ one }}{% endfor %}',
    'prompts.jsonl': `${prompt('one', 'single', '{question}')}\n${prompt('two', 'single', '{question} {ref}')}\n`,
    'task.yaml': `task: t\nmetric_list:\n${entry('a', 'question')}${entry('b', 'prediction')}`,
  })
  const cases: [judge: string, name: string][] = [
    ['j.mjs', 'anything'],
    ['known.json', 'extra'],
    ['known.json', 'more'],
    ['whole.jinja2', 'inner'],
    ['item.jinja2', 'question'],
    ['global.jinja2', 'range'],
    ['prompts.jsonl', 'ref'],
    ['task.yaml', 'prediction'],
    ['mt_bench', 'answer'],
  ]
  for (const [judge, name] of cases)
    expect(await jb('render', ['-q', judge, '--map', `${name}=list`], { cwd, stdin }), { err: '' })
  const criteria = ['direct', '--criteria', 'Is it short?', '--map', 'response=response_A']
  expect(await jb('render', criteria, { cwd, stdin }), { err: /fields not shown/ })
})

test('--samples has an upper limit, for all trials of an item are made at once', async () => {
  expect(await jb('render', ['vanilla', '--samples', '1e9'], { stdin }), {
    code: 2,
    out: '',
    err: 'jb-render: --samples: at most 10000, not 1e9\n',
  })
})

test('--undefined empty is advised only where it is not given', async (t) => {
  const cwd = folder(t, { 'deep.jinja2': '{{ x.a.b }}', 'first.jinja2': '{{ gone[0] }}' })
  const said = async (...args: string[]) =>
    rowOf(await jb('render', ['-q', ...args], { cwd, stdin: '{"x":{"c":1}}\n' })).jb.error!.message
  assert.match(await said('deep.jinja2'), /\(--undefined empty\)$/)
  assert.match(await said('deep.jinja2', '--undefined', 'empty'), /has no attribute 'a'$/)
  assert.match(await said('first.jinja2'), /\(--map gone=FIELD, --set gone=VALUE, or --undefined empty\)$/)
  assert.match(
    await said('first.jinja2', '--undefined', 'empty'),
    /\(--map gone=FIELD or --set gone=VALUE\)$/,
  )
})

test('two answers from one field, or each from the field of the other, are told before a call is paid for', async () => {
  const told = async (...maps: string[]) => {
    const args = ['vanilla', ...maps.flatMap((map) => ['--map', map])]
    return (await jb('render', args, { stdin: ndjson([pair({ output_1: '1', output_2: '2' })]) })).stderr
  }
  const twice =
    /answer_a and answer_b are the same field, (\w+): the judge would compare an answer with itself/
  assert.equal(twice.exec(await told('answer_b=response_A'))?.[1], 'response_A')
  assert.equal(twice.exec(await told('answer_a=output_1', 'answer_b=output_1'))?.[1], 'output_1')
  const turned = /answer_a is (\w+), and answer_b is (\w+): is that meant\?/
  assert.equal(turned.exec(await told('answer_a=response_B', 'answer_b=response_A'))?.[1], 'response_B')
  assert.equal(turned.exec(await told('answer_a=output_2', 'answer_b=output_1'))?.[1], 'output_2')
  assert.equal(await told('answer_a=output_1', 'answer_b=output_2'), '')
  assert.match(
    await told('question=response_A'),
    /^jb-render: answer_a and question are the same field, response_A: is that meant\?\n$/,
  )
})

test('a judge file whose prompt does not show one of its fields is refused: the judge would not see it', async (t) => {
  const file = (content: string, fields: object = {}) =>
    JSON.stringify({
      kind: 'pairwise',
      fields: { question: 'question', answer_a: 'response_A', answer_b: 'response_B', ...fields },
      messages: [{ role: 'user', content }],
      verdict: { rule: 'label', pattern: '[AB]', labels: { A: 'A>B', B: 'B>A' } },
    })
  const whole = '{{ question }} {{ answer_a }} {{ answer_b }}'
  const cwd = folder(t, {
    'whole.json': file(whole),
    'braces.json': file(whole.replace('{{ answer_a }}', '{answer_a}')),
    'names.json': file(whole.replace('answer_b', 'response_B')),
    'same.json': file(whole, { answer_b: 'response_A' }),
  })
  const told = async (name: string) => (await jb('render', [name], { cwd, stdin })).stderr
  assert.equal(await told('whole.json'), '')
  assert.match(
    await told('braces.json'),
    /braces\.json: fields\.answer_a: no template uses "answer_a" \(they use .*\): the judge would not see response_A\n$/,
  )
  assert.match(await told('names.json'), /fields\.answer_b: no template uses "answer_b"/)
  assert.match(await told('same.json'), /answer_a and answer_b are the same field, response_A/)
})

test('a name that the template has and nobody else is told with the nearest that there is', async (t) => {
  const cwd = folder(t, { 'j.txt': '{{ questoin }}' })
  const { jb: row } = rowOf(await jb('render', ['j.txt', '-q'], { cwd, stdin }))
  assert.match(row.error!.message, /'questoin' is undefined: did you mean question\? \(--map/)
})

test('a field of the judge that is null fails its row: the prompt would say None in its place', async () => {
  const items = [pair({ question: null }), pair()]
  const out = (await jb('render', ['vanilla', '-q'], { stdin: ndjson(items) })).stdout
  const errors = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).jb.error?.message)
  assert.deepEqual(errors, [
    'field "question" is null: there is nothing to judge ("" is an empty text)',
    undefined,
  ])
})

test('a row in which all of the judge’s fields are empty fails before the call; an empty answer is judged', async () => {
  const errorOf = async (item: object) =>
    rowOf(await jb('render', ['vanilla', '-q'], { stdin: ndjson([item]) })).jb.error?.message
  const empty = { question: '', response_A: '', response_B: null }
  assert.equal(await errorOf(empty), 'nothing to judge: question, response_A, response_B are empty')
  assert.equal(await errorOf({ ...empty, response_A: 'a', response_B: '' }), undefined)
})

test('how many texts are empty is said, and an answer that is the same in every item', async () => {
  const told = async (judge: string[], items: object[]) =>
    (await jb('render', judge, { stdin: ndjson(items) })).stderr
  const answers = [
    ['x', ''],
    ['', ' '],
    ['y', 'z'],
  ].map(([response_A, response_B], i) => pair({ pair_id: `${i}`, response_A, response_B }))
  assert.equal(
    await told(['vanilla'], answers),
    'jb-render: empty texts: response_B in 2 of 3 items, response_A in 1 of 3 items\n',
  )
  const nan = Array.from({ length: 10 }, (_, i) =>
    pair({ pair_id: `${i}`, response_A: 'nan', response_B: 'nan' }),
  )
  assert.equal(
    await told(['vanilla'], nan),
    'jb-render: response_A is the same in every item: "nan"\njb-render: response_B is the same in every item: "nan"\n',
  )
  assert.equal(await told(['vanilla'], nan.slice(1)), '')
  const texts = ['a', '', 'b'].map((response, id) => ({ id, response }))
  assert.equal(
    await told(['direct', '--criteria', 'conciseness'], texts),
    'jb-render: empty texts: response in 1 of 3 items\n',
  )
})

test('an id may be in capital letters, as in a header of a spreadsheet', async () => {
  const itemOf = async (item: object) =>
    rowOf(await jb('render', ['vanilla'], { stdin: ndjson([{ ...pair(), pair_id: null, ...item }]) })).jb.item
  assert.equal(await itemOf({ ID: 7 }), '7')
  assert.equal(await itemOf({ Question_ID: 'q', Id: 'i' }), 'q')
})
