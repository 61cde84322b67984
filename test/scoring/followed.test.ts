/** The mark of an original (`jb.compat`): what adds up follows it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

/** A game of a pair. */
const game = (item: string, order: 'AB' | 'BA', label: string, decision: string | null) => ({
  id: item,
  jb: {
    judge: 'vanilla',
    judge_digest: 'd',
    item,
    trial: { n: order === 'AB' ? 0 : 1, of: 2, order },
    reply: { text: label, model: 'm' },
    verdict: { label, decision },
  },
})

const ROWS = [game('1', 'AB', 'A', 'A>B'), game('1', 'BA', 'B', 'A>B')]
const marked = (rows: { jb: object }[], compat: string) =>
  rows.map((row) => ({ ...row, jb: { ...row.jb, compat } }))

const SAID =
  /^jb-\w+: adds up as evalassist does: the rows say so \(jb\.compat\); --compat none turns that off\n$/

test('jb-score, jb-aggregate and jb-write follow the mark and say so once; --compat none turns it off', async () => {
  const stdin = ndjson(marked(ROWS, 'evalassist'))
  const scored = await jb('score', [], { stdin })
  assert.match(scored.stderr, SAID)
  const [row] = rowsOf(scored) as unknown as { jb: { compat: string; result: { scored_with: object } } }[]
  assert.deepEqual([row!.jb.compat, row!.jb.result.scored_with], ['evalassist', { compat: 'evalassist' }])
  for (const args of [['aggregate'], ['write', 'evalassist']] as const) {
    for (const input of [stdin, scored.stdout])
      assert.match((await jb(args[0], [...args.slice(1)], { stdin: input })).stderr, SAID)
    const off = await jb(args[0], [...args.slice(1), '--compat', 'none'], { stdin })
    assert.doesNotMatch(off.stderr, /adds up/)
  }
  const [off] = rowsOf(fine(await jb('score', ['--compat', 'none'], { stdin }))) as unknown as {
    jb: { compat?: string; result: { scored_with?: object } }
  }[]
  assert.deepEqual([off!.jb.compat, off!.jb.result.scored_with], [undefined, undefined])
})

test('two marks in one stream, or rows with and without, end the run', async () => {
  const other = ROWS.map((row) => ({ ...row, jb: { ...row.jb, item: '2' } }))
  for (const rows of [
    [...marked(ROWS, 'evalassist'), ...marked(other, 'rm-gallery')],
    [...marked(ROWS, 'evalassist'), ...other],
    [...ROWS, ...marked(other, 'evalassist')],
  ]) {
    const stdin = ndjson(rows)
    for (const stage of ['score', 'aggregate'] as const) {
      expect(await jb(stage, [], { stdin }), {
        code: 65,
        out: /^/,
        err: /:3: jb\.compat is .*: say which holds for all, --compat (evalassist|rm-gallery) or --compat none/,
      })
      assert.equal((await jb(stage, ['--compat', 'none'], { stdin })).code, 0)
    }
  }
})

test('jb-parse marks the rows with the original that it reads as; none takes the mark away', async () => {
  const stdin = ndjson([{ id: '1', said: '[[A]]' }])
  const parsed = await pipe('jb-parse --judge vanilla --text said --compat rm-gallery', { stdin })
  const compat = async (args: string) =>
    (
      rowsOf(await pipe(`jb-parse --judge vanilla --text said ${args}`, { stdin: parsed.stdout }))[0]!.jb as {
        compat?: string
      }
    ).compat
  assert.equal(await compat(''), 'rm-gallery')
  assert.equal(await compat('--compat none'), undefined)
})
