/** The mark of an original (`jb.compat`): what adds up follows it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
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

const NAMED = ROWS.map((row) => ({ model_a: 'x', model_b: 'y', label: 'A>B', ...row }))

for (const [command, files, mixed] of [
  ['compare', 'here there', 'here plain'],
  ['rank', 'here', 'here plain'],
  ['audit', '--since here there', '--since plain here'],
  ['audit', '--cascade here there', '--cascade here plain'],
  ['view', '--text here', '--text here plain'],
  ['view', 'here', 'here plain'],
] as const)
  test(`jb-${command} ${files} follows the mark, says so once over all files, and can be told not to`, async (t) => {
    const dir = folder(t, {
      here: ndjson(marked(NAMED, 'evalassist')),
      there: ndjson(marked(NAMED, 'evalassist')),
      plain: ndjson(NAMED),
    })
    const args = (words: string) => words.split(' ').map((word) => (word[0] === '-' ? word : join(dir, word)))
    const { stderr } = await jb(command, args(files))
    assert.equal(stderr.match(/adds up as evalassist does/g)?.length, 1, stderr)
    for (const words of [files, mixed]) {
      const off = await jb(command, ['--compat', 'none', ...args(words)])
      assert.doesNotMatch(off.stderr, /adds up|jb\.compat/)
      assert.notEqual(off.code, 65)
    }
    const two = await jb(command, args(mixed))
    assert.equal(two.code, 65, two.stderr)
    assert.match(
      two.stderr,
      /jb\.compat is .*, and .*: say which holds for all, --compat evalassist or --compat none/,
    )
  })

test('of several samples EvalAssist takes the first, and so do jb-compare and jb-audit of its rows', async (t) => {
  const said = (winners: number[]) =>
    ['1', '2', '3'].flatMap((item) =>
      winners.map((winner, n) => ({
        id: item,
        label: 0,
        jb: {
          ...{ judge: 'preference', judge_digest: 'd', item, compat: 'evalassist' },
          trial: { n, of: 3, sample: n, answers: 2 },
          reply: { text: String(winner), model: 'm' },
          verdict: { winner, label: String(winner) },
        },
      })),
    )
  const dir = folder(t, { a: ndjson(said([0, 1, 1])), b: ndjson(said([1, 0, 0])) })
  const [a, b] = [join(dir, 'a'), join(dir, 'b')]
  const means = async (...args: string[]) => {
    const { mean_a, mean_b } = JSON.parse((await jb('compare', [...args, a, b])).stdout)
    return [mean_a, mean_b]
  }
  assert.deepEqual(
    [await means(), await means('--compat', 'none')],
    [
      [1, 0],
      [0, 1],
    ],
  )
  const agreement = async (...args: string[]) => {
    const sections = rowsOf(await jb('audit', [...args, a])) as { section?: string; po?: number }[]
    return sections.find(({ section }) => section === 'agreement')?.po
  }
  assert.deepEqual([await agreement(), await agreement('--compat', 'none')], [1, 0])
})

test('a mark behind ten thousand rows that tell nothing is not followed in silence', async () => {
  const plain = Array.from({ length: 10_001 }, (_, i) => ({ id: String(i) }))
  const stdin = ndjson(plain) + ndjson(marked(ROWS, 'evalassist'))
  expect(await jb('aggregate', [], { stdin }), {
    code: 65,
    out: '',
    err: /jb\.compat is evalassist, and not there/,
  })
})

test('files of --criteria and --jury are checked before the first row is read', async (t) => {
  const dir = folder(t, {
    'cut.yaml': 'a: [\n',
    'criteria.yaml': '- name: a\n  description: b\n  wieght: 3\n',
    'weights.json': '{"jury": "learned"',
    'other.json': '{}',
    'rows.ndjson': 'no row\n',
  })
  const of = (name: string) => join(dir, name)
  const cases: [args: string[], code: number, said: RegExp][] = [
    [['--criteria', of('none.yaml')], 78, /^jb-\w+: --criteria .*none\.yaml: no such file/],
    [['--criteria', of('cut.yaml')], 78, /^jb-\w+: .*cut\.yaml:2:1: /],
    [
      ['--criteria', of('criteria.yaml')],
      78,
      /^jb-\w+: .*criteria\.yaml\[0\]: unknown key "wieght": did you mean "weight"\?/,
    ],
  ]
  for (const [args, code, err] of cases)
    for (const command of [['score'], ['aggregate'], ['write', 'evalassist'], ['view', '--text']])
      expect(await jb(command[0]!, [...command.slice(1), ...args, of('rows.ndjson')]), { code, out: '', err })
  for (const [jury, code, err] of [
    [`learned:${of('none.json')}`, 66, /^jb-score: --jury learned: .*none\.json: /],
    [`learned:${of('weights.json')}`, 78, /^jb-score: --jury learned: .*weights\.json is no file of weights/],
    [`learned:${of('other.json')}`, 78, /^jb-score: --jury learned: .*other\.json is no file of weights/],
    ['weighted:a', 2, /^jb-score: --jury: expected NAME=VOTES/],
  ] as const)
    expect(await jb('score', ['--jury', jury, of('rows.ndjson')]), { code, out: '', err })
})
