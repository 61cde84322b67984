/** MT-bench's published judgments read again, and its prompts rendered again. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder, sharedData } from '../helpers/folder.ts'
import { rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: lines of other people's files
const lines = (path: string): any[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('all 480 recorded scores, read again by the default rule and by FastChat’s', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const recorded = lines(`${data}/vanbujm_gpt-4_single.jsonl`)
  for (const compat of [[], ['--compat', 'mt-bench']]) {
    const ran = await jb('parse', [
      '--judge',
      'mt_bench',
      '--text',
      'judgment',
      ...compat,
      `${data}/vanbujm_gpt-4_single.jsonl`,
    ])
    const rows = rowsOf(ran)
    assert.equal(rows.length, 480)
    assert.deepEqual(
      rows.map((row) => row.jb.verdict!.score),
      recorded.map(({ score }) => score),
    )
  }
})

test('means by model and turn', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const cwd = folder(t)
  const read = `jb-read mt-bench-judgments '${data}/vanbujm_gpt-4_single.jsonl' '${data}/question.jsonl'`
  const line = `${read} | jb-parse | tee verdicts | jb-aggregate --format json --by model --by turn --by category`
  const ran = await pipe(line, { cwd })
  const { items, valid, by } = JSON.parse(ran.stdout)
  assert.deepEqual([items, valid], [480, 480])
  assert.deepEqual(
    Object.entries(by.model as Record<string, { score: number }>).map(([model, { score }]) => [model, score]),
    [
      ['ultrachat_baseline', 6.39375],
      ['ultrachat_cai', 6.5125],
      ['ultrachat_sai', 6.675],
    ],
  )
  assert.equal(Object.keys(by.category).length, 8)
  const tables = await pipe('jb-write mt-bench-results verdicts', { cwd })
  assert.equal(
    tables.stdout,
    `
########## First turn ##########
                          score
model              turn        
ultrachat_sai      1     7.1500
ultrachat_cai      1     7.1000
ultrachat_baseline 1     6.7625

########## Second turn ##########
                         score
model              turn       
ultrachat_sai      2     6.200
ultrachat_baseline 2     6.025
ultrachat_cai      2     5.925

########## Average ##########
                      score
model                      
ultrachat_sai       6.67500
ultrachat_cai       6.51250
ultrachat_baseline  6.39375
`,
  )
})

test('all 480 recorded prompts, byte for byte, from judge_prompts.jsonl', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const recorded = new Map(
    lines(`${data}/vanbujm_gpt-4_single.jsonl`).map((row) => [
      `${row.question_id}:${row.model}:${row.turn}`,
      row,
    ]),
  )
  const items = await jb('read', ['mt-bench', data])
  for (const args of [
    ['mt_bench', '--templates', data],
    [`${data}/judge_prompts.jsonl#single`, '--syntax', 'format'],
  ]) {
    const rows = rowsOf(expect(await jb('render', args, { stdin: items.stdout }), { err: '' }))
    assert.equal(rows.length, 480)
    const same = rows.filter(
      ({ jb }) => jb.request!.messages!.at(-1)!.content === recorded.get(jb.item!)!.user_prompt,
    )
    assert.equal(same.length, 480)
    assert.equal(rows[0]!.jb.request!.messages![0]!.role, 'system')
  }
})

test('the rating extraction’s figures: with fallbacks as its code reads, and as documented', async (t) => {
  const data = sharedData(t, 'mt_bench')
  if (!data) return
  const cwd = folder(t)
  fine(
    await pipe(
      `jb-read mt-bench-judgments '${data}/vanbujm_gpt-4_single.jsonl' '${data}/question.jsonl' > replies`,
      { cwd },
    ),
  )
  const parsed = (args: string) =>
    pipe(`jb-parse --judge mt_bench_rating ${args} replies | jb-write mt-bench --compat none`, { cwd })
  const original = await parsed('--compat mt-bench')
  const report = JSON.parse(original.stdout)
  assert.deepEqual(Object.keys(report).slice(0, 11), [
    'total_questions',
    'average_rating',
    'utility_score',
    'median_rating',
    'std_rating',
    'min_rating',
    'max_rating',
    'ratings_distribution',
    'writing_avg_rating',
    'writing_utility_score',
    'writing_count',
  ])
  assert.deepEqual(
    [
      report.total_questions,
      report.average_rating,
      report.utility_score,
      report.median_rating,
      report.std_rating,
    ],
    [480, 6.4, 0.64, 8, 3.557620927904864],
  )
  assert.deepEqual([report.min_rating, report.max_rating, report.fallback], [1, 10, 9])
  assert.deepEqual(Object.keys(report.ratings_distribution), [
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '10',
  ])
  assert.match(original.stdout, /"median_rating": 8\.0,/)
  // "Rating: [[8.5]]" is a rating, documented as a number: six of the nine are read.
  const documented = JSON.parse((await parsed('')).stdout)
  assert.deepEqual([documented.total_questions, documented.failed, documented.fallback], [480, undefined, 3])
})
