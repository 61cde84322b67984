/** --until decided: a recorded run against one that comes in. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { type AnyRow, game, ndjson } from '../../helpers/rows.ts'
import { expect, jb } from '../../helpers/run.ts'
import { shuffledIds } from '../../helpers/shuffled.ts'

const { compare } = JSON.parse(
  readFileSync(new URL('../../../fixtures/statistics/evidence.json', import.meta.url), 'utf8'),
)
const recorded = compare.find(({ name }: { name: string }) => name === 'with missing and skipped')

/** Two runs whose items differ as these values of b − a say: null where the item is missing in a. */
function runs(differences: (number | null | 'skip')[], of: number): { a: AnyRow[]; b: AnyRow[] } {
  const [a, b]: [unknown[], unknown[]] = [[], []]
  for (const [i, { id, shuffle }] of shuffledIds(of).slice(0, differences.length).entries()) {
    const d = differences[i]!
    const error = d === 'skip' && {
      verdict: undefined,
      error: { stage: 'call', code: 'timeout', message: 'm', model: 'm' },
    }
    if (d !== null) a.push(game(id, 0, 1, d === 1 ? 'B>A' : 'A>B'))
    b.push(game(id, 0, 1, d === 1 || d === 0 || d === null ? 'A>B' : 'B>A', { jb: { shuffle, ...error } }))
  }
  return { a, b } as { a: AnyRow[]; b: AnyRow[] }
}

test('it stops where another program does, either run first, in any order of arrival', async (t) => {
  const { a, b } = runs(recorded.input, recorded.N)
  const place = folder(t, { 'a.ndjson': ndjson(a) })
  const until = (rows: object[], ...operands: string[]) =>
    jb('compare', [...operands, '--until', 'decided'], { stdin: ndjson(rows), cwd: place })
  const first = expect(await until(b, 'a=a.ndjson', 'b=-'), { code: 0 })
  const pair = JSON.parse(first.stdout)
  // Recorded of a − b: the first run is b here.
  const { decision, at, missing, difference, ci } = recorded.expect
  assert.equal(decision, 'a_better')
  assert.deepEqual([pair.until.decision, pair.until.at, pair.missing.a], ['b_better', at, missing])
  assert.ok(Math.abs(pair.difference - difference) < 1e-9 && Math.abs(pair.ci[0] - ci[0]) < 1e-6)
  assert.deepEqual([pair.verdict, pair.missing.b, pair.p], ['better', 0, undefined])
  assert.match(
    pair.sentence,
    new RegExp(`^decided after ${at} of ${recorded.N} items: b is better than a on all`),
  )
  assert.equal((await until(b.toReversed(), 'a=a.ndjson', 'b=-')).stdout, first.stdout)
  const turned = JSON.parse((await until(b, 'b=-', 'a=a.ndjson')).stdout)
  assert.deepEqual([turned.a, turned.until.decision, turned.until.at], ['b', 'a_better', at])
})

test('--margin: level; --fail-unless-level: a gate', async (t) => {
  const alike = runs(Array(100).fill(0), 100)
  const worse = runs(Array(60).fill(-1), 100)
  const place = folder(t, { 'a.ndjson': ndjson(alike.a) })
  const until = (rows: object[], ...args: string[]) =>
    jb('compare', ['a=a.ndjson', 'b=-', '--until', 'decided', ...args], { stdin: ndjson(rows), cwd: place })
  const level = expect(await until(alike.b, '--margin', '0.05'), { code: 0 })
  assert.match(
    level.stdout,
    /"verdict":"level","sentence":"decided after 64 of 100 items: b and a are level within 5\.0 points on/,
  )
  const passed = expect(await until(alike.b, '--fail-unless-level', '0.05'), { code: 0 })
  assert.match(
    passed.stdout,
    /"verdict":"level","sentence":"decided .*b is not worse than a by more than 5\.0 points on .*"decision":"pass","gate":-0\.05/,
  )
  expect(await until(worse.b, '--fail-unless-level', '0.05'), {
    code: 1,
    err: /b is worse than a by more than 5\.0 points on/,
  })
  expect(await until(alike.b.slice(0, 5), '--margin', '0.05'), {
    code: 1,
    err: /not decided after 5 of 100 items: b against a: .* points on all 100/,
  })
})

test('what it does not take is refused', async (t) => {
  const { a, b } = runs([0, 0, 0], 3)
  const place = folder(t, { 'a.ndjson': ndjson(a) })
  const refused = async (args: string[], err: RegExp) =>
    expect(await jb('compare', ['--until', 'decided', ...args], { stdin: ndjson(b), cwd: place }), {
      code: 2,
      err,
    })
  await refused([], /a recorded run and one that comes in/)
  await refused(
    ['a.ndjson', '-', '--margin', '0', '--fail-unless-level', '0'],
    /--margin or --fail-unless-level/,
  )
  await refused(
    ['a.ndjson', '-', '--fail-unless-level', '2'],
    /--fail-unless-level 2: a difference is at most 1 \(0\.02\?\)/,
  )
  await refused(
    ['a.ndjson', '-', '--fail-worse', '0.1'],
    /with --until decided the gate is --fail-unless-level/,
  )
  for (const option of ['--exact', '--show=flips', '--bootstrap=9', '--by=x', '--value=x'])
    await refused(['a.ndjson', '-', option], /it does not go with --until decided/)
})
