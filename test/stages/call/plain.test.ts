/** What is sent, to whom, and what stands in the row afterwards. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowOf, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, Started, sh } from '../../helpers/run.ts'
import { callOnce, inOrder, privateEnv, trial, trials } from './rows.ts'
import { chatBody, chatServer, reply } from './server.ts'

test('a chat request goes out with the model in front and nothing else changed', async (t) => {
  const server = await chatServer(t)
  const request =
    '{"messages":[{"role":"system","content":"s"},{"content":"é \\u00e9 \\n 😀","role":"user"}],"temperature":0.0,"seed":12345678901234567890,"top_p":1.0}'
  const line = `{"id": 12345678901234567890, "x":1.0,"jb":{"judge":"vanilla","item":"i","trial":{"n":0,"of":1},"request":${request}}}`
  const ran = await callOnce(server.url, ['-q'], `${line}\n`)
  assert.equal(server.calls[0]!.raw, `{"model":"m",${request.slice(1)}`)
  assert.ok(ran.stdout.startsWith(line.slice(0, -2)), 'the row is untouched but for what was added')
})

test('the reply: text, reasoning apart, the served model where it differs, usage, ms and tries', async (t) => {
  const server = await chatServer(t, ({ text }) => {
    const message = { role: 'assistant', content: `on ${text}`, reasoning_content: 'thinking' }
    const choice = { index: 0, message, finish_reason: 'length', logprobs: { content: [] } }
    return { body: { ...chatBody('x', 'm-2026-01-01'), choices: [choice] } }
  })
  const { jb: own } = rowOf(fine(await callOnce(server.url, ['-q'], trials(1))))
  const { ms, ...rest } = own.reply!
  assert.equal(typeof ms, 'number')
  assert.deepEqual(rest, {
    text: 'on question 0',
    reasoning: 'thinking',
    finish_reason: 'length',
    model: 'm',
    served_model: 'm-2026-01-01',
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    logprobs: { content: [] },
    tries: 1,
  })
})

test('forms of content: parts, a tool call, a refusal, nothing but reasoning, a content filter', async (t) => {
  const answers: Record<string, object> = {
    parts: {
      message: {
        content: [
          { type: 'text', text: 'one ' },
          { type: 'text', text: 'two' },
        ],
      },
      finish_reason: 'stop',
    },
    tool: {
      message: { content: null, tool_calls: [{ function: { name: 'f', arguments: '{"score":3}' } }] },
      finish_reason: 'tool_calls',
    },
    refusal: { message: { content: null, refusal: 'I will not' }, finish_reason: 'stop' },
    reasoning: { message: { content: '', reasoning_content: 'long thoughts' }, finish_reason: 'length' },
    filter: { message: { content: null }, finish_reason: 'content_filter' },
    silence: { message: { content: '' }, finish_reason: 'stop' },
  }
  const server = await chatServer(t, ({ text }) => ({
    body: { choices: [answers[text]], usage: { prompt_tokens: 1, completion_tokens: 2 } },
  }))
  const stdin = ndjson(Object.keys(answers).map((name) => trial(name, name)))
  const ran = await callOnce(server.url, ['--max-error-rate', '1'], stdin)
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply?.text ?? `${jb.error!.code}: ${jb.error!.message}`),
    [
      'one two',
      '{"score":3}',
      'refused: the model refused: I will not',
      'truncated: no words within the token limit, all went into reasoning: raise --max-tokens',
      "refused: the endpoint's content filter withheld the reply",
      '',
    ],
  )
  assert.equal(server.calls.length, 6, 'none of these is tried again')
  assert.match(ran.stderr, /6 \+ 12 tokens/, 'refusals are paid for as well')
})

test('however a server writes its JSON, the text in the row and in the cache is what it said', async (t) => {
  const around = (content: string) =>
    `{"model":"m","choices":[{"finish_reason":"stop","message":{"role":"assistant",${content}}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
  const bodies: [body: string, text: string][] = [
    [around('"content":"plain"'), 'plain'],
    [around('"content" :\n "spaced"'), 'spaced'],
    [around('"content":   "spaced too"'), 'spaced too'],
    [around('"content":"caf\\u00e9 \\ud83d\\ude00 a\\/b \\"q\\" \\\\"'), 'café 😀 a/b "q" \\'],
    [around('"content":"caf\u00e9 → 😀 \u2028"'), 'café → 😀 \u2028'],
    [around('"content":"{\\"content\\":\\"no\\"}"'), '{"content":"no"}'],
    [around('"content":"twice","x":{"content":"no"}'), 'twice'],
    [around('"content":"first","content":"last"'), 'last'],
    [around('"content":[{"type":"text","text":"part"}]'), 'part'],
    [around('"content":null,"tool_calls":[{"function":{"arguments":"{}"}}]'), '{}'],
    [around('"content":""'), ''],
    [around(`"content":"${'long '.repeat(1000)}→"`), `${'long '.repeat(1000)}→`],
  ]
  const server = await chatServer(t, ({ text }) => ({ body: bodies[Number(text.split(' ')[1])]![0] }))
  const env = privateEnv(t)
  const stdin = trials(bodies.length)
  for (const args of [[], ['--no-cache', '--price', '1,1'], ['--price', '1,1']]) {
    const ran = await jb('call', ['-m', 'm', '--base-url', server.url, '-q', ...args], { stdin, env })
    const replies = rowsOf(fine(ran)).map(({ jb }) => jb.reply!)
    assert.deepEqual(
      replies.map(({ text }) => text),
      bodies.map(([, text]) => text),
    )
    for (const { model, usage, cost } of replies)
      assert.deepEqual([model, usage?.prompt_tokens, cost], ['m', 1, args.length > 0 ? 0.000002 : undefined])
  }
  assert.equal(server.calls.length, 2 * bodies.length, 'the third run was answered from the cache')
})

test('however a server escapes the text, a run from the cache and a replay give the same bytes', async (t) => {
  const texts = [
    'caf\\u00e9 \\/',
    '\\u0007 \\u000A \\n \\b',
    '\\ud83d',
    'a \\\\/ b \\\\u00e9',
    '\\u003cb\\u003E',
    '\u00e9\x7f',
  ]
  const server = await chatServer(t, ({ text }) => ({
    body: `{"choices":[{"message":{"content":"${texts[Number(text.split(' ')[1])]}"}}]}`,
  }))
  const env = privateEnv(t)
  const record = `${env.XDG_CACHE_HOME}/recording`
  const args = ['-q', '-m', 'm', '--base-url', server.url]
  const stdin = trials(texts.length)
  const live = fine(await jb('call', [...args, '--record', record], { stdin, env }))
  const said = texts.map((text) => JSON.parse(`"${text}"`))
  assert.deepEqual(
    rowsOf(live).map(({ jb }) => jb.reply!.text),
    said,
  )
  assert.ok(live.stdout.includes(JSON.stringify(said[0])))
  assert.equal(fine(await jb('call', args, { stdin, env })).stdout, live.stdout)
  assert.equal(fine(await jb('call', [...args, '--replay', record], { stdin, env })).stdout, live.stdout)
})

test('a prompt goes to completions, by itself or with --api, and each can be put to the other', async (t) => {
  const server = await chatServer(t, ({ path, text }) =>
    path.endsWith('/chat/completions')
      ? undefined
      : { body: { choices: [{ text: ` and on: ${text}`, finish_reason: 'stop' }] } },
  )
  const prompt = trial(0, 'x', { request: { prompt: 'Once', max_tokens: 16 } })
  const chat = trial(1, 'Hello')
  const ran = fine(await callOnce(server.url, ['-q'], ndjson([prompt, chat])))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.text),
    [' and on: Once', reply('Hello')],
  )
  assert.deepEqual(server.calls.map(({ path }) => path).sort(), ['/v1/chat/completions', '/v1/completions'])
  await callOnce(server.url, ['-q', '--api', 'chat'], ndjson([prompt]))
  assert.deepEqual(server.calls[2]!.body, {
    model: 'm',
    max_tokens: 16,
    messages: [{ role: 'user', content: 'Once' }],
  })
  await callOnce(server.url, ['-q', '--api', 'completions'], ndjson([chat]))
  assert.deepEqual(server.calls[3]!.body, { model: 'm', temperature: 0, prompt: 'Hello' })
})

describe('where calls go', { concurrency: 2 }, () => {
  const FORMS: [base: string, path: string][] = [
    ['', '/v1/chat/completions'],
    ['/', '/v1/chat/completions'],
    ['/v1/', '/v1/chat/completions'],
    ['/v1', '/v1/chat/completions'],
    ['/api/openai/v1', '/api/openai/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
    [
      '/openai/deployments/d1?api-version=2024-10-21',
      '/openai/deployments/d1/chat/completions?api-version=2024-10-21',
    ],
  ]
  for (const [base, path] of FORMS)
    test(`--base-url with path "${base}"`, async (t) => {
      const server = await chatServer(t)
      expect(
        await callOnce(`http://127.0.0.1:${server.port}${base}`, ['-q'], trials(1), {
          env: { OPENAI_API_KEY: 'secret-key' },
        }),
        {},
      )
      assert.equal(server.calls[0]!.path, path)
      const { authorization, 'api-key': azure } = server.calls[0]!.headers
      if (base.includes('deployments')) assert.deepEqual([azure, authorization], ['secret-key', undefined])
      else assert.deepEqual([azure, authorization], [undefined, 'Bearer secret-key'])
    })

  test('what is no URL is said so', async () => {
    expect(await callOnce('ftp://x', [], trials(1)), {
      code: 78,
      err: /--base-url: "ftp:\/\/x" must begin with http/,
    })
    expect(await callOnce('http://', [], trials(1)), { code: 78, err: /is not a URL/ })
  })

  test('a redirect is not followed but told', async (t) => {
    const server = await chatServer(t, () => ({ status: 308, headers: { location: 'https://elsewhere/v1' } }))
    expect(await callOnce(server.url, [], trials(50)), {
      code: 78,
      out: '',
      err: /HTTP 308: redirected to https:\/\/elsewhere\/v1 \(set --base-url/,
    })
    assert.equal(server.calls.length, 1)
  })
})

test('model, base and key from the environment, each named judge its own', async (t) => {
  const one = await chatServer(t)
  const two = await chatServer(t)
  const env = {
    LLM_JUDGE_API_BASE: one.url,
    LLM_JUDGE_MODEL: 'general',
    LLM_JUDGE_API_KEY: 'key-general',
    LLM_JUDGE_MY_FLUENCY_API_BASE: two.url,
    LLM_JUDGE_MY_FLUENCY_MODEL: 'fluent',
    LLM_JUDGE_MY_FLUENCY_API_KEY: 'key-fluent',
    LLM_JUDGE_TONE_MODEL: 'tonal',
    LLM_JUDGE_TONE_API_KEY: '',
    OPENAI_API_KEY: 'key-openai',
  }
  const stdin = ndjson([
    trial(0),
    trial(1, 'b', { name: 'my fluency' }),
    trial(2, 'c', { name: 'tone' }),
    trial(3, 'd', { name: 'none such' }),
  ])
  const ran = fine(await jb('call', ['--no-cache', '-q'], { stdin, env }))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.model),
    ['general', 'fluent', 'tonal', 'general'],
  )
  const auth = (server: typeof one) => server.calls.map(({ headers }) => headers.authorization).sort()
  assert.deepEqual(auth(one), ['Bearer key-general', 'Bearer key-general', 'Bearer key-general'])
  assert.deepEqual(auth(two), ['Bearer key-fluent'])
  const flag = fine(await jb('call', ['--no-cache', '-q', '-m', 'flagged'], { stdin, env }))
  assert.ok(
    rowsOf(flag).every(({ jb }) => jb.reply!.model === 'flagged'),
    'a flag is over the environment',
  )
})

test('null for a model in a request, as jq leaves it, is none', async (t) => {
  const server = await chatServer(t)
  const asks = (model: unknown) =>
    trial(0, 'q', { request: { model, messages: [{ role: 'user', content: 'q' }] } })
  const env = { LLM_JUDGE_MODEL: 'general' }
  const args = ['-q', '--no-cache', '--base-url', server.url]
  const ran = fine(await jb('call', args, { stdin: ndjson([asks(null), asks('own')]), env }))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.model),
    ['general', 'own'],
  )
})

test('--api-key-env names the variable; the general ones fall back on one another', async (t) => {
  const server = await chatServer(t)
  const env = {
    OPENAI_BASE_URL: server.url,
    OPENAI_MODEL: 'm',
    OPENAI_API_KEY: 'key-openai',
    MINE: 'key-mine',
  }
  const stdin = trials(1)
  fine(await jb('call', ['--no-cache', '-q'], { stdin, env }))
  fine(await jb('call', ['--no-cache', '-q', '--api-key-env', 'MINE'], { stdin, env }))
  fine(
    await jb('call', ['--no-cache', '-q', '--header', 'X-Team: judges', '--header', 'x-token: $MINE'], {
      stdin,
      env,
    }),
  )
  assert.deepEqual(
    server.calls.map(({ headers }) => headers.authorization),
    ['Bearer key-openai', 'Bearer key-mine', 'Bearer key-openai'],
  )
  assert.deepEqual(
    [server.calls[2]!.headers['x-team'], server.calls[2]!.headers['x-token']],
    ['judges', 'key-mine'],
  )
  expect(await jb('call', ['--api-key-env', 'NOT_THERE'], { stdin, env }), {
    code: 78,
    err: /--api-key-env: the environment has no variable NOT_THERE/,
  })
  expect(await jb('call', ['--header', 'x: $NOT_THERE'], { stdin, env }), {
    code: 78,
    err: /NOT_THERE is not set/,
  })
  expect(await jb('call', [], { stdin, env: { OPENAI_MODEL: undefined } }), {
    code: 2,
    err: /no model: give one with -m NAME, or set LLM_JUDGE_MODEL/,
  })
})

test('options are over the judge’s own parameters, and take one away', async (t) => {
  const server = await chatServer(t)
  const args = [
    '-q',
    '--temperature',
    '0.7',
    '--max-tokens',
    '9',
    '--param',
    'top_p=0.5',
    '--param',
    'stop=END',
    '--param',
    'stop2=["a"]',
  ]
  fine(
    await callOnce(
      server.url,
      [...args, '--param', 'chat_template_kwargs={"enable_thinking":false}'],
      trials(1),
    ),
  )
  const { messages: _, ...body } = server.calls[0]!.body
  assert.deepEqual(body, {
    model: 'm',
    temperature: 0.7,
    max_tokens: 9,
    top_p: 0.5,
    stop: 'END',
    stop2: ['a'],
    chat_template_kwargs: { enable_thinking: false },
  })
  fine(await callOnce(server.url, ['-q', '--param', 'temperature='], trials(1)))
  assert.equal('temperature' in server.calls[1]!.body, false)
  expect(await callOnce(server.url, ['--param', 'nothing'], trials(1)), { code: 2, err: /expected KEY=JSON/ })
  expect(await callOnce(server.url, ['--param', 'stream=true'], trials(1)), {
    code: 2,
    err: /replies are read whole/,
  })
})

test('rows keep their order while calls overtake one another; --unordered lets them go', async (t) => {
  const server = await chatServer(t, ({ n }) => ({ delay: n % 7 === 0 ? 120 : 1 }))
  inOrder(fine(await callOnce(server.url, ['-q', '-j', '20'], trials(150))), 150)
  const loose = rowsOf(
    fine(await callOnce(server.url, ['-q', '-j', '20', '--unordered', '--no-preflight'], trials(150))),
  )
  const ids = loose.map(({ id }) => id)
  assert.notDeepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
  assert.deepEqual(
    ids.toSorted((a, b) => a - b),
    Array.from({ length: 150 }, (_, i) => i),
  )
})

test('-j is how many are under way at once', async (t) => {
  const server = await chatServer(t, () => ({ delay: 30 }))
  fine(await callOnce(server.url, ['-q', '-j', '7'], trials(60)))
  assert.equal(server.widest, 7)
})

test('a row is written as soon as it is answered, while others are still under way', async (t) => {
  const server = await chatServer(t, ({ text }) => (text === 'question 1' ? 'hang' : undefined))
  const running = new Started(t, 'call', ['-m', 'm', '--base-url', server.url, '--no-cache'])
  running.child.stdin.write(trials(2))
  await running.lines(1)
  assert.equal(JSON.parse(running.stdout).id, 0)
})

test('no more is read than there is room for', async (t) => {
  const server = await chatServer(t, () => 'hang')
  const running = new Started(t, 'call', [
    '-m',
    'm',
    '--base-url',
    server.url,
    '--no-cache',
    '-j',
    '4',
    '--no-preflight',
  ])
  const line = `${JSON.stringify(trial(0, 'x'.repeat(4000)))}\n`
  let taken = 0
  // Writes until the pipe takes no more.
  await new Promise<void>((resolve) => {
    let idle: NodeJS.Timeout
    // Not before the calls are under way: a busy machine takes its time to start a process.
    const still = () => (server.widest < 4 ? (idle = setTimeout(still, 100)) : resolve())
    const push = () => {
      clearTimeout(idle)
      idle = setTimeout(still, 700)
      if (taken > 20_000) return resolve()
      running.child.stdin.write(line, () => {
        taken++
        push()
      })
    }
    push()
  })
  // 1,024 are read ahead, so that the end of a short input is known.
  assert.ok(taken < 2500, `${taken} rows were taken while four calls hang`)
  assert.equal(server.widest, 4)
})

describe('preflight', { concurrency: 2 }, () => {
  const names = { data: [{ id: 'good-one' }, { id: 'good-two' }] }

  test('an unknown model ends the run behind one call, and the known ones are named', async (t) => {
    const server = await chatServer(t, ({ method, body }) =>
      method === 'GET'
        ? { body: names }
        : {
            status: 404,
            body: {
              error: { message: `The model \`${body.model}\` does not exist`, code: 'model_not_found' },
            },
          },
    )
    const ran = await callOnce(server.url, [], trials(200))
    expect(ran, { code: 78, out: '', err: /no model "m" at .*: it has good-one, good-two \(-m NAME/ })
    assert.deepEqual(
      server.calls.map(({ method, path }) => `${method} ${path}`),
      ['POST /v1/chat/completions', 'GET /v1/models'],
    )
  })

  test('a refused key ends it behind one call, and the variable is named', async (t) => {
    const server = await chatServer(t, () => ({
      status: 401,
      body: { error: { message: 'Incorrect API key provided' } },
    }))
    const env = { OPENAI_API_KEY: 'sk-wrong-wrong' }
    const ran = await callOnce(server.url, [], trials(200), { env })
    expect(ran, {
      code: 77,
      out: '',
      err: /refuses the key in OPENAI_API_KEY \(HTTP 401: Incorrect API key provided\)/,
    })
    assert.equal(server.calls.length, 1)
  })

  test('a wrong path ends it behind one call', async (t) => {
    const server = await chatServer(t, () => ({ status: 404, body: 'Not Found' }))
    expect(await callOnce(`${server.url}/oops`, [], trials(200)), {
      code: 78,
      out: '',
      err: /nothing answers at .*\/v1\/oops\/chat\/completions .*--base-url is the part before/,
    })
    assert.equal(server.calls.length, 1)
  })

  test('a 400 that is the row’s own does not end it', async (t) => {
    const server = await chatServer(t, ({ n }) =>
      n === 0 ? { status: 400, body: { error: { message: 'too long' } } } : undefined,
    )
    const ran = await callOnce(server.url, [], trials(20))
    assert.equal(rowsOf(ran).filter(({ jb }) => jb.reply).length, 19)
  })

  test('a first call that takes long holds up nobody for long', async (t) => {
    let resolve = () => {}
    const others = new Promise<void>((done) => (resolve = done))
    const server = await chatServer(t, async ({ n }) => {
      if (n > 0) resolve()
      else await others
      return undefined
    })
    inOrder(fine(await callOnce(server.url, ['-q'], trials(3))), 3)
    const second = server.calls[1]!.at - server.calls[0]!.at
    assert.ok(second > 1000, `the second call came ${second} ms after the first`)
  })

  test('nothing is sent where everything is in the cache', async (t) => {
    const server = await chatServer(t)
    const env = { XDG_CACHE_HOME: folder(t) }
    const args = ['-q', '-m', 'm', '--base-url', server.url]
    const first = fine(await jb('call', args, { stdin: trials(10), env }))
    await server.close()
    assert.equal(fine(await jb('call', args, { stdin: trials(10), env })).stdout, first.stdout)
  })
})

describe('parameters a server refuses', { concurrency: 2 }, () => {
  const refuse = (message: string, param?: string | null, code?: string) => ({
    status: 400,
    body: { error: { message, param, code } },
  })

  test('temperature and max_tokens, as reasoning models do: told once, learnt for good', async (t) => {
    const server = await chatServer(t, ({ body }) => {
      if ('max_tokens' in body)
        return refuse(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          'max_tokens',
          'unsupported_parameter',
        )
      if ('temperature' in body)
        return refuse(
          "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
          'temperature',
          'unsupported_value',
        )
      return undefined
    })
    const ran = await callOnce(server.url, ['--max-tokens', '50'], trials(40))
    inOrder(expect(ran, {}), 40)
    assert.equal(server.calls.length, 42)
    assert.equal(server.calls.at(-1)!.body.max_completion_tokens, 50)
    const notes = ran.stderr.split('\n').filter((line) => /sent as|left out/.test(line))
    assert.equal(notes.length, 2, ran.stderr)
    assert.match(ran.stderr, /m at 127\.0\.0\.1:\d+: max_tokens is sent as max_completion_tokens/)
    assert.match(ran.stderr, /temperature is refused and left out from here on/)
  })

  test('a limit on tokens that is refused under both its names is left out', async (t) => {
    const server = await chatServer(t, ({ body }) => {
      if ('max_tokens' in body)
        return refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.")
      if ('max_completion_tokens' in body)
        return refuse("Unsupported parameter: 'max_completion_tokens'", 'max_completion_tokens')
      return undefined
    })
    const ran = await callOnce(server.url, ['--max-tokens', '50', '--max-requests', '60'], trials(10))
    inOrder(expect(ran, { err: /max_completion_tokens is refused and left out/ }), 10)
    assert.equal(server.calls.length, 12)
  })

  test('a JSON schema falls back on plain JSON, then on none', async (t) => {
    const format = { type: 'json_schema', json_schema: { name: 'v', schema: { type: 'object' } } }
    const server = await chatServer(t, ({ body }) => {
      if (body.response_format?.type === 'json_schema')
        return refuse('response_format.type json_schema is not supported')
      if (body.response_format) return refuse("'response_format' is unsupported", 'response_format')
      return undefined
    })
    const row = trial(0, 'q', {
      request: { messages: [{ role: 'user', content: 'q' }], response_format: format },
    })
    const ran = await callOnce(server.url, [], ndjson([row]))
    assert.equal(rowOf(ran).jb.reply!.text, reply('q'))
    assert.deepEqual(
      server.calls.map(({ body }) => body.response_format?.type),
      ['json_schema', 'json_object', undefined],
    )
  })

  test('other servers’ words for it', async (t) => {
    const words: Record<string, unknown> = {
      vllm: {
        object: 'error',
        message:
          "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted'}]",
        code: 400,
      },
      fastapi: {
        detail: [{ loc: ['body', 'top_k'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }],
      },
      google: [
        {
          error: {
            code: 400,
            message: 'Invalid JSON payload received. Unknown name "top_k": Cannot find field.',
          },
        },
      ],
      plain: { error: 'unknown parameter: top_k' },
    }
    for (const [who, body] of Object.entries(words)) {
      const server = await chatServer(t, (call) =>
        'top_k' in call.body ? { status: who === 'fastapi' ? 422 : 400, body } : undefined,
      )
      const ran = await callOnce(server.url, ['--param', 'top_k=5'], trials(1))
      assert.equal(rowOf(ran).jb.reply?.text, reply('question 0'), `${who}: ${ran.stderr}`)
    }
  })

  test('a wrong value, or a message that is refused, is for the user to mend', async (t) => {
    const bodies = [
      refuse(
        'max_tokens is too large: 100000. This model supports at most 16384',
        'max_tokens',
        'invalid_value',
      ),
      refuse(
        "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
        'messages',
        'context_length_exceeded',
      ),
      refuse('Invalid content in messages', 'messages[0].content', 'invalid_type'),
    ]
    const server = await chatServer(t, ({ n }) => bodies[n])
    const ran = await callOnce(
      server.url,
      ['--max-tokens', '100000', '--max-error-rate', '1', '-j', '1'],
      trials(3),
    )
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => jb.error?.code),
      ['bad_request', 'bad_request', 'bad_request'],
    )
    assert.equal(server.calls.length, 3)
  })
})

test('the help names every option, and wrong ones are answered with the nearest', async () => {
  const { stdout } = fine(await jb('call', ['--help-all']))
  for (const option of [
    '--model',
    '--base-url',
    '--api',
    '--param',
    '--concurrency',
    '--rpm',
    '--tpm',
    '--retries',
    '--retry-min',
    '--retry-max',
    '--timeout',
    '--max-error-rate',
    '--preflight',
    '--no-preflight',
    '--repair',
    '--cache',
    '--no-cache',
    '--refresh',
    '--record',
    '--replay',
    '--unordered',
    '--max-cost',
    '--price',
    '--dry-run',
  ])
    assert.ok(stdout.includes(option), option)
  assert.deepEqual(
    stdout.split('\n').filter((line) => [...line].length > 80),
    [],
    'a line is wider than 80 columns',
  )
  expect(await jb('call', ['--modle', 'x'], { stdin: '' }), { code: 2, err: /did you mean --model\?/ })
  expect(await jb('call', ['-j', '0'], { stdin: '' }), { code: 2, err: /--concurrency: at least 1/ })
  fine(await sh('jb-call -q -m m < /dev/null'))
})

test('--param: what begins as JSON must be JSON', async (t) => {
  const server = await chatServer(t)
  expect(await callOnce(server.url, ['--param', 'response_format={type:json_object}'], trials(1)), {
    code: 2,
    err: /--param response_format: not valid JSON/,
  })
  fine(await callOnce(server.url, ['-q', '--param', 'stop=END'], trials(1)))
  assert.equal(server.calls.at(-1)!.body.stop, 'END')
})
