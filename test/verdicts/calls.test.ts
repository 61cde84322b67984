/** Rule calls: trajectories compared as openevals compares them, F1, reasons; jb-parse asks no model. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { checkJudge } from '../../src/judges/_check.ts'
import type { JsonObject } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe } from '../helpers/run.ts'

const judge = (mode: string, given: string) =>
  checkJudge(
    { kind: 'grade', verdict: { rule: 'calls', of: 'made', reference: 'expected', mode, arguments: given } },
    { name: 'j', where: 'j', builtin: false },
  )

async function verdict(mode: string, given: string, item: JsonObject) {
  return (await readerOf(judge(mode, given)))('', { item: () => item })
}

describe('rule calls', () => {
  it('scores as openevals, for every two of eleven trajectories, in all modes', async () => {
    const path = new URL('../../fixtures/traces/trajectories.json', import.meta.url)
    const { talks, modes, cases } = JSON.parse(readFileSync(path, 'utf8'))
    for (const [i, mode] of (modes as string[]).entries()) {
      const read = await readerOf(judge(...(mode.split(' ') as [string, string])))
      for (const one of cases) {
        const item = { made: talks[one.made], expected: talks[one.expected] }
        assert.equal(
          read('', { item: () => item }).score,
          Number(one.scores[i]),
          `${mode}: ${one.made}, ${one.expected}`,
        )
      }
    }
  })

  it('F1 is over calls with their number; both empty is 1; a reference may be a list of calls', async () => {
    const made = [
      { role: 'assistant', tool_calls: ['a', 'a', 'b'].map((name) => ({ name, args: { x: 1.0 } })) },
    ]
    const call = (name: string) => ({ name, arguments: '{"x": 1}' })
    const expected = [call('a'), call('c')]
    const found = await verdict('f1', 'exact', { made, expected })
    assert.equal(found.score, 2 / 5)
    assert.equal(found.reason, 'missing: c(x: 1); extra: a(x: 1), b(x: 1)')
    assert.equal((await verdict('f1', 'exact', { made: [], expected: [] })).score, 1)
    const other = await verdict('f1', 'exact', { made, expected: [{ name: 'b', arguments: { x: 2 } }] })
    assert.match(other.reason!, /^extra: a\(x: 1\), a\(x: 1\); different: b\(x: 1\); expected: b\(x: 2\)$/)
  })

  it('arguments that are not JSON fail the row, and ids beyond 2^53 stay apart', async () => {
    const call = (id: string) => `{"role":"assistant","tool_calls":[{"name":"f","args":${id}}]}`
    const row = (made: string, expected: string) =>
      `{"messages":[${call(made)}],"reference_messages":[${call(expected)}]}\n`
    const id = '{"id":12345678901234567890}'
    const stdin = row(id, id) + row(id, '{"id":12345678901234567891}') + row('"x="', '{}')
    const rows = rowsOf(await jb('parse', ['--judge', 'trajectory_match'], { stdin })) as JsonObject[]
    assert.deepEqual(
      rows.map(({ jb }) =>
        [(jb as JsonObject).verdict, (jb as JsonObject).error].map(
          (one) => (one as JsonObject)?.score ?? (one as JsonObject)?.code,
        ),
      ),
      [
        [1, undefined],
        [0, undefined],
        [undefined, 'bad_record'],
      ],
    )
  })

  it('is read by jb-parse alone, also on rows that another judge read; jb-render says so', async () => {
    const stdin = ndjson([
      { id: 'a', messages: [], reference_messages: [], reference_calls: [{ name: 'f' }] },
    ])
    const ran = fine(
      await pipe('jb-parse --judge trajectory_match | jb-parse --judge tool_correctness | jb-aggregate', {
        stdin,
      }),
    )
    const { judge, score, items } = JSON.parse(ran.stdout)
    assert.deepEqual([judge, score, items], ['tool_correctness', 0, 1])
    const asked = await jb('render', ['trajectory_match'], { stdin })
    assert.deepEqual([asked.code, /asks no model: jb-parse --judge/.test(asked.stderr)], [2, true])
  })
})
