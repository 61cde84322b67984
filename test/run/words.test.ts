/** Messages about files: which, where, and what to do, in words and not in a library's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair, replied } from '../helpers/rows.ts'
import { expect, type Filter, jb, sh } from '../helpers/run.ts'

test('what is wrong with a file is said once, with its place', async (t) => {
  const cwd = folder(t, {
    'board.txt': 'a\tM\tt1\t1\na\tM\tall\t1\n',
    'ask.txt': 'Compare {answer_a} with {answer_b}.',
    'bad.yml': 'a: [1, 2\nb: c\n',
    'task.yaml': 'task: [a\nmetric_list: b\n',
  })
  const cases: [Filter, string[], number, RegExp][] = [
    ['render', ['.'], 78, /^jb-render: \.: a folder, not a judge file\n$/],
    ['render', ['mt_bench', '--templates', 'none'], 78, /^jb-render: none: no such file\n$/],
    [
      'render',
      ['ask.txt'],
      78,
      /^jb-render: ask\.txt: answers: no template uses "answer_a" \(they use no names: does it need another --syntax\?\)\n$/,
    ],
    ['render', ['task.yaml'], 78, /^jb-render: task\.yaml:\d+:\d+: Flow sequence .*[^:]\n$/],
    ['workflow', ['bad.yml', '--plan'], 78, /^jb-workflow: bad\.yml:2:1: Flow sequence [^\n]*[^:]\n$/],
    [
      'agree',
      ['board.txt', 'board.txt'],
      // Of one run nothing can be told.
      65,
      /board\.txt: taken for tot \(--from says otherwise\)\n.*the truth has 1 run, at least 3 are needed/,
    ],
  ]
  for (const [filter, args, code, err] of cases)
    expect(await jb(filter, args, { cwd, stdin: ndjson([pair()]) }), { code, err })
})

test('a text of a row stands in one line of a message, whatever is in it', async () => {
  const judge = 'no such\nERROR: forged\r\n\u001b[31m\u202e\u2028judge'
  const stdin = ndjson([{ id: 'x', jb: { judge, item: 'a', reply: { text: 'b' }, trial: { n: 0, of: 1 } } }])
  for (const filter of ['parse', 'call', 'aggregate'] as const) {
    const { stderr } = await jb(
      filter,
      filter === 'call' ? ['-m', 'baseline:longer', '--judge', 'x\ny'] : [],
      { stdin },
    )
    assert.match(stderr, new RegExp(`^(jb-${filter}: [^\\x00-\\x1f\\x7f\\u2028\\u202e]*\\n)*$`), filter)
  }
  expect(await jb('parse', [], { stdin }), { err: /unknown_judge: .*no such\\nERROR: forged\\u000d\\n/ })
})

test('a slip of the command line or the input is told, with what is meant', async (t) => {
  const battle = { model_a: 'x', model_b: 'y', winer: 'model_a' }
  const graded = {
    id: 'a',
    jb: { judge: 'rating', item: 'a', result: { kind: 'grade', score: 3, range: [1, 5] } },
  }
  const labelled = {
    id: 'a',
    label: 'A>B',
    jb: { judge: 'vanilla', item: 'a', result: { kind: 'pairwise', decision: 'A>B' } },
  }
  const asked = {
    id: 'a',
    jb: { judge: 'vanilla', item: 'a', request: { messages: [{ role: 'user', content: 'A?' }] } },
  }
  const answered = replied('vanilla', 'Output (a)')
  const verdict = { label: 'a', decision: 'A>B' }
  const said = { ...answered, label: 'A>B', jb: { ...answered.jb, judge_digest: 'd', verdict } }
  const half = { ...replied('vanilla', 'Output (a)'), label: 'A>B' }
  half.jb.trial = { n: 0, of: 2, order: 'AB' }
  const cwd = folder(t, {
    'pairs.jsonl': ndjson([{ ...pair(), question: '' }]),
    'whole.json': JSON.stringify({ data: [{ id: 1 }, { id: 2 }], n: 2 }),
    'a.jsonl': ndjson([{ id: 1, score: 1 }]),
    'b.jsonl': ndjson([{ id: 1, score: 0 }]),
    'said.ndjson': ndjson([said]),
    'array.json': '[\n{"id":1}\n]\n',
  })
  const cases: [Filter, string[], number, RegExp, object?][] = [
    [
      'render',
      ['vanilla', 'arena_hard', 'pairs.jsonl'],
      66,
      /arena_hard: no such file \(usage: .*one JUDGE a run\)/,
    ],
    ['render', ['vanilla', '--shuffle', 'pairs.jsonl'], 2, /--shuffle pairs\.jsonl: a SEED is expected/],
    ['render', ['vanilla', 'pairs.jsonl'], 0, /empty texts: question in every item/],
    ['read', ['whole.json'], 0, /whole\.json:1: the document is one row: --at data makes/],
    ['read', ['jsonl', 'array.json'], 65, /array\.json:1: .*this format is a leaderboard/],
    [
      'compare',
      ['a.jsonl', 'b.jsonl', '--value', 'scor'],
      1,
      /--value scor: no row has this field \(did you mean "score"\?/,
    ],
    ['rank', [], 1, /there is no winner: did you mean "winer"\?/, battle],
    ['write', ['junit'], 1, /nothing was checked: no item has a label .*--pass X is not given/, graded],
    ['write', ['junit', '--pass', '2'], 0, /^$/, graded],
    ['parse', ['--explain'], 0, /^$/, { id: 1 }],
    ['aggregate', ['-q'], 1, /incomplete/, half],
    ['parse', [], 0, /a result of jb-score has no reply any more/, graded],
    ['call', ['-m', 'baseline:first'], 1, /a result of jb-score has no request any more/, graded],
    ['call', ['baseline:longer'], 66, /no such file \(a model is named with -m\)/],
    ['call', ['-m', 'longer'], 77, /did you mean -m baseline:longer\?/, asked],
    ['call', ['-m', 'claude-sonnet-4-5'], 77, /did you mean -m anthropic\/claude-sonnet-4-5\?/, asked],
    [
      'call',
      ['-m', 'baseline:first', '--where', 'tie'],
      2,
      /--where looks at verdicts, and no model was asked/,
      asked,
    ],
    [
      'call',
      ['-m', 'baseline:longer', '--where', 'split'],
      0,
      /--where split: no item has several samples/,
      said,
    ],
    [
      'audit',
      ['--since', 'said.ndjson', '--fail-drift', '2'],
      2,
      /--fail-drift 2: a difference of shares is 0 to 1 \(0\.02\?\)/,
      said,
    ],
    ['aggregate', [], 1, /has what stands in jb, and no jb/, said.jb],
    [
      'audit',
      ['--weight', 'p'],
      65,
      /--weight p: no such file, and no row .* has a field of this name/,
      labelled,
    ],
    ['agree', ['pairs.jsonl', 'none'], 66, /^jb-agree: none: no such file\n$/],
    ['read', ['cvs', 'pairs.jsonl'], 2, /no format "cvs" to read: did you mean csv\?/],
    ['render', ['faithfulness', 'pairs.jsonl'], 0, /"claims" is missing .*--chain takes the list/],
    [
      'render',
      ['pairwise', '--criteria', 'better_answer', 'pairs.jsonl'],
      0,
      /\.response = \[\.response_A, \.response_B\]/,
    ],
    ['render', ['vanilla'], 0, /a field holds a list or an object/, { ...pair(), response_A: ['a'] }],
    ['workflow', ['nugify'], 2, /nugify: no such file: did you mean nuggify\?/],
    ['workflow', ['run', '--judge', 'relevance', '--rag-responses', 'none'], 66, /none: no such folder/],
  ]
  for (const [filter, args, code, err, row] of cases)
    expect(await jb(filter, args, { cwd, ...(row && { stdin: ndjson([row]) }) }), { code, err })
})

test('a variable that is an option’s but for an underscore is no option that was not given', async () => {
  const ran = await jb('aggregate', [], { env: { JB_FAILUNDER: '0.9' }, stdin: '' })
  expect(ran, {
    code: 2,
    err: /^jb-aggregate: JB_FAILUNDER in the environment: did you mean JB_FAIL_UNDER\?\n$/,
  })
})

test('an option of another filter is known by its name', async () => {
  const ran = await sh('bin/jb-call -m baseline:first --order both </dev/null')
  expect(ran, {
    code: 2,
    err: /^jb-call: unknown option --order: jb-render has it \(try: jb-call --help\)\n$/,
  })
})
