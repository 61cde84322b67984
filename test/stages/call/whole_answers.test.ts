/** What counts as an answer: a broken or empty one is asked for again and never kept. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'
import { type Line, linesOf, result } from './_batch.ts'
import { callOnce, privateEnv, trial, trials } from './rows.ts'
import { chatBody, chatServer, type Deed } from './server.ts'

const FAST = ['-q', '-m', 'm', '--retry-min', '0.01', '--retry-max', '0.02']
const choice = (message: object, more: object = {}) => ({ index: 0, message, finish_reason: 'stop', ...more })
const answered = (message: object, more: object = {}) =>
  chatBody('', 'm', { choices: [choice(message, more)] })
const journalOf = (env: Record<string, string>) => {
  const path = `${env.XDG_CACHE_HOME}/jb/replies/m.ndjson`
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** By API: answers of a generation that failed, and what its row says if it never ends well. */
const BROKEN: [api: string, body: object, words: RegExp][] = [
  [
    'chat',
    answered({ content: 'At first sight [[A>B]]' }, { finish_reason: 'error' }),
    /it ended with "error"/,
  ],
  [
    'chat',
    answered(
      { content: '[[A>B]]' },
      { finish_reason: 'stop', error: { message: 'upstream timeout', code: 504 } },
    ),
    /upstream timeout/,
  ],
  ['chat', answered({ content: '[[A>B]]' }, { finish_reason: 'abort' }), /"abort"/],
  [
    'chat',
    answered({ content: '[[A>B]]', tool_calls: [] }, { finish_reason: 'tool_calls' }),
    /a tool call, and the request has no tools/,
  ],
  ['chat', answered({ content: '' }), /the text is empty/],
  ['chat', answered({ content: null }), /the text is empty/],
  [
    'chat',
    answered({ content: ' \n', reasoning_content: 'My verdict is [[A>B]]' }),
    /the text is empty; the model answered in its reasoning/,
  ],
  ['completions', { choices: [{ text: 'x', finish_reason: 'cancelled' }] }, /"cancelled"/],
  ['anthropic', { content: [{ type: 'text', text: 'x' }], stop_reason: 'pause_turn' }, /"pause_turn"/],
  ['ollama', { message: { content: 'x' }, done: false }, /"done: false"/],
  ['ollama', { message: { content: '' }, done: true, done_reason: 'load' }, /"load"/],
  ['responses', { status: 'in_progress', output: [] }, /"in_progress"/],
  [
    'gemini',
    {
      candidates: [
        { content: { parts: [{ text: 'x' }] }, finishReason: 'MALFORMED_RESPONSE', finishMessage: 'no good' },
      ],
    },
    /"MALFORMED_RESPONSE": no good/,
  ],
]
const GOOD: Record<string, object> = {
  chat: chatBody('good'),
  completions: { choices: [{ text: 'good', finish_reason: 'eos' }] },
  anthropic: { content: [{ type: 'text', text: 'good' }], stop_reason: 'end_turn' },
  ollama: { message: { content: 'good' }, done: true, done_reason: 'stop' },
  responses: {
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'good' }] }],
  },
  gemini: { candidates: [{ content: { parts: [{ text: 'good' }] }, finishReason: 'STOP' }] },
}

describe('whole answers', { concurrency: 4 }, () => {
  for (const [n, [api, body, words]] of BROKEN.entries())
    test(`${api}: ${words.source} is asked for again, and not kept (${n})`, async (t) => {
      const env = privateEnv(t)
      let broken = true
      const server = await chatServer(t, () => ({ body: broken ? body : GOOD[api] }))
      const args = [
        ...FAST,
        '--base-url',
        server.url,
        '--api',
        api,
        '--retries',
        '1',
        '--max-error-rate',
        '1',
      ]
      const failed = rowsOf(await jb('call', args, { stdin: trials(1), env }))[0]!.jb.error!
      assert.equal(failed.code, 'bad_response')
      assert.match(failed.message, words)
      assert.equal(server.calls.length, 2)
      assert.equal(journalOf(env), '')
      broken = false
      const [row] = rowsOf(fine(await jb('call', args, { stdin: trials(1), env })))
      assert.deepEqual([row!.jb.reply!.text, row!.jb.reply!.finish_reason], ['good', 'stop'])
    })

  test('an end that no list knows is kept, cached, and named once', async (t) => {
    const env = privateEnv(t)
    const names = ['completed', 'eot']
    const server = await chatServer(t, ({ n }) => ({
      body: answered({ content: '[[A>B]]' }, { finish_reason: names[n % 2] }),
    }))
    const args = [...FAST.slice(1), '-j', '1', '--base-url', server.url]
    const ran = await jb('call', args, { stdin: trials(6), env })
    assert.equal(server.calls.length, 6)
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => [jb.reply!.text, jb.reply!.finish_reason]),
      [0, 1, 2, 3, 4, 5].map((n) => ['[[A>B]]', names[n % 2]]),
    )
    assert.equal(
      ran.stderr.match(/the finish_reason "\w+" is unknown: its replies count as whole/g)!.length,
      2,
    )
    assert.equal((await jb('call', args, { stdin: trials(6), env })).stdout, ran.stdout)
    assert.equal(server.calls.length, 6)
    const read = await jb('parse', ['--judge', 'arena_hard'], { stdin: ran.stdout })
    assert.ok(rowsOf(read).every(({ jb }) => jb.verdict!.decision === 'A>B'))
  })

  test('an empty text has one second try, whatever --retries says', async (t) => {
    const server = await chatServer(t, () => ({ body: answered({ content: '' }) }))
    await callOnce(server.url, ['--retries', '5'], trials(1))
    assert.equal(server.calls.length, 2)
  })

  test('an empty or broken reply that another program kept, in the cache or a row, is asked for again', async (t) => {
    const env = privateEnv(t)
    const server = await chatServer(t)
    const args = [...FAST, '--base-url', server.url]
    const first = fine(await jb('call', args, { stdin: trials(1), env }))
    const cache = `${folder(t)}/old.ndjson`
    const { key, model, endpoint, reply } = JSON.parse(journalOf(env))
    for (const change of [{ text: '' }, { finish_reason: 'error' }]) {
      const old = { key, model, endpoint, reply: { ...reply, ...change } }
      writeFileSync(cache, ndjson([old]))
      const before = server.calls.length
      fine(await jb('call', [...args, '--cache', cache], { stdin: trials(1) }))
      const [row] = rowsOf(first)
      const saved = { ...row, jb: { ...row!.jb, reply: { ...row!.jb.reply, ...change } } }
      fine(await jb('call', [...args, '--no-cache'], { stdin: ndjson([saved]) }))
      assert.equal(server.calls.length, before + 2)
    }
  })
})

describe('an answer about one request', { concurrency: 4 }, () => {
  const error = (status: number, body: unknown): Deed => ({ status, body })
  const flagged = { message: 'Your input was flagged', code: 403, metadata: { reasons: ['violence'] } }
  const noRoute = 'No endpoints found that can handle the requested parameters.'
  const own: [name: string, deed: Deed, code: string][] = [
    ['403 of a moderation', error(403, { error: flagged }), 'refused'],
    ['403 without a reason', error(403, 'blocked'), 'auth'],
    ['404 for parameters', error(404, { error: { message: noRoute, code: 404 } }), 'bad_request'],
    ['404 in other words', error(404, { error: { message: 'Resource not found' } }), 'bad_request'],
    ['413', error(413, 'too large'), 'bad_request'],
    ['422', error(422, { detail: [{ msg: 'no' }] }), 'bad_request'],
    [
      '400 that quotes a row',
      error(400, { error: { message: 'cannot read "this model does not exist"' } }),
      'bad_request',
    ],
  ]
  for (const [name, deed, code] of own)
    test(`${name} on the first row is that row’s failure`, async (t) => {
      const server = await chatServer(t, ({ text }) => (text === 'question 0' ? deed : undefined))
      const ran = await callOnce(server.url, ['--max-error-rate', '0.5', '--retries', '0'], trials(4))
      expect(ran, { code: 0 })
      assert.deepEqual(
        rowsOf(ran).map(({ jb }) => jb.error?.code ?? 'answered'),
        [code, 'answered', 'answered', 'answered'],
      )
    })

  test('rows that are all refused for what they say do not end the run', async (t) => {
    const server = await chatServer(t, () => error(403, { error: flagged }))
    const ran = await callOnce(server.url, ['--max-error-rate', '1'], trials(40))
    expect(ran, { code: 0 })
    assert.equal(server.calls.length, 40)
  })

  test('where a second row fails in the same way, the run ends; with one row alone the end says why', async (t) => {
    const ends: [Deed, number, RegExp][] = [
      [error(403, { error: { message: 'no access' } }), 77, /forbids the request \(HTTP 403: no access\)/],
      [error(404, { error: { message: 'Resource not found' } }), 78, /refuses every request .*--base-url is/],
      [error(400, { error: { message: 'Invalid model name passed' } }), 78, /no model "m" at/],
    ]
    for (const [deed, code, err] of ends) {
      const server = await chatServer(t, () => deed)
      expect(await callOnce(server.url, [], trials(30)), { code, err })
      const posts = server.calls.filter(({ method }) => method === 'POST')
      assert.equal(posts.length, 2)
      const alone = expect(await callOnce(server.url, [], trials(1)), { code, err })
      assert.equal(rowsOf(alone).length, 1)
    }
  })

  test('498 and every 5xx are tried again', async (t) => {
    const statuses = [498, 501, 520, 524, 529, 599]
    const server = await chatServer(t, ({ text, attempt }) =>
      attempt === 1 ? { status: statuses[Number(text.split(' ')[1])]! } : undefined,
    )
    fine(await callOnce(server.url, ['-q'], trials(statuses.length)))
  })
})

describe('answers in another frame', { concurrency: 4 }, () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const chunks = [
    chunk({ role: 'assistant', reasoning_content: 'Let me ' }),
    chunk({ role: 'assistant', reasoning_content: 'see.', content: 'My verdict: ' }),
    chunk({ content: '[[A>B]] é' }),
    chunk({}, 'stop'),
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
  ]
  const sse = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const whole = JSON.stringify(chatBody('My verdict: [[A>B]] é'))
  const good: [name: string, body: string][] = [
    ['chunks and [DONE]', `${sse(chunks)}data: [DONE]\n\n`],
    [
      'chunks with CRLF, ids and comments',
      `: hi\r\n\r\n${sse(chunks).replaceAll('\n', '\r\n').replace('data:', 'id: 1\r\ndata:')}`,
    ],
    ['one event', `data: ${whole}\n\ndata: [DONE]\n\n`],
    ['JSON and [DONE]', `${whole}\n[DONE]`],
    [
      'pretty JSON behind comments',
      `: OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n${JSON.stringify(JSON.parse(whole), null, 2)}`,
    ],
  ]
  for (const [name, body] of good)
    test(name, async (t) => {
      const headers = { 'content-type': 'text/event-stream' }
      const server = await chatServer(t, () => ({ body, headers }))
      const [row] = rowsOf(fine(await callOnce(server.url, ['-q', '--retries', '0'], trials(1))))
      const { text, finish_reason, reasoning, usage } = row!.jb.reply!
      assert.deepEqual([text, finish_reason], ['My verdict: [[A>B]] é', 'stop'])
      if (name.startsWith('chunks')) assert.deepEqual([reasoning, usage?.prompt_tokens], ['Let me see.', 3])
    })

  test('a completion in chunks, with its log probabilities', async (t) => {
    const part = (text: string, finish_reason: string | null) => ({
      choices: [{ index: 0, text, finish_reason, logprobs: { tokens: [text], token_logprobs: [-1] } }],
    })
    const server = await chatServer(t, () => ({ body: `${sse([part('4', null), part('2', 'length')])}` }))
    const ran = await callOnce(server.url, ['-q', '--api', 'completions'], trials(1))
    const { text, finish_reason, logprobs } = rowsOf(fine(ran))[0]!.jb.reply!
    assert.deepEqual(
      [text, finish_reason, logprobs],
      ['42', 'length', { tokens: ['4', '2'], token_logprobs: [-1, -1] }],
    )
  })

  test('what cannot be read: the content type and the first 80 characters; a stream that broke off', async (t) => {
    const html = `<html>${'x'.repeat(200)}`
    const bad: [string, string, RegExp][] = [
      [html, 'text/html', /not JSON \(content type text\/html\): \\?"<html>x{74}\\?"$/],
      [sse(chunks.slice(0, 2)), 'text/event-stream', /the stream broke off/],
      [
        `${sse(chunks.slice(0, 2))}data: {"error":{"message":"engine died"}}\n\n`,
        'text/event-stream',
        /engine died/,
      ],
    ]
    const half = sse(chunks.slice(0, 3))
    const errors = [
      { object: 'error', message: 'engine died', code: 50002 },
      { type: 'error', message: 'engine died' },
      { detail: 'engine died' },
      { error_code: 50001, text: 'engine died' },
      { status: 'failed', reason: 'a form of its own' },
      'engine died',
    ]
    for (const error of errors)
      bad.push([
        `${half}data: ${JSON.stringify(error)}\n\ndata: [DONE]\n\n`,
        'text/event-stream',
        /engine died|the stream broke off/,
      ])
    // By its name, whatever it says, also after the last chunk.
    for (const data of ['engine died', '{"code":1,"m":"engine died"}'])
      bad.push([
        `${sse(chunks)}event: error\ndata: ${data}\n\ndata: [DONE]\n\n`,
        'text/event-stream',
        /the stream ended with an error: .*engine died/,
      ])
    for (const [body, type, message] of bad) {
      const server = await chatServer(t, () => ({ body, headers: { 'content-type': type } }))
      const [row] = rowsOf(await callOnce(server.url, ['--retries', '1'], trials(1)))
      assert.equal(row!.jb.error!.code, 'bad_response')
      assert.match(row!.jb.error!.message, message)
      assert.equal(server.calls.length, 2)
    }
  })

  test('a stream that failed was paid for where it told its usage', async (t) => {
    const usage = { prompt_tokens: 3, completion_tokens: 2 }
    const body = sse([...chunks.slice(0, 3), { choices: [], usage }, { object: 'error', message: 'x' }])
    const server = await chatServer(t, () => ({ body, headers: { 'content-type': 'text/event-stream' } }))
    const [row] = rowsOf(await callOnce(server.url, ['--retries', '1'], trials(1)))
    assert.deepEqual([row!.jb.error!.usage, row!.jb.error!.paid], [usage, [{ usage }]])
  })

  test('choices are taken in the order of their index', async (t) => {
    const at = (index: number) => ({ ...choice({ content: `[[answer ${index}]]` }), index })
    const out = [1, 0].map(at)
    const streamed = sse(out.map(({ message, ...one }) => ({ choices: [{ ...one, delta: message }] })))
    for (const body of [chatBody('', 'm', { choices: out }), streamed]) {
      const server = await chatServer(t, () => ({ body }))
      const [row] = rowsOf(fine(await callOnce(server.url, ['-q'], trials(1))))
      assert.equal(row!.jb.reply!.text, '[[answer 0]]')
      const stdin = ndjson([0, 1].map((n) => trial(0, 'q', { trial: { n, of: 2, sample: n } })))
      const both = rowsOf(await callOnce(server.url, ['-q', '--samples-at-once'], stdin))
      assert.deepEqual(
        both.map(({ jb }) => jb.reply!.text),
        ['[[answer 0]]', '[[answer 1]]'],
      )
    }
  })

  test('deflate without its header', async (t) => {
    const body = deflateRawSync(whole)
    const server = await chatServer(t, () => ({ body, headers: { 'content-encoding': 'deflate' } }))
    fine(await callOnce(server.url, ['-q'], trials(1)))
  })
})

test('two different answers to one id of a batch are a conflict; the same one twice is an answer', async (t) => {
  const env = privateEnv(t)
  const stdin = ndjson([trial(0), trial(1)])
  const args = ['-q', '-m', 'm', '--batch']
  const [a, b] = linesOf(fine(await jb('call', [...args, 'emit'], { stdin, env })).stdout) as [Line, Line]
  const other = result(a, { response: { status_code: 200, body: chatBody('another') } })
  const path = `${folder(t, { 'r.jsonl': ndjson([result(a), result(b), other, result(b)]) })}/r.jsonl`
  const ran = await jb('call', [...args, 'join', path, '--max-error-rate', '1'], { stdin, env })
  const [first, second] = rowsOf(ran)
  assert.equal(first!.jb.error!.code, 'conflict')
  assert.match(first!.jb.error!.message, /2 answers to this request .* differ \(custom_id jb-/)
  assert.ok(second!.jb.reply)
})
