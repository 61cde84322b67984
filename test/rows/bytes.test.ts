/** The user's bytes are sacred: a filter splices jb into the line and changes nothing else. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { rowText } from '../helpers/json-text.ts'
import { keysSorted, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, type Filter, fine, jb, pipe, type Ran, sh, shown } from '../helpers/run.ts'

/** Filters that add to rows, with arguments that make something of any row. */
const FILTERS: [Filter, string[]][] = [
  ['render', ['vanilla']],
  ['render', ['arena_hard', '--undefined', 'empty', '--order', 'both']],
  ['call', ['-m', 'baseline:first', '--no-cache', '--max-error-rate', '1']],
  ['parse', []],
  ['parse', ['--judge', 'vanilla', '--text', 'a']],
  ['score', []],
]

/** The user's part of an output line: what stands before the jb that is last in it. */
function userPart(line: string, ran: Ran): string {
  const at = line.lastIndexOf('"jb":{')
  assert.ok(at > 0, `no jb in the line: ${line}\n${shown(ran)}`)
  // Whatever its strings hold: the line is JSON, and its jb an object.
  assert.equal(typeof JSON.parse(line).jb, 'object')
  return `${line.slice(0, line[at - 1] === ',' ? at - 1 : at)}}`
}

describe('any JSON row survives every filter byte for byte', { concurrency: 2 }, () => {
  for (const [filter, args] of FILTERS) {
    test(`jb-${filter} ${args.join(' ')}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(rowText, { minLength: 80, maxLength: 120 }), async (rows) => {
          const ran = expect(await jb(filter, ['-q', ...args], { stdin: `${rows.join('\n')}\n` }), {})
          const games = args.includes('both') ? 2 : 1
          const lines = ran.stdout.slice(0, -1).split('\n')
          const found = lines.map((line) => userPart(line, ran))
          // An item that cannot be asked about is one row, not one a game.
          if (games === 1) assert.deepEqual(found, rows)
          else assert.deepEqual(new Set(found), new Set(rows))
        }),
        { numRuns: 2, endOnFailure: true },
      )
    })
  }
})

test('a whole pipe leaves them as they were too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rowText, { minLength: 100, maxLength: 100 }), async (all) => {
      // The same line twice is one item, and failed ones come last.
      const rows = [...new Set(all)].sort()
      const line =
        'jb-render vanilla -q --undefined empty | jb-call -q -m baseline:first --no-cache --max-error-rate 1 | jb-parse -q | jb-score -q'
      const ran = expect(await sh(line, { stdin: rows.join('\n') }), {})
      assert.deepEqual(
        ran.stdout
          .slice(0, -1)
          .split('\n')
          .map((line) => userPart(line, ran))
          .sort(),
        rows,
      )
    }),
    { numRuns: 1, endOnFailure: true },
  )
})

const ODD =
  '{ "id":12345678901234567890 , "x": 1.0,"y":1e400,"b":1,"10":2,"2":3,"b":4,"s":"\\u00e9\\/\\ud800 é\u2028","e":{}, "n":-0}'

test('huge ids, 1.0, 1e400, key order, duplicate keys and escapes leave as they came', async () => {
  for (const [filter, args] of FILTERS) {
    const ran = expect(await jb(filter, ['-q', ...args], { stdin: `${ODD}\n` }), {})
    assert.equal(userPart(ran.stdout.split('\n')[0]!, ran), ODD, `jb-${filter}`)
  }
})

test('an item’s id is its text, whatever the number’s form', async () => {
  const ids: [string, string][] = [
    ['{"id":12345678901234567890}', '12345678901234567890'],
    ['{"id":1.0}', '1.0'],
    ['{"id":"01"}', '01'],
    ['{"id":7,"question_id":"q"}', 'q'],
    ['{"idx":3,"uid":"u"}', 'u'],
    ['{"id":null,"idx":3}', '3'],
  ]
  const stdin = ids.map(([row]) => `${row}\n`).join('')
  const rows = rowsOf(expect(await jb('score', ['-q'], { stdin }), {}))
  assert.deepEqual(
    rows.map(({ jb }) => jb.item),
    ids.map(([, item]) => item),
  )
})

test('trials of an item belong together whether its id stands in jb or in the item alone', async () => {
  const trial = (n: number, item: object) => ({
    id: 'é',
    jb: { judge: 'arena_hard', ...item, trial: { n, of: 2 }, verdict: { decision: 'A>B', label: 'A>B' } },
  })
  const stdin = [trial(0, { item: 'é' }), trial(1, {})].map((row) => `${JSON.stringify(row)}\n`).join('')
  const rows = rowsOf(expect(await jb('score', ['-q'], { stdin }), {}))
  assert.deepEqual(
    rows.map(({ jb }) => jb.trials?.length),
    [2],
  )
})

test('an id at a path is its text too', async () => {
  const rows = [
    '{"m":{"id":12345678901234567890}}',
    '{"m":{"id":12345678901234567891}}',
    '{"m":{"id":1.0,"id":2.0}}',
    '{"m.id":3.0,"m":{"id":4}}',
    '{"m":{"id":"x"}}',
    '{"m":{"id":{"a": 1.0}}}',
  ]
  const ids = async (lines: string[], field: string) =>
    rowsOf(expect(await jb('render', ['vanilla', '-q', '--id', field], { stdin: lines.join('\n') }), {})).map(
      ({ jb }) => jb.item,
    )
  assert.deepEqual(await ids(rows, 'm.id'), [
    '12345678901234567890',
    '12345678901234567891',
    '2.0',
    '3.0',
    'x',
    '{"a": 1.0}',
  ])
  const lists = ['{"m":[0, 12345678901234567890 ,{"id":1e2}]}', '{"m":[[], "]" ,{"id":-0}]}']
  assert.deepEqual(await ids(lists, 'm.1'), ['12345678901234567890', ']'])
  assert.deepEqual(await ids(lists, 'm.-1.id'), ['1e2', '-0'])
})

describe('a field is found however its key is written', () => {
  const judged = ['--judge', 'arena_hard']
  const decision = async (row: string, text: string, args = judged) =>
    rowOf(expect(await jb('parse', [...args, '-q', '--text', text], { stdin: row }), {})).jb.verdict?.decision
  const reply = '"[[A>B]]"'

  test('--text', async () => {
    for (const key of ['réponse', 'r\\u00e9ponse', 'r\\u00E9pon\\u0073e']) {
      assert.equal(await decision(`{"${key}":${reply}}`, 'réponse'), 'A>B', key)
      assert.equal(await decision(`{"x":{"${key}":${reply}}}`, 'x.réponse'), 'A>B', key)
      assert.equal(await decision(`{"${key}":${reply}${' '.repeat(2_000_000)}}`, 'réponse'), 'A>B', key)
    }
    assert.equal(await decision(`{"é\\u00e9":${reply}}`, 'éé'), 'A>B')
    assert.equal(await decision(`{"\\ud83d\\ude00":${reply}}`, '😀'), 'A>B')
    assert.equal(await decision(`{"\\u0041":${reply}}`, 'A'), 'A>B')
  })

  test('another key is not taken for it, and of two the last counts', async () => {
    assert.equal(await decision(`{"\\u00c3\\u00a9":${reply}}`, 'é'), undefined)
    assert.equal(await decision(`{"é":"[[B>A]]","\\u00e9":${reply}}`, 'é'), 'A>B')
    assert.equal(await decision(`{"\\u00e9":"[[B>A]]","é":${reply}}`, 'é'), 'A>B')
  })

  test('--id, --map, --label and --by', async () => {
    const item = (n: number) =>
      `{"num\\u00e9ro":"n${n}","s\\u00e9rie":"${'ab'[n % 2]}","juste":"A>B","\\u00e9tiquette":"A>B","question":"?","response_A":"a","r\\u00e9ponse":"b"}\n`
    const stdin = [1, 2, 3].map(item).join('')
    const render = 'jb-render vanilla --id numéro --map answer_b=réponse'
    const line = `${render} | jb-call -q -m baseline:first --no-cache | jb-parse | jb-score --label étiquette`
    const ran = fine(await pipe(line, { stdin }))
    const rows = rowsOf(ran)
    assert.deepEqual(
      rows.map(({ jb }) => [jb.item, jb.result?.correct]),
      [
        ['n1', true],
        ['n2', true],
        ['n3', true],
      ],
    )
    const table = fine(
      await jb('aggregate', ['--by', 'série', '--format', 'csv'], { stdin: ran.stdout }),
    ).stdout
    assert.match(table, /\ba\b/)
    assert.match(table, /\bb\b/)
  })
})

test('an object without keys gets its jb without a comma', async () => {
  for (const [row, start] of [
    ['{}', '{"jb":{"error"'],
    ['{ }', '{ "jb":{"error"'],
    ['  {}', '  {"jb":{"error"'],
  ] as const) {
    const ran = expect(await jb('parse', ['-q'], { stdin: row }), {})
    assert.ok(ran.stdout.startsWith(start), shown(ran))
    rowsOf(ran)
  }
})

const WHOLE = replied('vanilla', 'Output (b)', { trial: { n: 0, of: 1, order: 'BA' } }, { z: 1, a: 'é' })

test('what stands between two filters may move jb, sort its keys and space it out', async () => {
  const text = JSON.stringify(WHOLE)
  const plain = rowsOf(fine(await jb('parse', [], { stdin: text })))
  const { jb: own, ...user } = WHOLE
  const reversed = Object.fromEntries(Object.entries(own).reverse())
  const written = [
    JSON.stringify({ jb: own, ...user }),
    JSON.stringify(keysSorted(WHOLE)),
    JSON.stringify({ ...user, jb: reversed }),
    text.replace('"jb":{', ' "jb" : { ').replaceAll(':', ' : ').replaceAll(',', ' , '),
  ]
  for (const stdin of written) {
    const ran = fine(await jb('parse', [], { stdin }))
    assert.deepEqual(rowsOf(ran), plain, stdin)
    // jb is last again, after the user's own keys in the order they had.
    assert.equal(Object.keys(rowsOf(ran)[0]!).at(-1), 'jb', stdin)
  }
  const later = fine(await jb('parse', [], { stdin: JSON.stringify({ ...WHOLE, later: 1 }) }))
  assert.deepEqual(
    rowsOf(later).map(({ later, ...row }) => row),
    plain,
  )
})

test('text that looks like jb inside a string or deeper down is the user’s', async () => {
  const rows = [
    '{"a":"x,\\"jb\\":{\\"judge\\":\\"v\\"}"}',
    '{"a":{"b":1,"jb":{"judge":"vanilla"}}}',
    '{"a":[{"b":1,"jb":{"judge":"vanilla"}}]}',
    '{"a":"},\\"jb\\":{\\"judge\\":1}}"}',
    '{"a":{"jb":"mine"},"b":[{"jb":1}]}',
  ]
  for (const row of rows) {
    const ran = expect(await jb('parse', ['-q'], { stdin: row }), {})
    const [made] = rowsOf(ran)
    assert.equal(userPart(ran.stdout.trimEnd(), ran), row)
    assert.equal(made?.jb.error?.code, 'missing_field', row)
    assert.equal(made?.jb.judge, undefined, row)
  }
})

test('what else stands in jb stays: each filter adds a key and removes none', async () => {
  const row = {
    a: 1,
    jb: { judge: 'vanilla', mine: [1, { x: '1.0' }], reply: { text: 'Output (a)', more: 2 }, z: 1 },
  }
  const [parsed] = rowsOf(fine(await jb('parse', [], { stdin: JSON.stringify(row) })))
  assert.deepEqual(parsed, { a: 1, jb: { ...row.jb, verdict: { label: 'a', decision: 'A>B' } } })
  assert.deepEqual(Object.keys(parsed!.jb), ['judge', 'mine', 'reply', 'z', 'verdict'])
})
