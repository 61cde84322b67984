/** RM-Gallery's tutorial of JudgeBench, and RewardBench 2: the document's commands in jb, in its order. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { type Asked, judgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe, ROOT, sh } from '../helpers/run.ts'
import { RM_GALLERY as COMMANDS, JUDGEBENCH_DATA as DATA, SCRIPT } from './_commands.ts'

/** Pairs as the tutorial shows them; the judge's replies go by the question. */
const pair = (pair_id: string, question: string, more: object = {}) => ({
  pair_id,
  original_id: null,
  source: 'mmlu-pro-computer science',
  question,
  response_model: 'gpt-4o-2024-05-13',
  response_A: 'GOOD',
  response_B: 'BAD',
  label: 'A>B',
  ...more,
})

/** How the replies of the tutorial's judge types end, if the first answer shown is better and if the second is. */
const FORMS: Record<string, [first: string, second: string]> = {
  vanilla: ['Output (a)', 'Output (b)'],
  arena_hard: ['[[A>B]]', '[[B>A]]'],
  auto_j: ['So, the final decision is Response 1', 'So, the final decision is Response 2'],
  prometheus_2: ['[RESULT] A', '[RESULT] B'],
  skywork_critic: ['[[A]]', '[[B]]'],
}

/** A judge that knows the right answer, and the form in which it is asked for it. */
function judgment(asked: Asked): string {
  const text = asked.messages.map(({ content }) => content).join('\n')
  const [first, second] = Object.values(FORMS).find(([form]) => text.includes(form.replace(/ A$/, ''))) ?? []
  return text.lastIndexOf('GOOD') < text.lastIndexOf('BAD') ? first! : second!
}

/** Such a command in jb: the table of docs/from/judgebench.md. */
function inJb(command: string): string {
  const given = (name: string) => new RegExp(`--${name} "?([^ "]+|[^"]+(?="))`).exec(command)?.[1]
  const order = command.includes('--shuffle_responses') ? ' --order random' : ''
  const call = `jb-call -q -m ${given('model')} -j ${given('max_workers') ?? 4}`
  return `jb-render -q --compat rm-gallery ${given('judge_type')}${order} --limit ${given('max_samples')} '${given('data_path')}' | ${call} | jb-parse -q | jb-write rm-gallery --compat rm-gallery -o '${given('result_path')}'`
}

test('each command of the tutorial, with its judge types and its model’s defaults', async (t) => {
  const { url, asked } = await judgeServer(t, judgment)
  const other = { source: 'livebench-math', response_A: 'BAD', response_B: 'GOOD' }
  const rows = [pair('0', 'q'), pair('1', 'q', other), pair('2', 'q', { ...other, label: 'B>A' })]
  const cwd = folder(t, { [DATA]: ndjson(rows) })
  mkdirSync(`${cwd}/data/results`)
  const env = { JB_BASE_URL: url, OPENAI_API_KEY: 'none' }
  const fraction = (right: number, of: number) => ({
    accuracy: right / of,
    correct_count: right,
    valid_samples: of,
    total_samples: of,
  })
  const run = async (template: string, judge_type: string) => {
    const command = template.replace(/\$\{?judge_type\}?/g, judge_type)
    asked.length = 0
    fine(await pipe(inJb(command), { cwd, env }))
    const path = /--result_path "([^"]+)"/.exec(command)![1]!
    assert.deepEqual(JSON.parse(readFileSync(`${cwd}/${path}`, 'utf8')), {
      model: command.includes('qwen3-32b') ? 'qwen3-32b' : 'deepseek-chat',
      judge_type,
      overall_accuracy: fraction(2, 3),
      source_accuracy: { 'mmlu-pro-computer science': fraction(1, 1), 'livebench-math': fraction(1, 2) },
    })
    // The document's own judges of JudgeBench have their system message; the client has one for all others.
    for (const { messages, temperature, max_tokens, top_p } of asked) {
      assert.deepEqual([temperature, max_tokens, top_p], [0.85, 8192, undefined])
      assert.deepEqual(
        messages.map(({ role, content }) => (role === 'system' ? content.split('.', 1)[0] : role)),
        [
          judge_type === 'arena_hard' ? messages[0]!.content.split('.', 1)[0] : 'You are a helpful assistant',
          'user',
        ],
      )
    }
  }
  for (const command of COMMANDS.filter((one) => one.startsWith(`${SCRIPT} --data_path`)))
    for (const judge of command.includes('$judge_type') ? Object.keys(FORMS) : ['arena_hard'])
      await run(command, judge)
})

test('a model’s own configuration: as options of jb-call, over the defaults, as in a judge file of one’s own', async (t) => {
  const { url, asked } = await judgeServer(t, judgment)
  const options = '--temperature 0.1 --max-tokens 2048 --param enable_thinking=true'
  const line = `jb-render -q prometheus_2 --compat rm-gallery | jb-call -q -m qwen3-32b --base-url ${url} ${options}`
  fine(await pipe(line, { stdin: ndjson([pair('0', 'q')]) }))
  const { temperature, max_tokens, enable_thinking } = asked[0]!
  assert.deepEqual([temperature, max_tokens, enable_thinking], [0.1, 2048, true])
  const own = {
    kind: 'pairwise',
    messages: [{ role: 'user', content: '{{ question }}' }],
    request: { temperature: 0 },
  }
  const verdict = { rule: 'label', pattern: '(A)', labels: { A: 'A>B' } }
  const cwd = folder(t, { 'own.json': JSON.stringify({ ...own, verdict }) })
  const row = rowOf(
    fine(
      await jb('render', ['./own.json', '--compat', 'rm-gallery'], { cwd, stdin: ndjson([pair('0', 'q')]) }),
    ),
  )
  assert.deepEqual(row.jb.request, {
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: 'q' },
    ],
    temperature: 0,
    max_tokens: 8192,
  })
})

/** The tutorial's third example: its replies, and what its parse makes of them. */
const REPLIES: [string, object][] = [
  ['Decision: [[A>B]] Confidence: 0.8', { decision: 'A>B', confidence: 0.8 }],
  ['I think [[B>A]] is better. Confidence: 0.9', { decision: 'B>A', confidence: 0.9 }],
  ['Both are equal [[A=B]] Confidence: 0.5', { decision: 'A=B', confidence: 0.5 }],
  ['Unclear response without clear format', { error: 'no_verdict' }],
]

test('a custom template with a confidence and a reason: the judge file of docs/from/judgebench.md', async (t) => {
  const [, file] = /^```yaml\n([^`]*keep:[^`]*)^```/m.exec(
    readFileSync(`${ROOT}docs/from/judgebench.md`, 'utf8'),
  )!
  assert.equal(file!.trimEnd().split('\n').length, 12)
  const cwd = folder(t, { 'research.yaml': file! })
  const said = [
    ...REPLIES,
    [
      'Reason: B is wrong.\nDecision: [[A>B]]\nConfidence: 0.75.',
      { decision: 'A>B', confidence: 0.75, reason: 'B is wrong.' },
    ],
    ['> Confidence: 0.1\n[[A>B]] Confidence: none', { decision: 'A>B' }],
  ] as const
  const stdin = ndjson(said.map(([text], i) => ({ ...pair(String(i), 'q'), text })))
  const ran = await jb('parse', ['-q', '--judge', './research.yaml', '--text', 'text'], { cwd, stdin })
  const found = rowsOf(ran).map(({ jb: { verdict, error } }) => {
    if (error) return { error: error.code }
    const { label, ...rest } = verdict!
    return rest
  })
  // In a quotation it counts, as a verdict does, where there is no other.
  assert.deepEqual(found, [...said.slice(0, -1).map(([, is]) => is), { decision: 'A>B', confidence: 0.1 }])
  // Over a result, too, and for jb-audit's calibration.
  const scored = rowsOf(
    await pipe('jb-parse -q --judge ./research.yaml --text text | jb-score -q', { cwd, stdin }),
  )
  assert.deepEqual(
    scored.map(({ jb: { trials } }) => trials?.[0]?.verdict?.confidence),
    [0.8, 0.9, 0.5, 0.75, 0.1, undefined],
  )
})

test('decisions as scores', async (t) => {
  const { url } = await judgeServer(t, (asked) => /say (\S+)/.exec(lastOf(asked))![1]!)
  const rows = ['A>B', 'B>A', 'A=B', 'none'].map((label) => pair(label, `say [[${label}]]`))
  const line = `jb-render -q arena_hard | jb-call -q -m m --base-url ${url} | jb-parse -q --compat rm-gallery | jb-score -q`
  const results = rowsOf(fine(await pipe(line, { stdin: ndjson(rows) })))
  assert.deepEqual(
    results.map(({ jb: { result } }) => result!.scores),
    [
      [1, 0],
      [0, 1],
      [0.5, 0.5],
      [0, 0],
    ],
  )
})

test('failed calls, replies without a verdict, pairs without a label: left out, or counted as its code counts them', async (t) => {
  const { url } = await judgeServer(t, (asked) => {
    const text = lastOf(asked)
    if (text.includes('FAIL')) return { status: 400 }
    return text.includes('NONE') ? 'I cannot say.' : 'So [[A>B]]'
  })
  const rows = [
    pair('0', 'FAIL'),
    pair('1', 'NONE'),
    pair('2', 'q'),
    pair('3', 'q', { label: 'B>A' }),
    pair('4', 'NONE', { label: undefined }),
    pair('5', 'q', { source: undefined }),
  ]
  const run = async (order: string, compat: string, some: object[] = rows) => {
    const line = `jb-render -q arena_hard --order ${order} | jb-call -q -m m --base-url ${url} --max-error-rate 1 | jb-parse -q${compat} | jb-write -q rm-gallery${compat}`
    const ran = await pipe(line, { stdin: ndjson(some) })
    return JSON.parse(ran.stdout)
  }
  const labelled = rows.filter(({ label }) => label)
  const single = { accuracy: 2 / 3, correct_count: 2, valid_samples: 3, total_samples: 5 }
  assert.deepEqual((await run('ab', '', labelled)).overall_accuracy, single)
  const original = await run('ab', ' --compat rm-gallery')
  assert.deepEqual(original, {
    model: 'm',
    judge_type: 'arena_hard',
    // The code finds an empty decision equal to a label that is not there.
    overall_accuracy: { accuracy: 0.5, correct_count: 3, valid_samples: 6, total_samples: 6 },
    source_accuracy: {
      'mmlu-pro-computer science': { accuracy: 0.4, correct_count: 2, valid_samples: 5, total_samples: 5 },
      null: { accuracy: 1, correct_count: 1, valid_samples: 1, total_samples: 1 },
    },
  })
  const both = (await run('both', ' --compat rm-gallery')).overall_accuracy
  assert.deepEqual(both, {
    accuracy: 100 / 6,
    correct_count: 1,
    incorrect_count: 0,
    tie_count: 5,
    valid_samples: 6,
    total_samples: 6,
    all_correct: 1,
    all_incorrect: 2,
    some_correct: 3,
    n_inconsistent: 3,
    n_nulls: 0,
  })
})

test('RewardBench 2: the recipe of docs/compare.md, from the Parquet file to the score', async (t) => {
  const { url } = await judgeServer(t, (asked) => {
    const text = lastOf(asked)
    if (!text.includes('[Assistant D]')) return text.includes('the right answer') ? 'Good.\n\n9' : 'Bad.\n\n2'
    const before = text.slice(0, text.indexOf('the right answer'))
    return `It is [[${/.*\[Assistant ([A-D])\]/s.exec(before)![1]}]]`
  })
  const cwd = folder(t, {})
  copyFileSync(`${ROOT}fixtures/rewardbench2.parquet`, `${cwd}/test.parquet`)
  const [, recipe] = /^```sh norun\n(jb-read parquet [^`]*rewardbench2[^`]*)^```/m.exec(
    readFileSync(`${ROOT}docs/compare.md`, 'utf8'),
  )!
  const env = { JB_BASE_URL: url, JB_QUIET: '1', OPENAI_API_KEY: 'none' }
  const report = { model: 'gpt-6-luna', Score: 6.01 / 6 }
  for (const domain of ['Factuality', 'Precise IF', 'Math', 'Safety', 'Focus'])
    Object.assign(report, { [domain]: 1 })
  const lines = fine(await sh(recipe!, { cwd, env }))
    .stdout.trimEnd()
    .split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [1, 2].map(() => ({ ...report, Ties: 1.01 })),
  )
  // The same verdicts in RM-Gallery's JSON.
  const command = 'jb-call -m gpt-6-luna trials.jsonl | jb-parse | jb-write rm-gallery-rewardbench2'
  const json = JSON.parse(fine(await pipe(command, { cwd, env })).stdout)
  const { model, overall_accuracy, subset_accuracy, ...counts } = json
  const { choice_distribution, ...overall } = overall_accuracy
  const accuracy = (n: number, ties: number) => ({
    accuracy: 1,
    correct_count: n,
    valid_samples: n,
    total_samples: n,
    ties_samples: ties,
    non_ties_samples: n - ties,
  })
  assert.deepEqual([model, overall], ['gpt-6-luna', accuracy(12, 2)])
  assert.deepEqual(Object.keys(subset_accuracy), [
    'Factuality',
    'Precise IF',
    'Math',
    'Safety',
    'Focus',
    'Ties',
  ])
  assert.deepEqual(subset_accuracy.Ties, accuracy(2, 2))
  assert.deepEqual(counts, { non_ties_count: 10, ties_count: 2, total_count: 12 })
  const places = Object.values(choice_distribution as Record<string, number>)
  assert.equal(
    places.reduce((sum, n) => sum + n, 0),
    10,
  )
  assert.ok(places.filter((n) => n > 0).length > 1, 'the right answer was shown in several places')
})

test('RewardBench 2 as RM-Gallery asks and reads: one message; a reply without a letter is A, one without a rating none', async (t) => {
  let says = 'I cannot say.'
  const { url, asked } = await judgeServer(t, () => says)
  const item = { id: '1', prompt: 'q', subset: 'Math', answers: ['a', 'b', 'c', 'd'] }
  const run = async (render: string, items: object[]) => {
    const line = `jb-render -q ${render} --compat rm-gallery | jb-call -q -m m --base-url ${url} | jb-parse -q | jb-write -q rm-gallery-rewardbench2`
    return JSON.parse(fine(await pipe(line, { stdin: ndjson(items) })).stdout)
  }
  const items = Array.from({ length: 40 }, (_, i) => ({ ...item, id: String(i) }))
  const { overall_accuracy } = await run('rewardbench_four --order random', items)
  // The right answer is the first shown in about a quarter of the items.
  assert.deepEqual(overall_accuracy.choice_distribution, { 0: 40, 1: 0, 2: 0, 3: 0 })
  assert.equal(overall_accuracy.valid_samples, 40)
  assert.ok(overall_accuracy.correct_count > 0 && overall_accuracy.correct_count < 40)
  assert.deepEqual(
    asked[0]!.messages.map(({ role }) => role),
    ['system', 'user'],
  )
  assert.match(lastOf(asked[0]!), /^You compare the answers of four[\s\S]*\n\n\[The user's message\]\nq\n/)
  const tied = { ...item, id: 'tied:1', subset: 'Ties', num_correct: 2 }
  says = 'Fine.\n\n7'
  assert.equal((await run('rewardbench_ratings', [tied])).overall_accuracy.correct_count, 1)
})
