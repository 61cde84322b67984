/** Items that are like earlier ones are counted as they would be alone, whatever stands between their rows. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { Choices } from '../../helpers/random.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'

const DECISIONS = ['A>B', 'B>A', 'A=B']

/** A reply: what differs in it decides nothing, but makes a digest and sums. */
function replyOf(choices: Choices): object {
  const of = <T>(...from: T[]): T => choices.pick(from)
  const usage = {
    prompt_tokens: choices.below(3000),
    completion_tokens: of(0, 7, 123456789012),
    ...(choices.chance(0.1) &&
      of<object>(
        { cost: 0.25 },
        { total: -3 },
        { total: 10 ** 13 },
        { details: { cached: choices.below(99), n: [1.5] } },
      )),
  }
  return {
    ms: choices.below(5000),
    text: of('fine', `no ${choices.below(999)}`, 'a "quote"\n', 'é ≤ λ', 'long '.repeat(80), ''),
    finish_reason: 'stop',
    model: 'm',
    ...(choices.chance(0.03) && { served_model: 'm-1' }),
    ...(choices.chance(0.95) && { usage: choices.chance(0.01) ? [1, 2] : usage }),
    ...(choices.chance(0.9) && { cost: choices.chance(0.01) ? null : of(0.1, 2e-7, 1, 0) }),
    ...(choices.chance(0.03) && { reasoning: of('so', null) }),
  }
}

test('replies that differ are told apart, and what they cost is added up', async () => {
  const choices = new Choices(11)
  const rows: { jb: { reply: object } }[] = []
  for (let i = 0; i < 250; i++) {
    const games = choices.pick([1, 2, 2])
    for (let n = 0; n < games; n++) {
      const jb = { reply: replyOf(choices), ...(i % 53 === 7 && { request: { messages: [i], top_p: 1 } }) }
      rows.push(
        game(`p${i}`, n, games, choices.pick(DECISIONS), { label: choices.pick(DECISIONS), jb }) as never,
      )
    }
  }
  // Some items again, as they were, and with other replies.
  const others = rows.slice(210, 216).map(({ jb, ...user }) => ({
    ...user,
    jb: { ...jb, reply: { ...jb.reply, text: 'another' } },
  }))
  rows.push(...rows.slice(200, 220), ...others)
  const unlike = rows.map((row, i) => ({ ...row, jb: { ...row.jb, [`x${i}`]: i } }))
  for (const args of [[], ['--partial']]) {
    const report = async (all: object[]) =>
      (await jb('aggregate', ['-q', ...args], { stdin: ndjson(all) })).stdout
    const plain = await report(rows)
    assert.equal(await report(unlike), plain)
    assert.match(
      plain,
      args.length > 0 ? /"state":1/ : /"conflict":[1-9].*"prompt_tokens":[1-9]\d{5}.*"cost":[1-9]/,
    )
  }
})

test('a report does not depend on how often rows are like earlier ones', async (t) => {
  const choices = new Choices(7)
  const of = (count: number) => choices.below(count)
  const rows: object[] = []
  for (let i = 0; i < 1500; i++) {
    // Now and then an id with escapes, one that comes again, a game alone, or one that failed.
    const item = i % 41 === 0 ? `é"${i}` : i % 97 === 0 ? 'twice' : `p${i}`
    const more = {
      // The group of an item is that of its first row.
      source: item === 'twice' ? 's0' : `s${of(5)}`,
      label: DECISIONS[of(3)],
      question: i % 13 === 0 ? 'long '.repeat(900) : 'q',
    }
    const games = [0, 1].map((n) => {
      const failed = { error: { stage: 'call', code: 'timeout', message: 'late' }, verdict: null }
      return game(item, n, 2, DECISIONS[of(3)]!, {
        ...more,
        jb: { reply: null, ...(i % 53 === 7 && n && failed) },
      })
    })
    if (i % 29 === 3) rows.push(games[0]!)
    else if (i % 31 === 5) rows.splice(of(rows.length), 0, games[1]!, games[0]!)
    else rows.push(...games)
  }
  const here = folder(t)
  const report = async (name: string, all: object[], args: string[] = []) => {
    const path = join(here, name)
    writeFileSync(path, ndjson(all))
    return (await jb('aggregate', ['-q', ...args, path])).stdout
  }
  const plain = await report('plain', rows)
  // A key that differs in each jb: nothing is known again.
  const unlike = rows.map((row, i) => ({ ...row, jb: { ...(row as { jb: object }).jb, [`x${i}`]: i } }))
  assert.equal(await report('unlike', unlike), plain)
  const shuffled = rows.map((row) => ({ row, at: choices.next() })).sort((a, b) => a.at - b.at)
  assert.equal(
    await report(
      'shuffled',
      shuffled.map(({ row }) => row),
    ),
    plain,
  )
  const { items, failures } = JSON.parse(plain)
  assert.ok(items > 1400 && failures.conflict === 1 && failures.timeout > 10, plain)
})
