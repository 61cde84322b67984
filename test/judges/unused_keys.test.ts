/** Keys of a judge file that nothing would use are refused, with their place. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'

const JUDGE = {
  kind: 'choice',
  messages: [{ role: 'user', content: 'Is it good? {{ answer }}' }],
  verdict: { rule: 'label', pattern: '(PASS|FAIL)', labels: { PASS: 1, FAIL: 0 } },
}
const { verdict, messages } = JUDGE

const CASES: [changed: object, said: RegExp][] = [
  [{ options: { PASS: 1, FAIL: 0 } }, /j\.json: "options" is not used: .*verdict\.labels of rule label/],
  [{ range: [0, 1] }, /j\.json: "range" is not used: it is of the scores of kind grade/],
  [{ swap: [['a', 'b']] }, /j\.json: "swap" is not used: it is for kind pairwise/],
  [{ contests: true }, /j\.json: "contests" is not used/],
  [{ default: 1 }, /j\.json: unknown key "default"/],
  [{ labels: { PASS: 1 } }, /j\.json: unknown key "labels"/],
  [{ measures: { MEAN: 'mean' }, kind: 'list' }, /j\.json: "measures" is not used: .*kinds grade and choice/],
  [{ set: { tone: 'kind' } }, /j\.json: set\.tone: no template uses "tone" \(they use answer\)/],
  [{ set: { anser: 'kind' } }, /j\.json: set\.anser: no template uses "anser": did you mean "?answer"?\?/],
  [{ answers: ['answer_a'] }, /j\.json: answers: no template uses "answer_a" \(they use answer\)/],
  [{ fields: { question: 'q' } }, /j\.json: fields\.question: no template uses "question"/],
  [
    { messages: [{ ...messages[0], name: 'x' }] },
    /j\.json: unknown key messages\[0\]\.name \(known: role, content\)/,
  ],
  [{ verdict: { ...verdict, options: {} } }, /j\.json: unknown key verdict\.options of rule "label"/],
  [
    { verdict: { ...verdict, patterns: ['(x)'] } },
    /j\.json: verdict\.pattern is not used beside verdict\.patterns/,
  ],
  [{ again: { ask: 'again', tims: 1 } }, /j\.json: unknown key again\.tims: did you mean times\?/],
]

for (const [changed, err] of CASES)
  test(`refused: ${JSON.stringify(changed)}`, async (t) => {
    const cwd = folder(t, { 'j.json': JSON.stringify({ ...JUDGE, ...changed }) })
    const stdin = ndjson([{ answer: 'yes' }])
    expect(await jb('render', ['j.json'], { cwd, stdin }), { code: 78, out: '', err })
  })

test('the judge itself is taken, and a module by its default export', async (t) => {
  const cwd = folder(t, {
    'j.json': JSON.stringify(JUDGE),
    'j.mjs': `export default ${JSON.stringify(JUDGE)}\n`,
  })
  const stdin = ndjson([{ answer: 'yes' }])
  const [file, module] = [
    fine(await jb('render', ['j.json'], { cwd, stdin })),
    fine(await jb('render', ['./j.mjs'], { cwd, stdin })),
  ]
  const asked = ({ stdout }: { stdout: string }) => JSON.parse(stdout).jb.request
  assert.deepEqual(asked(module), asked(file))
})
