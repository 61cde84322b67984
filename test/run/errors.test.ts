/** A failure is a value of its own: it travels in its row, is counted, and is never scored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeServer } from '../helpers/judge_server.ts'
import { game, ndjson, pair, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

const FAILED = {
  id: 3,
  jb: {
    judge: 'vanilla',
    item: '3',
    trial: { n: 0, of: 1, order: 'AB' },
    request: { messages: [] },
    error: { stage: 'call', code: 'rate_limited', message: 'HTTP 429', retryable: true, status: 429 },
  },
}
const read = (text: string, id: number) => replied('vanilla', text, { item: String(id) }, { id })

test('a row that failed earlier passes every later filter untouched', async () => {
  const render = { id: 4, jb: { item: '4', error: { stage: 'render', code: 'missing_field', message: 'x' } } }
  const stdin = ndjson([FAILED])
  expect(await jb('parse', [], { stdin }), { out: stdin, err: '' })
  const early = ndjson([render])
  for (const filter of ['call', 'parse'] as const) {
    const args = filter === 'call' ? ['-m', 'baseline:first', '--no-cache', '--max-error-rate', '1'] : []
    assert.equal(expect(await jb(filter, args, { stdin: early }), {}).stdout, early, filter)
  }
})

test('jb-score: an item fails as its trial did, where its trial did, and that is no failure of jb-score', async () => {
  const ran = expect(await jb('score', ['-v', '--strict'], { stdin: ndjson([FAILED]) }), {
    err: 'jb-score: 1 row, 1 failed before\n',
  })
  const row = rowOf(ran)
  assert.deepEqual(row.jb.error, FAILED.jb.error)
  assert.deepEqual(row.jb.trials?.[0]?.error, FAILED.jb.error)
  assert.equal(row.jb.result, undefined)
  // And what jb-score said stays so, however often it passes.
  const again = fine(await jb('score', [], { stdin: ndjson([row]) }))
  assert.deepEqual(rowOf(again), row)

  const second = {
    ...FAILED,
    jb: { ...FAILED.jb, judge: 'arena_hard', item: 'x', trial: { n: 1, of: 2, order: 'BA' } },
  }
  const games = [game('x', 0, 2, 'A>B', { jb: { reply: undefined } }), second]
  const [item] = rowsOf(expect(await jb('score', [], { stdin: ndjson(games) }), { err: '' }))
  assert.deepEqual(item?.jb.error, { ...FAILED.jb.error, message: 'trial 1: HTTP 429' })
  // A trial that was never read is one.
  const unread = await jb('score', [], { stdin: ndjson([{ id: 1 }]) })
  expect(unread, {
    err: /^jb-score: \(stdin\):1: no_verdict: an item that no judge has seen: run jb-render JUDGE, jb-call -m MODEL, then jb-parse\n.*1 failed here/,
  })
})

test('the report counts each failure by its code and scores none', async () => {
  const rows = [
    ...[0, 1].map((n) => game('a', n, 2, 'A>B')),
    ...[0, 1].map((n) => game('b', n, 2, 'B>A')),
    game('c', 0, 2, 'A>B'),
    {
      ...game('c', 1, 2, 'A>B'),
      jb: {
        ...FAILED.jb,
        judge: 'arena_hard',
        item: 'c',
        trial: { n: 1, of: 2 },
        error: { ...FAILED.jb.error, model: 'm' },
      },
    },
    game('d', 0, 1, 'A>B', {
      jb: { verdict: undefined, error: { stage: 'parse', code: 'no_verdict', message: 'x' } },
    }),
    game('e', 0, 2, 'A>B'),
  ]
  const report = JSON.parse(expect(await jb('aggregate', ['-q'], { stdin: ndjson(rows) }), {}).stdout)
  const { items, valid, failed, failures, accuracy, correct, incorrect, tie } = report
  assert.deepEqual(
    { items, valid, failed, failures, accuracy, correct, incorrect, tie },
    {
      items: 5,
      valid: 2,
      failed: 3,
      failures: { rate_limited: 1, no_verdict: 1, incomplete: 1 },
      accuracy: 0.5,
      correct: 1,
      incorrect: 1,
      tie: 0,
    },
  )
})

test('row errors do not stop the stream; one line on stderr tells how many of which code', async () => {
  const stdin = ndjson([
    read('Output (a)', 1),
    read('neither', 2),
    { id: 3 },
    read('Output (b)', 4),
    read('', 5),
  ])
  const ran = expect(await jb('parse', [], { stdin }), {
    err: /\njb-parse: 5 rows, 3 failed here \(no_verdict 2, missing_field 1\), 40\.0 % .*\n$/,
  })
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.verdict?.decision ?? jb.error?.code),
    ['A>B', 'no_verdict', 'missing_field', 'B>A', 'no_verdict'],
  )
  assert.match(ran.stderr, /^jb-parse: \(stdin\):2: no_verdict: looked for/)
  // Rows that failed before are told apart from those that fail here.
  const next = expect(await jb('parse', ['-v'], { stdin: ndjson([FAILED, read('Output (a)', 1)]) }), {})
  assert.equal(next.stderr, 'jb-parse: 2 rows, 1 failed before\n')
})

test('repeats of one kind of message are capped at three, other kinds are still told', async () => {
  const stdin = ndjson([...Array.from({ length: 50 }, (_, i) => read('neither', i)), { id: 99 }])
  const { stderr } = expect(await jb('parse', [], { stdin }), {})
  assert.equal(stderr.match(/: no_verdict: /g)?.length, 3)
  assert.match(stderr, /^jb-parse: \(stdin\):51: missing_field: /m)
  assert.equal(expect(await jb('parse', ['-q'], { stdin }), {}).stderr, '')
})

test('--strict stops at the first row that fails: exit 1, the rows before it and it are written', async () => {
  const stdin = ndjson([read('Output (a)', 1), read('neither', 2), read('Output (b)', 3)])
  const ran = await jb('parse', ['--strict'], { stdin })
  expect(ran, { code: 1, err: /^jb-parse: \(stdin\):2: no_verdict: .* \(--strict\)$/m })
  assert.deepEqual(
    rowsOf(ran).map(({ id }) => id),
    [1, 2],
  )
  // A row that failed in an earlier filter is not this one's failure.
  expect(await jb('parse', ['--strict'], { stdin: ndjson([FAILED, read('Output (a)', 1)]) }), { err: '' })
})

test('a second jb-parse reads the reply afresh: verdicts are replaced, its own failures tried again', async () => {
  const stdin = ndjson([
    read('Output (a)', 1),
    read('no idea, **Output (b)**?', 2),
    read('neither', 3),
    FAILED,
  ])
  const first = expect(await jb('parse', ['-q', '--compat', 'judgebench'], { stdin }), {})
  const second = expect(await jb('parse', ['-q', '--compat', 'none'], { stdin: first.stdout }), {})
  const once = expect(await jb('parse', ['-q'], { stdin }), {})
  assert.deepEqual(rowsOf(second), rowsOf(once))
  assert.notEqual(first.stdout, second.stdout)
  // And back again, from the same saved rows.
  const third = expect(await jb('parse', ['-q', '--compat', 'judgebench'], { stdin: second.stdout }), {})
  assert.deepEqual(rowsOf(third), rowsOf(first))
  const thrice = expect(await jb('parse', ['-q'], { stdin: once.stdout }), {})
  assert.equal(thrice.stdout, once.stdout)
})

test('a missing field is a failed row that says which, and how to name another', async () => {
  const { response_B: _, ...lacking } = pair()
  const ran = expect(
    await jb('render', ['vanilla', '--order', 'both'], { stdin: ndjson([pair(), lacking, pair()]) }),
    {
      err: /^jb-render: \(stdin\):2: missing_field: field "response_B" is missing: there are .*\(.*--map answer_b=FIELD/m,
    },
  )
  const rows = rowsOf(ran)
  assert.deepEqual(
    rows.map(({ jb }) => jb.error?.code ?? `${jb.trial?.order}`),
    ['AB', 'BA', 'missing_field', 'AB', 'BA'],
  )
  assert.match(rows[2]!.jb.error!.message, /response_B/)
})

test('no reply, no judge, a reply that is no text: each says what is missing', async () => {
  const cases: [object, string[], RegExp][] = [
    [{ a: 1 }, [], /no jb\.judge: jb-render writes it; else name the judge with --judge/],
    [{ a: 1 }, ['--judge', 'vanilla'], /no jb\.reply: run jb-call first, or name the field with --text/],
    [{ a: 1 }, ['--judge', 'vanilla', '--text', 'said'], /field "said" is missing/],
    [{ said: 7 }, ['--judge', 'vanilla', '--text', 'said'], /field "said" is not a string/],
    [
      { jb: { judge: 'vanilla', reply: { model: 'm' } } },
      [],
      /^jb\.reply\.text is missing, expected a string$/,
    ],
  ]
  for (const [row, args, message] of cases) {
    const ran = expect(await jb('parse', ['-q', ...args], { stdin: ndjson([row]) }), {})
    const { error } = rowOf(ran).jb
    assert.equal(error?.code, 'jb' in row ? 'bad_record' : 'missing_field')
    assert.match(error!.message, message)
  }
})

test('why there is no verdict: cut short, refused', async () => {
  const rows = [
    replied('vanilla', 'Let me think', {
      reply: { text: 'Let me think', model: 'm', finish_reason: 'length' },
    }),
    replied('vanilla', 'I can', { reply: { text: 'I cannot', model: 'm', finish_reason: 'content_filter' } }),
    replied('vanilla', 'x', { reply: { text: 'Output (a)\nfor', model: 'm', finish_reason: 'length' } }),
    replied('panda_lm', 'x', { reply: { text: '1\n### Reason: it', model: 'm', finish_reason: 'length' } }),
  ]
  const ran = expect(await jb('parse', ['-q'], { stdin: ndjson(rows) }), {})
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.error?.code ?? jb.verdict?.decision),
    ['truncated', 'refused', 'truncated', 'A>B'],
  )
})

test('every game failing or one, a call with a status or without: an item is one item', async (t) => {
  const items = [pair({ question: 'ok' }), pair({ question: 'half' }), pair({ question: 'none' })]
  const { url } = await judgeServer(t, ({ messages }) => {
    const { content } = messages[0]!
    const first = content.indexOf('4, because') < content.indexOf('It is 5')
    const refused = content.includes('none') || (content.includes('half') && !first)
    return refused ? { status: 400, message: 'no' } : 'Output (a)'
  })
  const rows = items.map((item) => ({ ...item, response_B: 'It is 5' }))
  const call = `jb-call -q -m x --base-url ${url} --no-cache --retries 0 --max-error-rate 1`
  const ran = await pipe(`jb-render vanilla --order both | ${call} | jb-parse -q | jb-aggregate`, {
    stdin: ndjson(rows),
  })
  const reports = expect(ran, {})
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(reports.length, 1, ran.stdout)
  const { items: count, valid, failed, failures, model } = reports[0]
  assert.deepEqual(
    { count, valid, failed, failures, model },
    { count: 3, valid: 1, failed: 2, failures: { bad_request: 2 }, model: 'x' },
  )
})

test('a failed row in the middle of a pipe is seen at its end, without pipefail', async () => {
  const stdin = ndjson([pair(), { pair_id: 'x', question: 'only' }])
  const line = 'jb-render vanilla -q | jb-call -q -m baseline:first --no-cache | jb-parse -q | jb-aggregate'
  const ran = expect(await pipe(line, { stdin }), {})
  const { items, valid, failures } = JSON.parse(ran.stdout)
  assert.deepEqual({ items, valid, failures }, { items: 2, valid: 1, failures: { missing_field: 1 } })
})

test('rows with results, asked anew, carry nothing of the old answer', async () => {
  const line = 'jb-call -q -m baseline:longer --no-cache | jb-parse -q | jb-score -q'
  const stdin = ndjson([pair(), pair({ label: 'B>A' })])
  const first = fine(await pipe(`jb-render arena_hard | ${line}`, { stdin }))
  const asked = fine(await jb('render', ['vanilla'], { stdin: first.stdout }))
  for (const { jb } of rowsOf(asked))
    assert.deepEqual(Object.keys(jb), ['judge', 'judge_digest', 'item', 'trial', 'request'])
  const second = fine(await pipe(line.replace('longer', 'first'), { stdin: asked.stdout }))
  assert.deepEqual(
    rowsOf(second).map(({ jb }) => [jb.judge, jb.result?.decision, jb.result?.correct]),
    [
      ['vanilla', 'A>B', true],
      ['vanilla', 'A>B', false],
    ],
  )
})

test('a command for GitHub’s runner in a row is no command in a message', async () => {
  const ran = await jb('parse', [], { stdin: '{"x":"##[error]a"\n' })
  assert.doesNotMatch(ran.stderr, /##\[/)
  const named = await jb('parse', ['--bad-rows', 'skip', '##[debug]x.ndjson'], {})
  assert.match(named.stderr, /#\\u0023\[debug\]x\.ndjson/)
})
