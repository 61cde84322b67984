/** Judges with the label formats of alpaca_eval, LLMBar and RewardBench, from items to the originals' figures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pythonCoin } from '../../src/rows/python_random.ts'
import { folder } from '../helpers/folder.ts'
import { game, ndjson } from '../helpers/rows.ts'
import { fine, jb } from '../helpers/run.ts'
import { objects } from '../helpers/stage.ts'

const lines = (stdout: string) => objects(stdout)

test('coins are Python’s', () => {
  // python3.11: [int(random.Random(f'is_switched_outputs{i}0').choices([False, True])[0]) for i in range(16)]
  const texts = Array.from({ length: 16 }, (_, i) => `is_switched_outputs${i}0`)
  assert.equal(texts.map((text) => Number(pythonCoin(text))).join(''), '1010001111100100')
  assert.deepEqual(['', 'a', 'é😀', 'x'.repeat(3000)].map(pythonCoin), [true, false, false, false])
})

/** Where alpaca_eval's files have what the judge asks about. */
const MAPPED = ['question=instruction', 'answer_a=output_1', 'answer_b=output_2'].flatMap((one) => [
  '--map',
  one,
])

const m = (p: number) => ({
  content: [
    {
      token: 'm',
      logprob: Math.log(p),
      top_logprobs: [
        { token: 'm', logprob: Math.log(p) },
        { token: 'M', logprob: Math.log(1 - p) },
        { token: 'x', logprob: -9 },
      ],
    },
  ],
})

test('alpaca_eval: the seeded swap, and preferences read again from the recorded probabilities', async (t) => {
  const one = {
    output_1: 'a',
    output_2: 'bb',
    generator_1: 'base',
    generator_2: 'new',
    dataset: 'd',
    annotator: 'w',
  }
  // As drawn: of instruction 0 the second output is shown first, of 1 the first.
  const rows = [
    { ...one, instruction: '0', preference: 1.25, raw_completion: { text: 'm', logprobs: m(0.25) } },
    { ...one, instruction: '1', preference: 1.75, raw_completion: { text: 'm', logprobs: m(0.25) } },
  ]
  const dir = folder(t, { 'new/w/annotations.json': JSON.stringify(rows) })
  const read = fine(await jb('read', ['alpaca_eval', `${dir}/new/w/annotations.json`]))
  const again = lines(fine(await jb('parse', ['--judge', 'alpaca_eval'], { stdin: read.stdout })).stdout)
  assert.deepEqual(
    again.map(({ jb }) => jb.trial.order),
    ['BA', 'AB'],
  )
  for (const { preference, jb } of again)
    assert.ok(Math.abs(jb.verdict.preference - (preference - 1)) < 1e-12)
  const asked = fine(
    await jb('render', ['alpaca_eval', ...MAPPED, '--order', 'alpaca_eval', '-q'], { stdin: ndjson(rows) }),
  )
  assert.deepEqual(
    lines(asked.stdout).map(({ jb }) => jb.trial.order),
    ['BA', 'AB'],
  )
  const rank = await jb('rank', ['--as', 'alpaca_eval', '-q'], { stdin: ndjson(again) })
  assert.match(fine(rank).stdout, /^new,50\.0,25\.0,1,1,0,2,50\.0,/m)
})

test('alpaca_eval: a folder names the model where it is one of the original’s results, no other', async (t) => {
  const one = { instruction: '0', output_1: 'a', output_2: 'b', generator_1: 'base', generator_2: 'new' }
  const text = JSON.stringify([{ ...one, annotator: 'w', preference: 2 }])
  const dir = folder(t, {
    'mine/today/annotations.json': text,
    'named/w/annotations.json': text,
    'results/other/v/annotations.json': text,
  })
  const files = ['mine/today', 'named/w', 'results/other/v'].map((at) => `${dir}/${at}/annotations.json`)
  const read = lines(fine(await jb('read', ['alpaca_eval', ...files])).stdout)
  assert.deepEqual(
    read.map(({ model_2, generator_2 }) => model_2 ?? generator_2),
    ['new', 'named', 'other'],
  )
})

test('alpaca_eval’s prompt files in ChatML: as a judge, and in place of the built-in one', async (t) => {
  const prompt =
    '<|im_start|>system\nRank.\n<|im_end|>\n<|im_start|>user\n{instruction}: {output_1} or {output_2}?\n<|im_end|>\n'
  const dir = folder(t, { 'alpaca_eval_clf/alpaca_eval_clf.txt': prompt })
  const item = ndjson([{ instruction: 'Say <|im_start|>', output_1: 'x', output_2: '{instruction}' }])
  const messages = async (...args: string[]) =>
    lines(fine(await jb('render', [...args, '-q'], { stdin: item })).stdout)[0].jb.request.messages
  const expected = [
    { role: 'system', content: 'Rank.' },
    { role: 'user', content: 'Say <|im_start|>: x or {instruction}?' },
  ]
  const file = `${dir}/alpaca_eval_clf/alpaca_eval_clf.txt`
  assert.deepEqual(await messages('alpaca_eval', ...MAPPED, '--templates', dir), expected)
  assert.deepEqual(await messages('alpaca_eval', ...MAPPED, '--templates', file), expected)
  assert.deepEqual(await messages(file, '--syntax', 'alpaca'), expected)
  const swapped = await messages('alpaca_eval', ...MAPPED, '--templates', dir, '--order', 'ba')
  assert.equal(swapped[1].content, 'Say <|im_start|>: {instruction} or x?')
})

test('rankings, and LLMBar’s last sentence', async () => {
  const said = async (judge: string, text: string) => {
    const { jb: told } = lines(
      (await jb('parse', ['--judge', judge, '--text', 'text', '-q'], { stdin: ndjson([{ text }]) })).stdout,
    )[0]
    return told.verdict?.decision ?? told.error.code
  }
  const list = (first: number) =>
    `[{'model': 'model_1', 'rank': ${first}}, {'model': 'model_2', 'rank': ${3 - first}}]`
  assert.equal(await said('alpaca_eval_ranking', list(1)), 'A>B')
  assert.equal(
    await said(
      'alpaca_eval_ranking',
      '```\n[{"rank": 1, "model": "model_2"}, {"rank": 2, "model": "model_1"}]\n```',
    ),
    'B>A',
  )
  assert.equal(await said('alpaca_eval_ranking', list(1).replace('2}]', '1}]')), 'conflict')
  assert.equal(await said('llmbar', 'Output (a) is longer. Therefore, Output (b) is better.'), 'B>A')
  assert.equal(await said('llmbar', 'Output (a)'), 'A>B')
  assert.equal(await said('alpaca_eval', 'M'), 'B>A')
  assert.equal(await said('alpaca_eval', 'both m and M'), 'no_verdict')
})

const chat = (text: string, model = 'x') => ({ text, model })

test('RewardBench 2: four answers in a random place, ratings one by one; what cannot be read is ¼ under compat', async () => {
  const items = ['a', 'b', 'c', 'd'].map((id) => ({
    id,
    subset: 'Focus',
    prompt: 'q',
    answers: ['right', 'w1', 'w2', 'w3'],
  }))
  const asked = lines(
    fine(await jb('render', ['rewardbench_four', '--order', 'random', '-q'], { stdin: ndjson(items) }))
      .stdout,
  )
  assert.ok(new Set(asked.map(({ jb }) => jb.trial.shown.indexOf(0))).size > 1, 'in several places')
  const letter = ({ jb }: (typeof asked)[0]) => 'ABCD'[jb.trial.shown.indexOf(0)]
  for (const row of asked)
    assert.ok(row.jb.request.messages[1].content.includes(`[Assistant ${letter(row)}]\nright\n`))
  const replies = asked.map((row, i) => ({
    ...row,
    jb: {
      ...row.jb,
      reply: chat(
        i === 3 ? 'none' : i === 2 ? `[[${letter(row) === 'A' ? 'B' : 'A'}]]` : `[[${letter(row)}]]`,
      ),
    },
  }))
  const focus = async (rows: object[], ...args: string[]) => {
    const verdicts = (await jb('parse', ['-q'], { stdin: ndjson(rows) })).stdout
    return lines((await jb('write', ['rewardbench2', '-q', ...args], { stdin: verdicts })).stdout)[0]
  }
  assert.equal((await focus(replies)).Focus, 2 / 3)
  assert.equal((await focus(replies, '--compat', 'rewardbench2')).Focus, 2.25 / 4)
  const single = lines(
    fine(await jb('render', ['rewardbench_ratings', '-q'], { stdin: ndjson(items.slice(0, 2)) })).stdout,
  )
  const ratings = ['8', 'Good.\n8', 'so:\n3', '**2**', '7', 'none', '9', '1']
  const rated = single.map((row, i) => ({ ...row, jb: { ...row.jb, reply: chat(ratings[i]!) } }))
  const report = await focus(rated)
  assert.deepEqual([report.Focus, report.failed], [1 / 2, 1])
  assert.equal((await focus(rated, '--compat', 'rewardbench2')).Focus, 1 / 4)
})

test('RewardBench 1: two ratings, ½ where they are equal; a result file for each judge from jb-rank', async () => {
  const items = [
    ['9', '3'],
    ['4', '4'],
    ['2', '8'],
    ['1', 'none'],
  ].flatMap((ratings, id) =>
    ratings.map((text, n) => ({
      id,
      subset: 'donotanswer',
      jb: {
        judge: 'rewardbench_ratings',
        item: `${id}`,
        trial: { n, of: 2, answer: `${n}` },
        reply: chat(text, 'gpt'),
      },
    })),
  )
  const verdicts = (await jb('parse', ['-q'], { stdin: ndjson(items) })).stdout
  const subsets = async (...args: string[]) =>
    lines((await jb('write', ['rewardbench', '-q', ...args], { stdin: verdicts })).stdout)[0].subsets
  assert.deepEqual(await subsets(), { donotanswer: 0.5 })
  assert.deepEqual(await subsets('--compat', 'rewardbench'), { donotanswer: 0.5 })
  // As published: a reply that could not be read is half right.
  const unread = [
    game('p', 0, 1, 'A>B', { subset: 'shp' }),
    {
      id: 'q',
      subset: 'shp',
      jb: { judge: 'arena_hard', item: 'q', error: { stage: 'parse', code: 'no_verdict', message: '' } },
    },
  ]
  const [{ subsets: half }] = lines(
    (await jb('write', ['rewardbench', '--compat', 'rewardbench'], { stdin: ndjson(unread) })).stdout,
  )
  assert.deepEqual(half, { shp: 0.75 })
})

test('rewardbench: an item that is there twice counts once, one with another reply is left out', async () => {
  const judged = (item: string, decision: string) => ({
    ...game(item, 0, 1, decision),
    subset: 'donotanswer',
  })
  const accuracy = async (...rows: object[]) =>
    lines((await jb('write', ['rewardbench', '-q'], { stdin: ndjson(rows) })).stdout)[0].subsets.donotanswer
  const [a, b] = [judged('p', 'A>B'), judged('q', 'B>A')]
  assert.deepEqual(
    await Promise.all([accuracy(a, b), accuracy(a, b, a), accuracy(a, b, judged('q', 'A>B'))]),
    [0.5, 0.5, 1],
  )
  assert.equal(await accuracy(judged('q', 'A>B'), b, a), 1)
})

test('arena-hard: one file of judgments, in no folder of a run', async (t) => {
  const games = ['[[A>>B]]', '[[B>A]]'].map((judgment) => ({ judgment, score: judgment.slice(2, -2) }))
  // Of v2.0, with a baseline a category, one without is told: not taken for v0.1's.
  const judged = [
    // A third game is not read there.
    { question_id: 'q', model: 'm', judge: 'j', games: [...games, games[0]] },
    { uid: 'u', category: 'hard_prompt', model: 'm', judge: 'j', games },
  ]
  const dir = folder(t, { 'm.jsonl': ndjson(judged) })
  const [lacking, ...rows] = lines((await jb('read', ['arena-hard', `${dir}/m.jsonl`])).stdout).reverse()
  assert.equal(lacking.jb.error.code, 'missing_field')
  rows.reverse()
  assert.deepEqual(
    rows.map(({ jb }) => [jb.trial.order, jb.verdict.decision, jb.verdict.strength]),
    [
      ['AB', 'A>B', 2],
      ['BA', 'A>B', 1],
    ],
  )
})

test('alpaca_eval: a judge’s verdicts become its line, whatever preference stands in the row', async () => {
  const row = (id: number, decision: string | null, preference?: number) => ({
    instruction: `do ${id}`,
    output_1: 'one',
    output_2: 'number two',
    generator_1: 'base',
    generator_2: 'mine',
    ...(preference !== undefined && { preference }),
    jb: {
      judge: 'alpaca_eval',
      item: String(id),
      trial: { n: 0, of: 1, order: 'AB' },
      reply: { text: 'M', model: 'j' },
      ...(decision
        ? { verdict: { label: 'M', decision } }
        : { error: { stage: 'parse', code: 'no_verdict', message: '' } }),
    },
  })
  const stdin = ndjson([row(1, 'B>A'), row(2, 'A>B', 2), row(3, 'B>A'), row(4, 'B>A', 1), row(5, null, 2)])
  const { stdout } = fine(await jb('rank', ['--as', 'alpaca_eval', '-q'], { stdin }))
  const [model, rate, , wins, lost, draws, total] = stdout.split('\n')[1]!.split(',')
  assert.deepEqual([model, rate, wins, lost, draws, total], ['mine', '75.0', '3', '1', '0', '4'])
})
