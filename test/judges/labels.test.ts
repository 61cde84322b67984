/** What labels of a judge file may be: whole matches, any other, strong ones; and what follows a label. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { verdict } from './_mistakes.ts'

test('a label may be the whole match, and strong in any case where labels are', async (t) => {
  const files = {
    'whole.json': verdict({ pattern: '\\b[12]\\b', strong: [1] }),
    'fold.json': verdict({
      pattern: '\\b(a+)\\b',
      flags: 'i',
      fold: true,
      labels: { A: 'A>B', AA: 'A>B', B: 'B>A' },
      strong: ['AA'],
    }),
  }
  const cwd = judgeFolder(
    t,
    Object.fromEntries(Object.entries(files).map(([name, one]) => [name, JSON.stringify(one)])),
  )
  const rows = [replied('whole.json', 'so 1'), replied('fold.json', 'a'), replied('fold.json', 'Aa')]
  const read = rowsOf(fine(await jb('parse', [], { cwd, stdin: ndjson(rows) })))
  assert.deepEqual(
    read.map(({ jb }) => [jb.verdict?.decision, jb.verdict?.strength]),
    [
      ['A>B', 2],
      ['A>B', 1],
      ['A>B', 2],
    ],
  )
})

test('the m_prometheus judges as their original reads them: digits, white space and line ends of Python', async (t) => {
  const cwd = judgeFolder(t, {}, ['m_prometheus.yaml', 'm_prometheus_pairwise.yaml'])
  for (const name of ['m_prometheus', 'm_prometheus_pairwise'])
    fine(await pipe(`jb-render ${name} --show > ${name}.yaml`, { cwd }))
  const cases: [judge: string, text: string, said: unknown][] = [
    ['m_prometheus', '[Result]: ٣', '3'],
    ['m_prometheus', 'Score:\x1f3/5', '3'],
    ['m_prometheus', 'Score:\ufeff3', 'no_verdict'],
    ['m_prometheus_pairwise', '\nResult: A\ufeff', 1],
    ['m_prometheus_pairwise', '\rResult: A', 1],
    ['m_prometheus_pairwise', '[RESULT]\x1cA\x85', 0],
  ]
  for (const ending of ['', '.yaml']) {
    const rows = cases.map(([judge, text]) => replied(`${judge}${ending}`, text))
    const ran = await jb('parse', ['-q', '--compat', 'evalassist'], { cwd, stdin: ndjson(rows) })
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => jb.verdict?.option ?? jb.verdict?.winner ?? jb.error?.code),
      cases.map(([, , said]) => said),
    )
  }
})

test('the m_prometheus judges: what follows a letter or a number may take it back', async (t) => {
  const cwd = judgeFolder(t, {}, ['m_prometheus.yaml', 'm_prometheus_pairwise.yaml'])
  for (const name of ['m_prometheus', 'm_prometheus_pairwise'])
    fine(await pipe(`jb-render ${name} --show > ${name}.yaml`, { cwd }))
  const cases: [judge: string, text: string, said: unknown][] = [
    ['m_prometheus', '[RESULT] 4', '4'],
    ['m_prometheus', '[RESULT] 4. Done.', '4'],
    ['m_prometheus', '[RESULT] 4/5', '4'],
    ['m_prometheus', '[RESULT] 4.5', 'out_of_range'],
    ['m_prometheus', '[RESULT] 3, then [RESULT] 4', 'conflict'],
    ['m_prometheus', '[RESULT] 3 to 4', 'conflict'],
    ['m_prometheus', '[RESULT] 45', 'out_of_range'],
    ['m_prometheus_pairwise', '[RESULT] A', 0],
    ['m_prometheus_pairwise', '[RESULT] A or B', 'no_verdict'],
    ['m_prometheus_pairwise', '[RESULT] B, as in [RESULT] A tie', 1],
    ['m_prometheus_pairwise', '[RESULT] A good answer', 'no_verdict'],
  ]
  for (const ending of ['', '.yaml']) {
    const rows = cases.map(([judge, text]) => replied(`${judge}${ending}`, text))
    const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin: ndjson(rows) }), {}))
    assert.deepEqual(
      read.map(({ jb }) => jb.verdict?.option ?? jb.verdict?.winner ?? jb.error?.code),
      cases.map(([, , said]) => said),
    )
  }
})
