/** Gates: --fail-under and --max-error-rate, in every format. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { pairs } from './_report.ts'

test('gates: exit 1 below --fail-under or with more failures than --max-error-rate, the report all the same', async () => {
  const failed = {
    jb: { judge: 'arena_hard', item: 'f', error: { stage: 'call', code: 'timeout', message: 'x' } },
  }
  const rows = ndjson([...pairs({ x: [6, 4] }), failed])
  const gate = async (args: string[], code: number, err: RegExp | string) => {
    const ran = expect(await jb('aggregate', ['-q', ...args], { stdin: rows }), { code, err })
    assert.equal(JSON.parse(ran.stdout).items, 11)
  }
  await gate(['--fail-under', '0.6', '--max-error-rate', '0.1'], 0, '')
  await gate(
    ['--fail-under', '0.61'],
    1,
    /^jb-aggregate: arena_hard m: accuracy 0\.6 is below --fail-under 0\.61\n$/,
  )
  const third = await jb('aggregate', ['-q', '--fail-under', '0.3334'], {
    stdin: ndjson(pairs({ x: [1, 2] })),
  })
  expect(third, { code: 1, err: /accuracy 0\.3333 is below --fail-under 0\.3334/ })
  const near = await jb('aggregate', ['-q', '--fail-under', '0.33334'], {
    stdin: ndjson(pairs({ x: [1, 2] })),
  })
  expect(near, { code: 1, err: /accuracy 0\.3333 is below/ })
  const nearer = await jb('aggregate', ['-q', '--fail-under', '0.66667'], {
    stdin: ndjson(pairs({ x: [2, 1] })),
  })
  expect(nearer, { code: 1, err: /accuracy 0\.6666666666666666 is below --fail-under 0\.66667/ })
  await gate(['--max-error-rate', '0.05'], 1, /1 of 11 items failed, more than --max-error-rate 0\.05/)
  // A run without a valid item has missed every gate.
  const none = await jb('aggregate', ['-q', '--fail-under', '0'], { stdin: ndjson([failed]) })
  expect(none, { code: 1, err: /nothing was measured: no item of 1 is valid: timeout: x/ })
  expect(await jb('aggregate', ['-q', '--fail-under', '0'], { stdin: '' }), { code: 1 })
})

test('a gate holds for every judge of the run', async () => {
  const other = { jb: { judge: 'vanilla', reply: { text: 't', model: 'm' } } }
  const rows = [...pairs({ x: [9, 1] }), ...pairs({ x: [1, 9] }, other)]
  const ran = await jb('aggregate', ['-q', '--fail-under', '0.5'], { stdin: ndjson(rows) })
  expect(ran, { code: 1, err: /^jb-aggregate: vanilla m: accuracy 0\.1 is below/ })
})

test('gates hold for other formats too, or are refused where they have no meaning', async () => {
  const error = { stage: 'call', code: 'timeout', message: 'x', model: 'm' }
  const failed = {
    source: 'x',
    label: 'A>B',
    jb: { judge: 'arena_hard', item: 'f', trial: { n: 0, of: 1 }, error },
  }
  const judged = ndjson([...pairs({ x: [6, 3] }), failed])
  const grade = (score: number, i: number) => ({
    model: 'a',
    category: 'c',
    question_id: i,
    jb: {
      judge: 'mt_bench',
      item: `g${i}`,
      trial: { n: 0, of: 1 },
      verdict: { label: '', score, model: 'm' },
    },
  })
  const rated = ndjson([...[2, 4, 6].map(grade), { ...failed, jb: { ...failed.jb, judge: 'mt_bench' } }])
  const gate = async (as: string, stdin: string, args: string, code: number, err: RegExp | string) => {
    const ran = await jb('aggregate', ['-q', '--as', as, ...args.split(' ')], { stdin })
    expect(ran, { code, err })
    if (code !== 2) assert.equal(ran.stdout, (await jb('aggregate', ['-q', '--as', as], { stdin })).stdout)
  }
  const tooMany = /1 of \d+ items failed, more than --max-error-rate 0\.01/
  for (const as of ['judgebench', 'rm-gallery']) await gate(as, judged, '--max-error-rate 0.01', 1, tooMany)
  for (const as of [
    'lm-eval',
    'lm-eval-details',
    'mt-bench',
    'mt-bench-csv',
    'mt-bench-results',
    'evalassist',
  ]) {
    await gate(as, rated, '--max-error-rate 0.01', 1, tooMany)
    await gate(as, rated, '--max-error-rate 0.25', 0, '')
  }
  // The number that is printed there counts: what failed is not correct for judgebench.
  await gate('judgebench', judged, '--fail-under 0.6', 0, '')
  await gate('judgebench', judged, '--fail-under 0.61', 1, /m: accuracy 0\.6 is below --fail-under 0\.61/)
  await gate('rm-gallery', judged, '--fail-under 0.66', 0, '')
  await gate('rm-gallery', judged, '--fail-under 0.67', 1, /accuracy 0\.66\d+ is below/)
  for (const as of ['lm-eval', 'mt-bench']) {
    await gate(as, rated, '--fail-under 4', 0, '')
    await gate(as, rated, '--fail-under 4.1', 1, /mt_bench m: score 4 is below --fail-under 4\.1/)
  }
  for (const as of ['mt-bench-results', 'mt-bench-csv', 'evalassist', 'trec', 'qrels', 'nuggets'])
    await gate(as, rated, '--fail-under 5', 2, /--fail-under: --as \S+ has no accuracy/)
  expect(await jb('aggregate', ['--truth', 'x', '--fail-under', '1'], { stdin: '' }), {
    code: 2,
    err: /--fail-under: nothing is scored with --truth/,
  })
  // The environment is that of a whole pipe: there it is a note.
  expect(await jb('aggregate', ['--as', 'mt-bench-csv'], { stdin: rated, env: { JB_FAIL_UNDER: '5' } }), {
    err: /^jb-aggregate: JB_FAIL_UNDER is ignored: --as mt-bench-csv has no accuracy/,
  })
  for (const option of ['--fail-under', '--max-error-rate'])
    expect(await jb('aggregate', ['--partial', option, '0.5'], { stdin: judged }), {
      code: 2,
      err: /a gate is for the whole: give it to --merge/,
    })
})
