/** What jb-parse writes of a verdict, and options that choose among several. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

test('strength and label are kept beside the decision, in shown terms', async () => {
  const rows = [
    replied('arena_hard', '[[A>>B]]'),
    replied('arena_hard', '[[A>>B]]', { trial: { n: 1, of: 2, order: 'BA' } }),
    replied('arena_hard', '[[B>A]]'),
    replied('judge_lm', '8 3', { trial: { n: 1, of: 2, order: 'BA' } }),
  ]
  const ran = expect(await jb('parse', [], { stdin: ndjson(rows) }), { err: '' })
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.verdict),
    [
      { label: 'A>>B', decision: 'A>B', strength: 2 },
      { label: 'A>>B', decision: 'B>A', strength: 2 },
      { label: 'B>A', decision: 'B>A', strength: 1 },
      { label: '8 3', decision: 'B>A', scores: [3, 8] },
    ],
  )
})

test('--pick: the last, the first, or none where they differ', async () => {
  const text = '[[A>B]] first,\nthen [[B>>A]],\nthen [[B>A]]'
  const said = async (args: string[], reply = text) => {
    const ran = expect(
      await jb('parse', ['-q', ...args], { stdin: ndjson([replied('arena_hard', reply)]) }),
      {},
    )
    const { verdict, error } = rowsOf(ran)[0]!.jb
    return verdict?.label ?? error?.code
  }
  assert.equal(await said([]), 'B>A')
  assert.equal(await said(['--pick', 'last']), 'B>A')
  assert.equal(await said(['--pick', 'first']), 'A>B')
  assert.equal(await said(['--pick', 'only']), 'conflict')
  // Labels of one meaning are no conflict.
  assert.equal(await said(['--pick', 'only'], '[[A>>B]] [[A>B]]'), 'A>B')
})

test('scores beyond the scale are out of range, not clamped', async () => {
  const ran = expect(
    await jb('parse', ['-q'], { stdin: ndjson([replied('judge_lm', '8 11'), replied('judge_lm', '0 5')]) }),
    {},
  )
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.error?.code),
    ['out_of_range', 'out_of_range'],
  )
})

test('a recorded reply is parsed without a render before it: --judge and --text', async () => {
  const rows = [
    { id: 7, said: { judgment: 'so [[B>A]]' }, label: 'B>A' },
    { id: 8, said: { judgment: 'so [[A=B]]' }, label: 'B>A' },
  ]
  const args = ['--judge', 'arena_hard', '--text', 'said.judgment']
  const ran = expect(await jb('parse', args, { stdin: ndjson(rows) }), { err: '' })
  const [first] = rowsOf(ran)
  assert.deepEqual(first, {
    ...rows[0],
    jb: {
      judge: 'arena_hard',
      item: '7',
      trial: { n: 0, of: 1 },
      verdict: { label: 'B>A', decision: 'B>A', strength: 1 },
    },
  })
  const report = JSON.parse(expect(await jb('aggregate', [], { stdin: ran.stdout }), {}).stdout)
  assert.deepEqual([report.accuracy, report.correct, report.tie], [0.5, 1, 1])
})

test('the grades of relevance and rubric: a sign or a point belongs to the number, here and in a copy', async (t) => {
  const cwd = judgeFolder(t, {}, ['relevance.yaml', 'rubric.yaml'])
  for (const name of ['relevance', 'rubric'])
    fine(await pipe(`jb-render ${name} --show > ${name}.yaml`, { cwd }))
  const cases: [text: string, said: unknown][] = [
    ['Grade: 2', 2],
    ['**Grade:** 2', 2],
    ['Grade: **2**', 2],
    ['Grade:2', 2],
    ['Grade: - 2', 2],
    ['Grade: [2.5]', 2.5],
    ['Grade: 1, no:\nGrade: 3', 3],
    ['Grade: 1, no: Grade: 3', 'conflict'],
    ['Grade: .5', 0.5],
    ['Grade: -1', 'out_of_range'],
    ['Grade:-1', 'out_of_range'],
    ['Grade: **-1**', 'out_of_range'],
    ['Grade: −1', 'out_of_range'],
    ['Grade: <2', 'no_verdict'],
    ['Grade: good', 'no_verdict'],
  ]
  for (const judge of ['relevance', 'rubric', 'relevance.yaml', 'rubric.yaml']) {
    const stdin = ndjson(cases.map(([text]) => replied(judge, text)))
    const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin }), {}))
    assert.deepEqual(
      cases.map(([text], i) => [text, read[i]!.jb.verdict?.score ?? read[i]!.jb.error?.code]),
      cases,
      judge,
    )
  }
})
