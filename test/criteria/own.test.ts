/** Judge files of one's own that ask about criteria, or go on from another judge; and how they may be wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder, judgeFolder } from '../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { criterion } from './golden.ts'

const ITEM = ndjson([{ id: 'a', question: 'q', response: 'text' }])

const judge = (more: string) => `about: One of one's own.
kind: choice
${more}
messages: [{ role: user, content: 'About {{ reply }}: {{ options }} by {{ criterion.name }}' }]
verdict: { rule: option }
`

test('a chat of its own sees the reply, the options and the criterion', async (t) => {
  const dir = folder(t, { 'second.yaml': judge('chain: fresh') })
  const ran = await pipe(
    `jb-render unitxt --criteria conciseness | jb-call -q -m baseline:first | jb-render '${dir}/second.yaml'`,
    { stdin: ITEM },
  )
  const { jb: made } = rowOf(fine(ran))
  assert.deepEqual(made.request!.messages, [
    { role: 'user', content: "About No: ['Yes', 'No'] by conciseness" },
  ])
  assert.equal(made.judge, `${dir}/second.yaml`)
  assert.equal(made.reply, undefined)
  assert.equal(made.chain![0]!.judge, 'unitxt')
  assert.equal(made.trial!.criterion, 'conciseness')
})

test('a judge that continues from a reply needs one', async () => {
  const ran = await jb('render', ['unitxt_select'], { stdin: ITEM })
  assert.match(rowOf(ran).jb.error!.message, /continues from the reply of another judge/)
  expect(await jb('render', ['unitxt_select', '--samples', '2'], { stdin: ITEM }), {
    code: 2,
    err: /use --samples with the judge before it/,
  })
})

test('judge files and options that do not fit are told before any row', async (t) => {
  const dir = folder(t, {
    'c.yaml': judge('criteria: every'),
    'd.yaml': judge('chain: again'),
    'three.json': JSON.stringify(
      criterion(
        'c',
        ['a', 'b', 'c'].map((name) => ({ name, score: null })),
      ),
    ),
    'personas.ndjson': '{"jb":{}}\n',
  })
  const cases: [args: string[], code: number, err: RegExp][] = [
    [[`${dir}/c.yaml`, '--criteria', 'conciseness'], 78, /"criteria" is "every", expected each .* or once/],
    [[`${dir}/d.yaml`], 78, /"chain" is "again", expected continue or fresh/],
    [
      ['m_prometheus', '--criteria', `${dir}/three.json`],
      78,
      /"c" has 3 options, m_prometheus needs 5, worst first/,
    ],
    [['direct', '--criteria', 'better_answer'], 78, /"better_answer" has no options/],
    [['direct', '--criteria', 'conciseness', '--contests'], 2, /which compares no answers/],
    [['vanilla', '--contests'], 2, /takes no criteria/],
    [['direct', '--criteria', 'conciseness', '--personas', `${dir}/personas.ndjson`], 78, /no persona in it/],
    [['direct', '--criteria', 'conciseness', '--personas', `${dir}/none`], 78, /none: no such file/],
    [['persona', '--criteria', 'conciseness', '--order', 'both'], 2, /does not show two answers/],
  ]
  for (const [args, code, err] of cases)
    expect(await jb('render', args, { stdin: ITEM }), { code, out: '', err })
})

test('a criterion without a persona is a failed row', async (t) => {
  const made = {
    criterion: criterion('other', []),
    verdict: { items: [{ name: 'Ada', description: 'You read.' }] },
  }
  const dir = folder(t, { 'p.ndjson': ndjson([{ jb: made }]) })
  const ran = await jb('render', ['direct', '--criteria', 'conciseness', '--personas', `${dir}/p.ndjson`], {
    stdin: ITEM,
  })
  assert.match(rowOf(ran).jb.error!.message, /no persona for criterion "conciseness"/)
})

test('an option that was not shown is no verdict, whatever rule read it', async (t) => {
  const dir = judgeFolder(t, {
    'word.yaml': `kind: choice
criteria: each
messages: [{ role: user, content: '{{ text }}' }]
verdict: { rule: label, pattern: '^(\\w+)' }
`,
  })
  const rows = rowsOf(
    fine(await jb('render', [`${dir}/word.yaml`, '--criteria', 'conciseness'], { stdin: ITEM })),
  )
  const read = async (text: string) =>
    rowOf(
      await jb('parse', [], {
        stdin: ndjson(rows.map((row) => ({ ...row, jb: { ...row.jb, reply: { text, model: 'm' } } }))),
      }),
    ).jb
  assert.equal((await read('Yes, it is')).verdict!.score, 1)
  assert.match((await read('Perhaps')).error!.message, /"Perhaps" is not one of the options shown: Yes, No/)
})

test('a --set that no judge of criteria knows is refused', async () => {
  const set = (text: string) =>
    jb('render', ['direct', '--criteria', 'conciseness', '--set', text], { stdin: '{"response":"x"}\n' })
  expect(await set('feedbak=true'), { code: 2, out: '', err: /did you mean feedback\?/ })
  expect(await set('zzzzzzzz=1'), { code: 2, out: '', err: /no template of direct uses "zzzzzzzz"/ })
  expect(await set('feedback=true'), { code: 0, err: '' })
})
