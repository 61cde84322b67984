/** jb.judge_digest says how rows were read, where that is not as their judge says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spec } from '../../../src/stages/parse/options.ts'
import { parse } from '../../../src/stages/parse/parse.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson, replied } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { objects, staged } from '../../helpers/stage.ts'

const DIGEST = { judge_digest: 'aaaa' }
const rows = (...items: string[]) =>
  items.map((item) => replied('arena_hard', 'First [[A>B]],\nno: [[B>A]]', { ...DIGEST, item }))
const run = async (args: string[], text: string) => (await staged(spec, parse, args, text)).text
const digests = (text: string) => [...new Set(objects(text).map(({ jb }) => jb.judge_digest))]

test('options that change the reading follow the digest, whatever it was before', async () => {
  const failed = replied('arena_hard', 'none', DIGEST)
  const refused = replied('arena_hard', 'none', { ...DIGEST, error: { stage: 'call', code: 'timeout' } })
  const text = ndjson([...rows('p', 'q'), failed, refused])
  const first = await run(['--pick', 'first'], text)
  const cases: [string[], string][] = [
    [[], 'aaaa'],
    [['--pick', 'first'], 'aaaa+pick=first'],
    [['--compat', 'judgebench'], 'aaaa+compat=judgebench'],
    [['--judge', 'compass_judger'], 'aaaa+judge=compass_judger'],
    [['--judge', 'arena_hard'], 'aaaa'],
    [['--fallback', '0'], 'aaaa+fallback=0'],
  ]
  for (const [args, digest] of cases)
    for (const input of [text, first]) assert.deepEqual(digests(await run(args, input)), [digest])
  // The original that the row names belongs to its judge.
  const own = ndjson([replied('arena_hard', '[[A>B]]', { ...DIGEST, compat: 'judgebench' }), ...rows('p')])
  assert.deepEqual(digests(await run(['--compat', 'judgebench'], own)), ['aaaa', 'aaaa+compat=judgebench'])
  const bare = ndjson([replied('arena_hard', '[[A>B]]')])
  assert.deepEqual(digests(await run(['--pick', 'first'], bare)), [undefined])
})

test('a rule that changed after jb-render follows the digest, a prompt that did does not', async (t) => {
  const judge = (prompt: string, label: string) =>
    `kind: pairwise\nfields: { a: response_A, b: response_B }\nanswers: [a, b]\nmessages: [{ role: user, content: '${prompt} {{ a }} {{ b }}' }]\nverdict: { rule: label, pattern: '\\[\\[(\\w)\\]\\]', labels: { ${label}: A>B, Y: B>A } }\n`
  const place = folder(t, {
    'now/j.yaml': judge('Which?', 'X'),
    'prompt/j.yaml': judge('Which one?', 'X'),
    'rule/j.yaml': judge('Which?', 'Z'),
  })
  const item = { id: 1, response_A: 'a', response_B: 'b' }
  const trial = fine(await jb('render', [`${place}/now/j.yaml`, '-q'], { stdin: ndjson([item]) })).stdout
  const replies = ndjson(
    objects(trial).flatMap((row) =>
      [1, 2].map((id) => ({ ...row, jb: { ...row.jb, item: `${id}`, reply: { text: '[[Y]]' } } })),
    ),
  )
  const read = async (version: string) =>
    digests(await run(['--judge', `${place}/${version}/j.yaml`], replies))
  const [digest] = await read('now')
  assert.match(digest!, /^[0-9a-f]{12}$/)
  assert.deepEqual(await read('prompt'), [digest])
  const [changed, ...others] = await read('rule')
  assert.deepEqual(others, [])
  assert.match(changed!, new RegExp(`^${digest}\\+reading=[0-9a-f]{4}$`))
})

test('rows that were read in two ways are not added up', async () => {
  const [one, other] = [
    await run(['--pick', 'first'], ndjson(rows('p', 'q'))),
    await run([], ndjson(rows('r'))),
  ]
  const ran = expect(await pipe('jb-aggregate', { stdin: one + other }), {
    err: /rows of several versions of it, reported separately \(aaaa, aaaa\+pick=first\)/,
  })
  assert.deepEqual(
    objects(ran.stdout).map(({ a_better, items, made }) => [a_better, items, made.judge_digest]),
    [
      [2, 2, 'aaaa+pick=first'],
      [0, 1, 'aaaa'],
    ],
  )
})
