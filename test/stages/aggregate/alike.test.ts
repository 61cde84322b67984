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

test('a report does not depend on how often rows are like earlier ones', async (t) => {
  const choices = new Choices(7)
  const of = (count: number) => choices.below(count)
  const rows: object[] = []
  for (let i = 0; i < 3000; i++) {
    // Now and then an id with escapes, one that comes again, a game alone, or one that failed.
    const item = i % 41 === 0 ? `é"${i}` : i % 97 === 0 ? 'twice' : `p${i}`
    const more = {
      source: `s${of(5)}`,
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
  assert.ok(items > 2900 && failures.conflict === 1 && failures.timeout > 20, plain)
})
