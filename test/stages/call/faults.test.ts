/** A server that fails in every way: each row gets its answer, in order, and no call is made for nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, jbProcess } from '../../helpers/run.ts'
import { callOnce, inOrder, trial, trials } from './rows.ts'
import { chatServer, type Deed, reply, seeded } from './server.ts'

/** Shares of faults; a call that none of them hits is answered. */
const FAULTS: [number, Deed][] = [
  [0.1, { status: 429 }],
  [0.05, { status: 500 }],
  [0.03, 'reset'],
  [0.02, 'hang'],
  [0.02, 'cut'],
  [0.01, { body: '<html><body>Bad gateway</body></html>' }],
]

function faultOf(draw: number): Deed | undefined {
  let at = 0
  for (const [share, deed] of FAULTS) {
    at += share
    if (draw < at) return deed
  }
  return undefined
}

test('rows over seeded faults: every answer, in order, and no call too many', async (t) => {
  const draw = seeded(1)
  const server = await chatServer(t, () => faultOf(draw()) ?? { delay: 2 })
  const flags = ['--retries', '12', '--timeout', '0.5']
  // A process of its own: in this one it would share the server's time.
  const ran = await callOnce(server.url, flags, trials(300), {}, jbProcess)
  expect(ran, { err: /300 rows, \d+ calls, \d+ of them retries/ })
  inOrder(ran, 300)
  // Each failed call is followed by one more, and by no other.
  const tries = rowsOf(ran).reduce((sum, { jb }) => sum + jb.reply!.tries!, 0)
  assert.equal(server.calls.length, tries)
  const finished = new Set<string>()
  for (const { text, answered, received } of server.calls) {
    assert.ok(!finished.has(text), `${text} was answered and asked again`)
    if (answered && received) finished.add(text)
  }
  assert.ok(tries > 300 * 1.15, `${tries} calls`)
})

test('a refused call leaves its place to be used again at once', async (t) => {
  let resolve = () => {}
  const full = new Promise<void>((done) => (resolve = done))
  let waiting = 0
  // The first call is made alone. The others are refused once each, then nobody is answered before sixteen ask at once.
  const server = await chatServer(t, async ({ text, attempt }) => {
    if (text === 'question 0') return undefined
    if (attempt === 1) return { status: 429 }
    if (++waiting === 16) resolve()
    await full
    return undefined
  })
  const args = ['-j', '16', '--timeout', '20']
  inOrder(expect(await callOnce(server.url, args, trials(33)), {}), 33)
})

/** One row a case; each is answered with its deed the first time, and one named `never …` always. */
const cases = (names: string[]) =>
  ndjson(names.flatMap((name) => [trial(name, `once ${name}`), trial(`never ${name}`, `never ${name}`)]))

test('statuses that may pass are tried again, others are final', async (t) => {
  const passing = [408, 409, 425, 429, 500, 502, 503, 504]
  const final = [400, 403, 404, 413, 422]
  const server = await chatServer(t, ({ text, attempt }) => {
    const [how, status] = text.split(' ')
    return how === 'good' || (how === 'once' && attempt > 1) ? undefined : { status: Number(status) }
  })
  const stdin = ndjson([trial('g', 'good')]) + cases([...passing, ...final].map(String))
  const ran = await callOnce(server.url, ['--retries', '2', '--max-error-rate', '1'], stdin)
  const rows = new Map(rowsOf(expect(ran, {})).map((row) => [String(row.id), row.jb]))
  for (const status of passing) {
    assert.equal(rows.get(String(status))!.reply?.tries, 2, `HTTP ${status}`)
    assert.equal(rows.get(`never ${status}`)!.error?.retryable, true, `HTTP ${status}`)
    const calls = server.calls.filter(({ text }) => text === `never ${status}`).length
    // A refusal uses up no retry, but time.
    assert.ok(status === 429 || status === 503 ? calls > 3 : calls === 3, `HTTP ${status}: ${calls} calls`)
  }
  for (const status of final) {
    assert.equal(rows.get(String(status))!.error?.retryable, false, `HTTP ${status}`)
    assert.equal(server.calls.filter(({ text }) => text.endsWith(String(status))).length, 2, `HTTP ${status}`)
  }
  const code = (id: string) => rows.get(id)!.error!.code
  assert.deepEqual(['never 408', 'never 429', 'never 503', 'never 504', '400', '403', '404'].map(code), [
    'timeout',
    'rate_limited',
    'unavailable',
    'timeout',
    'bad_request',
    'auth',
    'bad_request',
  ])
})

test('a 200 that holds no answer counts as a failure and is tried again', async (t) => {
  const bad: Record<string, [Deed, code: string]> = {
    'no JSON': [{ body: 'oops' }, 'bad_response'],
    HTML: [{ body: '<html>welcome</html>', headers: { 'content-type': 'text/html' } }, 'bad_response'],
    'JSON cut short': [{ body: '{"choices":[{"message":{"content":"a' }, 'bad_response'],
    'no choices': [{ body: { id: 'x', object: 'chat.completion' } }, 'bad_response'],
    'an empty list of choices': [{ body: { choices: [] } }, 'bad_response'],
    'a choice without a message': [{ body: { choices: [{ index: 0 }] } }, 'bad_response'],
    'a message without content': [
      { body: { choices: [{ message: { role: 'assistant' } }] } },
      'bad_response',
    ],
    'an error in it': [{ body: { error: { message: 'upstream', code: 502 } } }, 'bad_response'],
    'an array': [{ body: [] }, 'bad_response'],
    'a connection closed before the end': ['cut', 'unavailable'],
    'a connection reset': ['reset', 'unavailable'],
  }
  const server = await chatServer(t, ({ text, attempt }) => {
    const [how, ...what] = text.split(' ')
    return how === 'once' && attempt > 1 ? undefined : bad[what.join(' ')]![0]
  })
  const ran = await callOnce(server.url, ['--retries', '1', '--max-error-rate', '1'], cases(Object.keys(bad)))
  const rows = new Map(rowsOf(expect(ran, {})).map((row) => [String(row.id), row.jb]))
  for (const [what, [, code]] of Object.entries(bad)) {
    assert.equal(rows.get(what)!.reply?.tries, 2, what)
    assert.equal(rows.get(`never ${what}`)!.error?.code, code, what)
    assert.equal(server.calls.filter(({ text }) => text === `never ${what}`).length, 2, what)
  }
})

test('a row that failed here is tried again when it runs through jb-call once more', async (t) => {
  let broken = true
  const server = await chatServer(t, () => (broken ? { status: 500 } : undefined))
  const first = await callOnce(server.url, ['--retries', '0', '--max-error-rate', '1'], trials(3))
  assert.equal(server.calls.length, 3, '--retries 0 means one attempt')
  assert.deepEqual(
    rowsOf(first).map(({ jb }) => [jb.error!.stage, jb.error!.code, jb.error!.model]),
    Array(3).fill(['call', 'unavailable', 'm']),
  )
  broken = false
  inOrder(expect(await callOnce(server.url, [], first.stdout), {}), 3)
})

test('a row that was judged before keeps nothing of that when it is called again', async (t) => {
  const server = await chatServer(t, ({ text }) => (text === 'question 1' ? { status: 400 } : undefined))
  const old = {
    reply: { text: 'old', model: 'old' },
    verdict: { label: 'A>B', decision: 'A>B' },
    result: { decision: 'A>B' },
    trials: [],
  }
  const result = { id: 2, jb: { judge: 'arena_hard', item: '2', result: old.result } }
  const stdin = ndjson([trial(0, 'question 0', old), trial(1, 'question 1', old), result])
  const ran = await callOnce(server.url, ['--max-error-rate', '1'], stdin)
  const rows = rowsOf(expect(ran, {}))
  const shape = (jb: object) => Object.keys(jb).slice(2)
  assert.deepEqual(shape(rows[0]!.jb), ['trial', 'request', 'reply'])
  assert.equal(rows[0]!.jb.reply!.text, reply('question 0'))
  assert.deepEqual(shape(rows[1]!.jb), ['trial', 'request', 'error'], 'also where the call fails')
  assert.deepEqual(shape(rows[2]!.jb), ['result', 'error'], 'what was never asked keeps what it has')
})

test('401 ends the run at once, whether it comes first or later', async (t) => {
  const server = await chatServer(t, ({ n }) =>
    n < 40 ? undefined : { status: 401, body: { error: { message: 'expired' } } },
  )
  const ran = await callOnce(server.url, ['-j', '4'], trials(1000))
  expect(ran, { code: 77, err: /needs a key \(HTTP 401: expired\): set LLM_JUDGE_API_KEY or OPENAI_API_KEY/ })
  assert.ok(server.calls.length < 60, `${server.calls.length} calls`)
  const rows = rowsOf(ran)
  assert.equal(rows.filter(({ jb }) => jb.reply).length, 40, 'every answer that was given is written')
  assert.ok(rows.length <= 44)
})

test('Retry-After is waited for: seconds, fractions, a date, and ms', async (t) => {
  const waited = async (headers: () => Record<string, string>) => {
    const server = await chatServer(t, ({ attempt }) =>
      attempt > 1 ? undefined : { status: 429, headers: headers() },
    )
    inOrder(
      expect(
        await callOnce(
          server.url,
          ['--refused-for', '9', '--retry-min', '0.2', '--retry-max', '0.2'],
          trials(1),
        ),
        {},
      ),
      1,
    )
    return server.calls[1]!.at - server.calls[0]!.at
  }
  const [second, fraction, ms, date, nothing] = await Promise.all([
    waited(() => ({ 'retry-after': '1' })),
    waited(() => ({ 'retry-after': '0.7' })),
    waited(() => ({ 'retry-after-ms': '650' })),
    // A date has whole seconds: up to one less than three.
    waited(() => ({ 'retry-after': new Date(Date.now() + 3000).toUTCString() })),
    waited(() => ({ 'retry-after': '0' })),
  ])
  assert.ok(second >= 990, `${second} ms`)
  assert.ok(fraction >= 690, `${fraction} ms`)
  assert.ok(ms >= 640, `${ms} ms`)
  assert.ok(date >= 1000, `${date} ms`)
  assert.ok(nothing >= 95, `--retry-min 0.2: ${nothing} ms`)
})

test('what x-ratelimit headers leave is not overdrawn', async (t) => {
  // Twenty requests, then nobody is let in until the window is over.
  let left = 20
  let open = 0
  const server = await chatServer(t, ({ at }) => {
    if (at > open) {
      open = at + 800
      left = 20
    }
    const headers = {
      'x-ratelimit-remaining-requests': String(Math.max(0, --left)),
      'x-ratelimit-reset-requests': `${open - at}ms`,
    }
    return left < 0 ? { status: 429, headers } : { headers, delay: 5 }
  })
  inOrder(expect(await callOnce(server.url, ['-j', '5'], trials(60)), {}), 60)
  assert.equal(server.calls.length, 60, 'not one call was refused')
})

test('--max-error-rate ends a hopeless run early, and judges the others at the end', async (t) => {
  const server = await chatServer(t, ({ text }) => {
    const id = Number(text.split(' ')[1])
    return id >= 100 || id % 20 === 0 ? { status: 400 } : undefined
  })
  const few = await callOnce(server.url, [], trials(100))
  expect(few, { err: /5 failed here \(bad_request 5\)/ })
  const gate = await callOnce(server.url, ['--max-error-rate', '0.04'], trials(100))
  expect(gate, { code: 1, err: /5 of \d+ rows failed \(\d+\.\d %, more than --max-error-rate 0\.04\)/ })
  // How many were done when the rest could not mend it depends on the machine.
  const done = Number(/5 of (\d+) rows/.exec(gate.stderr)![1])
  assert.ok(done >= 50 && done <= 100, `${done} rows`)
  assert.ok(rowsOf(gate).length > 80, 'every row that was finished is written all the same')
  const before = server.calls.length
  const hopeless = await callOnce(server.url, ['-j', '4'], trials(1500))
  expect(hopeless, {
    code: 1,
    err: /more than --max-error-rate 0\.1\).*; the run ends early, and rows not asked yet are not in its output/,
  })
  // All of the rest would have to succeed: 151 failures are too many for 1,500 rows.
  assert.ok(server.calls.length - before < 600, 'the run was stopped')
  assert.ok(rowsOf(hopeless).length >= 100)
  expect(await callOnce(server.url, ['--max-error-rate', '1'], trials(120)), {})
})
