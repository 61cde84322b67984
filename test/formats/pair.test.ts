/** jb-read pair: two models' outputs joined by id. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { expect, jb } from '../helpers/run.ts'

const lines = (...rows: string[]) => rows.map((row) => `${row}\n`).join('')

const GPT = lines(
  '{"id":12345678901234567890,"question":"1+1?","answer":"2","ms":1.0,"label":"A"}',
  '{"id":2,"question":"caf\\u00e9?","answer":"yes","ms":2}',
  '{"id":9,"question":"only here","answer":"z"}',
)
const LLAMA = lines(
  '{"id":2,"question":"café?","answer":"no","ms":3,"tokens":5}',
  '{"id":12345678901234567890,"question":"1+1?","answer":"3","ms":1.0}',
  '{"id":7,"question":"only there","answer":"z"}',
)

test('pairs by id: fields as written, those that differ by side, what is in one file alone', async (t) => {
  const cwd = folder(t, { 'gpt.jsonl': GPT, 'llama.jsonl': LLAMA })
  const names = '"model_a":"gpt","model_b":"llama"'
  expect(await jb('read', ['pair', '--a', 'gpt.jsonl', '--b', 'llama.jsonl'], { cwd }), {
    out: lines(
      `{"id":12345678901234567890,"question":"1+1?","ms":1.0,"label":"A",${names},"response_A":"2","response_B":"3"}`,
      `{"id":2,"question":"caf\\u00e9?","ms_a":2,"ms_b":3,"tokens":5,${names},"response_A":"yes","response_B":"no"}`,
    ),
    err: /: 1 id is in gpt.jsonl alone and left out: 9\n.*: 1 id is in llama.jsonl alone and left out: 7\n$/,
  })
})

test('an answer that is missing fails its row; what cannot be joined ends the run with its place', async (t) => {
  const row = (more: object) => `${JSON.stringify({ id: 1, question: 'q', answer: 'x', ...more })}\n`
  const cwd = folder(t, {
    ...{ 'a.jsonl': row({}), 'b.jsonl': row({ answer: 'y' }), 'null.jsonl': row({ answer: null }) },
    ...{
      'twice.jsonl': row({}) + row({}),
      'asked.jsonl': row({ question: 'r' }),
      'two.jsonl': row({ output: 'o' }),
    },
    ...{
      'none.jsonl': row({ id: null }),
      'far.jsonl': row({ id: 5 }),
      'pair.jsonl': row({ response_A: 'x' }),
    },
    ...{ 'c.csv': 'id,question,answer\n1,q,from a sheet\n', 'd.json': JSON.stringify([JSON.parse(row({}))]) },
  })
  const pairOf = (b: string, ...more: string[]) =>
    jb('read', ['pair', '-q', '--a', 'a.jsonl', '--b', b, ...more], { cwd })
  assert.match(
    expect(await pairOf('null.jsonl'), { code: 65 }).stdout,
    /"code":"missing_field","message":"no answer in answer of null/,
  )
  assert.match(
    expect(await pairOf('c.csv'), {}).stdout,
    /"model_b":"c","response_A":"x","response_B":"from a sheet"/,
  )
  expect(await pairOf('d.json', '--name-b', 'e'), { out: /"model_b":"e"/ })
  for (const [b, code, err] of [
    ['twice.jsonl', 65, /twice.jsonl:2: 1 is at twice.jsonl:1 already/],
    ['asked.jsonl', 65, /asked.jsonl:1: question of 1 is another than at a.jsonl:1/],
    ['two.jsonl', 65, /two.jsonl:1: several answers: answer, output \(--answer FIELD names the model's\)/],
    ['none.jsonl', 65, /none.jsonl:1: no id \(.*\) to join by: there are id, question, answer/],
    ['far.jsonl', 65, /no id of a.jsonl is in far.jsonl \(--id FIELD/],
    ['pair.jsonl', 65, /pair.jsonl:1: several answers|a field response_A already: is it a pair/],
    ['a.jsonl', 2, /both models are called a: --name-a NAME/],
  ] as const)
    expect(await pairOf(b), { code, err })
  expect(await jb('read', ['pair', 'a.jsonl', 'b.jsonl'], { cwd }), { code: 2, err: /two files are needed/ })
})

test('an id that is a number in one file and a text in the other stays the pair’s id', async (t) => {
  const cwd = folder(t, { 'a.jsonl': '{"id":1,"answer":"x"}\n', 'b.jsonl': '{"id":"1","answer":"y"}\n' })
  expect(await jb('read', ['pair', '--a', 'a.jsonl', '--b', 'b.jsonl'], { cwd }), {
    out: /^\{"id":1,"model_a"/,
  })
})

test('values are compared as they are written; a name that a field of the user’s has is an error', async (t) => {
  const read = (a: string, b: string, ...more: string[]) =>
    jb('read', ['pair', '--a', 'a.jsonl', '--b', 'b.jsonl', ...more], {
      cwd: folder(t, { 'a.jsonl': `${a}\n`, 'b.jsonl': `${b}\n` }),
    })
  expect(
    await read(
      '{"id":1,"answer":"x","meta":{"ref":12345678901234567890,"v":1.0}}',
      '{"id":1,"answer":"y","meta":{"ref":12345678901234567891,"v":1.0}}',
    ),
    {
      out: /"meta_a":\{"ref":12345678901234567890,"v":1.0\},"meta_b":\{"ref":12345678901234567891,"v":1.0\}/,
    },
  )
  expect(await read('{"id":1,"answer":"x","m":{"v":[1.0, 2]}}', '{"id":1,"answer":"y","m":{"v":[1.0,2]}}'), {
    out: /"m":\{"v":\[1.0, 2\]\},"model_a"/,
  })
  for (const [a, b] of [
    ['{"id":1,"answer":"x","score":1,"score_a":7}', '{"id":1,"answer":"y","score":2}'],
    ['{"id":1,"answer":"x","score_b":7,"score":1}', '{"id":1,"answer":"y","score":2}'],
    ['{"id":1,"answer":"x","score":1}', '{"id":1,"answer":"y","score":2,"score_a":7}'],
  ] as const)
    expect(await read(a, b), {
      code: 65,
      out: '',
      err: /a\.jsonl:1: "score_[ab]" would be two fields of the pair/,
    })
})

test('outputs as alpaca_eval has them: no id, the instruction joins and the generator is the model', async (t) => {
  const outputs = (generator: string, ...said: [string, string][]) =>
    JSON.stringify(
      said.map(([instruction, output]) => ({ instruction, output, generator, dataset: 'd' })),
      null,
      1,
    )
  const cwd = folder(t, {
    'model_outputs.json': outputs('m1', ['Q1', 'a'], ['Q2', 'b'], ['Q3', 'c']),
    'baseline.json': outputs('m2', ['Q3', 'z'], ['Q1', 'x']),
    'twice.json': outputs('m2', ['Q1', 'z'], ['Q1', 'x']),
  })
  expect(await jb('read', ['pair', '--a', 'model_outputs.json', '--b', 'baseline.json'], { cwd }), {
    out: lines(
      '{"instruction":"Q1","dataset":"d","model_a":"m1","model_b":"m2","response_A":"a","response_B":"x"}',
      '{"instruction":"Q3","dataset":"d","model_a":"m1","model_b":"m2","response_A":"c","response_B":"z"}',
    ),
    err: /there is no id: joined by "instruction", whose values are there once in each file\n.*1 id is in model_outputs.json alone and left out: Q2\n$/,
  })
  expect(await jb('read', ['pair', '--a', 'model_outputs.json', '--b', 'twice.json'], { cwd }), {
    ...{ code: 65, out: '', err: /no id \(.*\) to join by/ },
  })
  const doubt = folder(t, {
    'a.jsonl': '{"x":1,"y":2,"answer":"p"}\n{"x":2,"y":1,"answer":"q"}\n',
    'b.jsonl': '{"x":1,"y":1,"answer":"r"}\n{"x":2,"y":2,"answer":"s"}\n',
  })
  expect(await jb('read', ['pair', '--a', 'a.jsonl', '--b', 'b.jsonl'], { cwd: doubt }), {
    ...{ code: 65, out: '', err: /x, y are there once in each file: --id FIELD names the one to join by/ },
  })
})
