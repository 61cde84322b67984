/** What all calls cost, in whatever order their rows come: each call counts once, whichever of the replies counts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'

/** A reply to a trial, and what the call cost. */
const call = (n: number, of: number, decision: string, cost: number, reply: object = {}, item = 'i') =>
  game(item, n, of, decision, {
    jb: { reply: { text: decision, model: 'm', usage: { prompt_tokens: 8 * cost }, cost, ...reply } },
  })

const report = async (rows: object[], ...args: string[]) =>
  JSON.parse((await jb('aggregate', ['-q', '--by', 'none', ...args], { stdin: ndjson(rows) })).stdout)

/** All orders, each row by row and scored before: what they cost is the same. */
async function costOf(rows: object[], ...args: string[]): Promise<string> {
  const orders = rows.flatMap((one, i) => {
    const rest = rows.filter((_, j) => j !== i)
    return [
      [one, ...rest],
      [...rest, one],
    ]
  })
  const found = new Set<string>()
  for (const order of orders) {
    const { usage, cost, failures, made } = await report(order, ...args)
    found.add(
      `${JSON.stringify(failures)} ${usage.prompt_tokens} tokens, $${cost}, ${made.served_models ?? ''}`,
    )
  }
  assert.equal(found.size, 1, [...found].join('\n'))
  const stdin = (await jb('score', ['-q'], { stdin: ndjson(rows) })).stdout
  if (args.length === 0) {
    const { cost } = JSON.parse((await jb('aggregate', ['-q', '--by', 'none'], { stdin })).stdout)
    assert.ok([...found][0]!.includes(`$${cost},`), `scored before: ${cost}`)
  }
  return [...found][0]!
}

test('replies that differ are a conflict, and all of them were paid for', async () => {
  const one = [call(0, 1, 'A>B', 0.5), call(0, 1, 'B>A', 0.25), call(0, 1, 'A=B', 1)]
  assert.equal(await costOf(one), '{"conflict":1} 14 tokens, $1.75, ')
  const two = [call(0, 2, 'A>B', 0.5), call(1, 2, 'A>B', 0.25), call(0, 2, 'B>A', 2)]
  assert.equal(await costOf(two), '{"conflict":1} 22 tokens, $2.75, ')
  assert.equal(await costOf([...two, two[0]!]), '{"conflict":1} 22 tokens, $2.75, ')
})

test('a call that failed and was paid for counts, also where it was tried again', async () => {
  const error = {
    stage: 'call',
    code: 'refused',
    message: 'x',
    model: 'm',
    usage: { prompt_tokens: 16 },
    cost: 2,
  }
  const refused = {
    id: 'i',
    jb: { judge: 'arena_hard', item: 'i', trial: { n: 0, of: 1, order: 'AB' }, error },
  }
  const other = call(0, 1, 'A>B', 0.5, {}, 'j')
  assert.equal(await costOf([refused, other]), '{"refused":1} 20 tokens, $2.5, ')
  assert.equal(await costOf([refused, refused, other]), '{"refused":1} 20 tokens, $2.5, ')
  assert.equal(await costOf([refused, call(0, 1, 'A>B', 1), other]), '{} 28 tokens, $3.5, ')
})

test('the same reply counts once; what another call for it cost is added', async () => {
  for (const of of [1, 2]) {
    const rest = of === 2 ? [call(1, 2, 'A=B', 1)] : []
    const [tokens, cost] = of === 2 ? [8, 1] : [0, 0]
    const words = (more: number) => `{} ${tokens + 8 * more} tokens, $${cost + more}, `
    const once = call(0, of, 'A>B', 0.5)
    assert.equal(await costOf([once, once, ...rest]), words(0.5))
    assert.equal(await costOf([once, call(0, of, 'A>B', 0.25), ...rest]), words(0.75))
    assert.equal(
      await costOf([once, call(0, of, 'A>B', 0.25), once, ...rest], '--combine', 'vote'),
      words(0.75),
    )
    // Another model that served it: another call.
    const served = call(0, of, 'A>B', 0.5, { served_model: 'm-2' })
    assert.equal(await costOf([once, served, served, ...rest]), `${words(1)}m-2`)
  }
})

// More than can be in doubt.
test('of many items that are there twice those with another cost are told apart', async (t) => {
  const item = (i: number, more = 0) => call(0, 1, 'A>B', (i % 4) / 4 + more, { text: `reply ${i}` }, `i${i}`)
  const rows = Array.from({ length: 10_800 }, (_, i) => item(i))
  const again = rows.map((row, i) => (i % 3600 === 7 ? item(i, 0.5) : row))
  const place = folder(t, { 'all.ndjson': ndjson([...rows, ...again]) })
  const { stdout } = fine(await jb('aggregate', ['-q', '--by', 'none', `${place}/all.ndjson`]))
  const { valid, cost, usage } = JSON.parse(stdout)
  const once = 10_800 * 0.375
  const more = [7, 3607, 7207].reduce((sum, i) => sum + (i % 4) / 4 + 0.5, 0)
  assert.deepEqual([valid, cost, usage.prompt_tokens], [10_800, once + more, 8 * (once + more)])
})

test('rows that disagree on how many trials there are: with all of the most, a conflict', async () => {
  const rows = [call(0, 2, 'A>B', 0.5), call(1, 3, 'A>B', 0.5)]
  assert.equal(await costOf(rows), '{"incomplete":1} 8 tokens, $1, ')
  assert.equal(await costOf([...rows, call(2, 2, 'A>B', 0.5)]), '{"conflict":1} 12 tokens, $1.5, ')
})
