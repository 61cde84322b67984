/** What a module is given, and that its parse may return all that custom templates return. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb } from '../helpers/run.ts'

test('a module’s answers are given to it in the order shown, with fields and without', async (t) => {
  const path = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export const answers = ['response_A', 'response_B']
export const render = (item, { fields }) => fields.response_A + '|' + fields.response_B
export const parse = () => 'A>B'`,
  })
  const stdin = ndjson([pair({ response_A: 'a', response_B: 'b' })])
  const rows = rowsOf(fine(await jb('render', ['j.mjs', '--order', 'both'], { stdin, cwd: path })))
  assert.deepEqual(
    rows.map(({ jb }) => jb.request?.messages?.[0]?.content),
    ['a|b', 'b|a'],
  )
})

const known = { stdin: ndjson([pair({ pair_id: 'x' })]) }

test('a module’s parse may return all that the tutorial’s custom templates return', async (t) => {
  const path = judgeFolder(t, {
    'research.mjs': `
export const kind = 'pairwise'
export const fields = { question: 'question', a: 'response_A', b: 'response_B' }
export const answers = ['a', 'b']
export const render = (item, { fields }) => [
  { role: 'system', content: 'As a research evaluator, compare.' },
  { role: 'user', content: 'Q: ' + fields.question + ' A: ' + fields.a + ' B: ' + fields.b },
]
export const request = { temperature: 0.1 }
export function parse(text, item) {
  const decision = text.includes('[[A>B]]') ? 'A>B' : text.includes('[[B>A]]') ? 'B>A' : text.includes('[[A=B]]') ? 'A=B' : ''
  const confidence = Number(/Confidence:\\s*([0-9.]+)/.exec(text)?.[1] ?? 0)
  return { decision, confidence, reason: 'about ' + item.question }
}
`,
    'words.mjs':
      'export const kind = "pairwise"; export const render = () => "x"; export const parse = (text) => text.trim()',
    'late.mjs':
      'export const kind = "pairwise"; export const render = () => { throw new Error("no") }; export const parse = () => { throw new Error("boom") }',
  })
  const item = { question: 'why?' }
  const said = async (file: string, text: string) => {
    const ran = expect(
      await jb('parse', ['-q'], { stdin: ndjson([replied(file, text, {}, item)]), cwd: path }),
      {},
    )
    const { verdict, error } = rowOf(ran).jb
    return verdict ?? error?.code
  }
  assert.deepEqual(await said('research.mjs', 'Decision: [[A>B]] Confidence: 0.8'), {
    label: 'A>B',
    decision: 'A>B',
    confidence: 0.8,
    reason: 'about why?',
  })
  assert.equal(await said('research.mjs', 'Unclear response without clear format'), 'no_verdict')
  // The decision alone, as a text; what is none of the four is no verdict and says so.
  assert.deepEqual(await said('words.mjs', ' B>A '), { label: 'B>A', decision: 'B>A' })
  for (const wrong of ['first', 'A', 'A>>B', ''])
    assert.equal(await said('words.mjs', wrong), 'no_verdict', wrong)

  const [asked] = rowsOf(fine(await jb('render', ['research.mjs'], { ...known, cwd: path })))
  assert.deepEqual(asked?.jb.request, {
    messages: [
      { role: 'system', content: 'As a research evaluator, compare.' },
      { role: 'user', content: 'Q: What is 2 + 2? A: 4, because two and two are four. B: 5' },
    ],
    temperature: 0.1,
  })
  // A function that throws fails its row, not the run.
  const thrown = expect(await jb('render', ['late.mjs', '-q'], { ...known, cwd: path }), {})
  assert.equal(rowOf(thrown).jb.error?.code, 'template_error')
  assert.match(rowOf(thrown).jb.error!.message, /late\.mjs: render: no/)
  const read = expect(
    await jb('parse', ['-q'], {
      stdin: ndjson([replied('late.mjs', 'x'), replied('vanilla', 'Output (a)')]),
      cwd: path,
    }),
    {},
  )
  assert.equal(rowsOf(read).length, 2)
  assert.match(rowsOf(read)[0]!.jb.error!.message, /boom/)
})
