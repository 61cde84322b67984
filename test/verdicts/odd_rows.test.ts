/** Rows whose `jb` was not written by jb: they fail, one by one, and the others are read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, jb } from '../helpers/run.ts'

const ODD = [7, 'x', true, [], {}, [7], [null], { a: 1 }, -1, 1.5, [{ name: 7 }]]

test('an odd value in jb fails its row: judge', async () => {
  const rows = [null, 7, {}, [], true].map((judge) => replied('x', 'Output (a)', { judge }))
  rows.push(replied('vanilla', 'Output (a)'))
  const read = rowsOf(expect(await jb('parse', ['-q'], { stdin: ndjson(rows) }), {}))
  assert.deepEqual(
    read.map(({ jb }) => jb.error?.code ?? jb.verdict?.decision),
    ['missing_field', ...Array(4).fill('bad_record'), 'A>B'],
  )
  assert.match(read[0]!.jb.error!.message, /no jb\.judge/)
  assert.match(read[1]!.jb.error!.message, /jb\.judge is 7, expected a string/)
})

/** Judges that look at more than the reply, and a reply that each can read. */
const READABLE: [judge: string, text: string][] = [
  ['direct', '{"explanation":"e","selected_option":"Yes","feedback":""}'],
  ['pairwise', '{"explanation":"e","selected_option":"Yes"}'],
  ['unitxt_select', 'Yes'],
  ['unitxt_pairwise_select', 'Yes'],
  ['m_prometheus', '[RESULT] 1'],
  ['nugget_assign', 'Verdict: support'],
  ['rating_weighted', '4'],
  ['vanilla', 'Output (a)'],
]
const CRITERION = {
  name: 'c',
  description: '',
  to_evaluate_field: 'text',
  context_fields: null,
  options: [{ name: 'Yes', description: '', score: 1 }],
}
const TRIAL = { n: 0, of: 1, order: 'BA', options: ['Yes', 'No'] }

test('an odd value in jb fails its row: trial, criterion, request, chain, probabilities', async () => {
  const rows = READABLE.flatMap(([judge, text]) =>
    ODD.flatMap((odd) =>
      [
        { trial: odd },
        { trial: { ...TRIAL, options: odd } },
        { trial: { ...TRIAL, pair: odd, answers: 2 } },
        { trial: { ...TRIAL, answers: odd } },
        { criterion: odd },
        { criterion: { ...CRITERION, options: odd } },
        { request: odd },
        { request: { messages: odd } },
        { chain: odd },
        { reply: { text, logprobs: odd } },
        { reply: { text, logprobs: { content: odd } } },
      ].map((jb) => replied(judge, text, { trial: TRIAL, criterion: CRITERION, ...jb })),
    ),
  )
  for (const args of [[], ['--compat', 'evalassist']]) {
    const read = rowsOf(expect(await jb('parse', ['-q', ...args], { stdin: ndjson(rows) }), {}))
    assert.equal(read.length, rows.length)
    for (const { jb } of read) assert.ok(jb.error || jb.verdict)
  }
  const again = await jb('render', ['-q', 'unitxt_select'], { stdin: ndjson(rows) })
  assert.equal(rowsOf(expect(again, {})).length, rows.length)
})

test('an odd value is named', async () => {
  const wrong: [jb: object, message: string][] = [
    [{ trial: 7 }, 'jb.trial is 7, expected an object'],
    [{ trial: { ...TRIAL, options: 'Yes' } }, 'jb.trial.options is "Yes", expected a list of strings'],
    [{ trial: TRIAL, criterion: 'c' }, 'jb.criterion is "c", expected an object'],
    [
      { trial: TRIAL, criterion: { name: 'c', options: [{ name: 7 }] } },
      'jb.criterion.options[0].name is 7, expected a string',
    ],
  ]
  const rows = wrong.map(([jb]) => replied('unitxt_select', 'Yes', jb))
  const read = rowsOf(expect(await jb('parse', ['-q'], { stdin: ndjson(rows) }), {}))
  assert.deepEqual(
    read.map(({ jb }) => [jb.error?.code, jb.error?.message]),
    wrong.map(([, message]) => ['bad_record', message]),
  )
})

const GRADED = { stdin: ndjson([replied('rating', 'Rating: [[9]]')]) }

test('--fallback: a score outside of the judge’s range is told, and so is where it changes nothing', async () => {
  expect(await jb('parse', ['--fallback', '30'], GRADED), {
    err: /^jb-parse: fallback 30: the scores of rating are from 1 to 5\njb-parse: 1 row, 100\.0 % /,
  })
  const read = rowsOf(expect(await jb('parse', ['-q', '--fallback', '5'], GRADED), {}))
  assert.equal(read[0]!.jb.verdict?.score, 5)
  const other = await jb('parse', ['--fallback', '3'], { stdin: ndjson([replied('vanilla', 'Output (a)')]) })
  expect(other, {
    err: 'jb-parse: --fallback has no effect on vanilla: a pairwise judge gives no grade\n',
  })
})

test('--compat and --pick: where they change nothing is told, once for a judge', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export const render = () => 'x'
export const parse = () => 'A>B'`,
  })
  const two = (judge: string) =>
    ndjson(['[[B>A]]\nno: [[A>B]]', '[[A>B]]'].map((text) => replied(judge, text)))
  const own = 'its own rule reads replies'
  const cases: [judge: string, args: string[], err: string][] = [
    [
      'arena_hard',
      ['--compat', 'mt-bench'],
      `--compat mt-bench has no effect on arena_hard: it can read as judgebench, rm-gallery; ${own}`,
    ],
    [
      'j.mjs',
      ['--judge', 'j.mjs', '--compat', 'lm-eval'],
      `--compat lm-eval has no effect on j.mjs: it cannot read as any original; ${own}`,
    ],
    [
      'arena_hard',
      ['--compat', 'rm-gallery', '--pick', 'first'],
      '--pick first has no effect on arena_hard: --compat rm-gallery picks as that original does',
    ],
  ]
  for (const [judge, args, err] of cases) {
    const read = expect(await jb('parse', args, { cwd, stdin: two(judge) }), { err: `jb-parse: ${err}\n` })
    assert.deepEqual(
      rowsOf(read).map(({ jb }) => jb.verdict?.decision),
      ['A>B', 'A>B'],
    )
  }
})
