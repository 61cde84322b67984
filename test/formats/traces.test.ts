/** Readers of agents' logs: inspect_ai, OpenTelemetry, promptfoo, OpenAI's batches, Langfuse. */
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32, deflateRawSync } from 'node:zlib'
import { messagesOf } from '../../src/chat/message.ts'
import { transcript } from '../../src/chat/transcript.ts'
import { folder } from '../helpers/folder.ts'
import { rowsOf as typedRows } from '../helpers/rows.ts'
import { fine, jb, pipe, type Ran, ROOT } from '../helpers/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: what stands in rows is the point of each test
const rowsOf = (ran: Ran): any[] => typedRows(ran)

const read = (cwd: string, ...args: string[]) => jb('read', args, { cwd })

// biome-ignore lint/suspicious/noExplicitAny: rows of any format
const shown = (rows: any[], without: string[] = []) =>
  rows
    .map(({ messages, ...rest }) => {
      for (const key of without) delete rest[key]
      return `${JSON.stringify(rest)}\n${transcript(messagesOf(messages))}\n`
    })
    .join('')

test('the given files, byte for byte', async (_t) => {
  const path = `${ROOT}fixtures/traces/given/readers.expected.txt`
  const cwd = join(path, '..')
  const parts = readFileSync(path, 'utf8').split(/^# .*\n/m)
  const logs = ['inspect-zstd.eval', 'inspect-deflate.eval', 'inspect-crashed.eval', 'inspect.json']
  for (const log of logs)
    assert.equal(shown(rowsOf(await read(cwd, 'inspect', log)), ['question', 'epochs_of']), parts[1], log)
  // A run that failed has no verdict: the definition says so, the file does not.
  const failed = (error: string) =>
    `,"error":${error},"jb":{"error":{"stage":"read","code":"source_failed","message":${error}}}}`
  const withFailures = (text: string) => text.replace(/,"error":("[^"]*")\}/g, (_, error) => failed(error))
  const runs = withFailures(parts[2]!.replace('"answer":null,"pass":false,"score":0,', '"answer":null,'))
  assert.equal(shown(rowsOf(await read(cwd, 'promptfoo', 'promptfoo.json')), ['question']), runs)
  const batches = ['openai-batch-input.jsonl', 'openai-batch-output.jsonl']
  assert.equal(shown(rowsOf(await read(cwd, 'openai-batch', ...batches))), withFailures(parts[3]!))
  const traces = ['otel.jsonl', 'otel-openinference.jsonl', 'otel-1.36-traces.jsonl', 'otel-1.36-logs.jsonl']
  for (const files of [traces, traces.toReversed()]) {
    const rows = rowsOf(await read(cwd, 'otel', ...files))
    const told = rows.map(
      (row) =>
        `== ${row.id} ${row.conversation} ${row.model} spans ${row.spans} others ${row.others.length}\n${transcript(messagesOf(row.messages))}\n`,
    )
    assert.equal(told.join(''), readFileSync(join(cwd, 'otel.expected.txt'), 'utf8'))
  }
  assert.equal(
    shown(rowsOf(await read(cwd, 'langfuse', 'langfuse-observations.jsonl'))),
    '{"id":"t-1","conversation":"s-1","name":"shop","model":"m-1","others":[],"scores":{"helpfulness":[1]},"annotations":[]}\n' +
      '[1] user\n  Is order 7 sent?\n[2] assistant calls find_order (k1)\n  {"order":7}\n[3] tool find_order (k1) returns\n  sent\n[4] assistant\n  Yes.\n',
  )
})

test('a judge that asks about a question and an answer sees what the model of a log was asked', async () => {
  const cwd = `${ROOT}fixtures/traces/given`
  for (const [format, question] of [
    ['inspect', /<(question-\w+)>\nWhat is 6 times 7\?\n<\/\1>\n\n<answer-\w+>\n42\n</],
    ['promptfoo', /<(question-\w+)>\nAnswer: 1\+1\?\n<\/\1>\n\n<answer-\w+>\n2\n</],
  ] as const) {
    const { stdout } = await pipe(
      `jb-read -q ${format} ${format}.json | jb-render -q pass_fail --set criterion=x --limit 1`,
      { cwd },
    )
    assert.match(JSON.parse(stdout).jb.request.messages[0].content, question, format)
  }
})

test('logs that inspect_ai, the OpenTelemetry SDK and its instrumentations wrote (fixtures/traces/versions.json)', async () => {
  const cwd = join(import.meta.dirname, '../../fixtures/traces')
  const told = (row: { messages: unknown }) =>
    transcript(messagesOf(row.messages)).replace(/ \(for_\S+\)/g, '')
  for (const log of ['inspect.eval', 'inspect.json']) {
    const rows = rowsOf(fine(await read(cwd, 'inspect', log)))
    const [sum] = rows.filter(({ sample }) => sample === 'sum')
    assert.deepEqual([rows.length, sum.id, sum.answer, sum.scores], [2, 'shop/sum/1', '3', { includes: 'C' }])
    assert.match(
      told(sum),
      /\[3\] tool add fails\n {2}no negative numbers\n[\s\S]*\[5\] tool add returns\n {2}3\n\[6\]/,
    )
    const [colour] = rows.filter(({ sample }) => sample === 'colour')
    assert.match(told(colour), /shows image 1 \(image\/png, 70 B\)\n\[2\] assistant\n {2}Red\.$/)
  }
  const whole =
    '[1] system\n  You answer for a shop.\n[2] user\n  Was order 7 sent?\n[3] assistant calls find (k1)\n  {"order":7}\n[4] tool find (k1) returns\n  sent\n[5] assistant\n  It was sent.'
  const files = [
    ['otel-spans.jsonl'],
    ['otel-openinference.jsonl'],
    ['otel-events.jsonl', 'otel-events-logs.jsonl'],
  ]
  for (const some of files) {
    const rows = rowsOf(fine(await read(cwd, 'otel', ...some)))
    assert.deepEqual(
      rows.map((row) => told(row).replace('"order": 7', '"order":7')),
      [whole],
    )
  }
  const alone = await read(cwd, 'otel', 'otel-events.jsonl')
  assert.match(alone.stderr, /give the logs file too/)
})

interface Member {
  name: string
  text: string | Buffer
  method?: number
  size?: number
  crc?: number
}

/** A zip archive of these members. */
function zip(members: readonly Member[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, text, method = 8, ...claimed } of members) {
    const bytes = Buffer.from(text)
    const packed = method === 8 ? deflateRawSync(bytes) : bytes
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(claimed.crc ?? crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(claimed.size ?? bytes.length, 18)
    fields.writeUInt16LE(name.length, 22)
    parts.push(Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed)
    const entry = Buffer.alloc(42)
    fields.copy(entry, 2)
    entry.writeUInt32LE(at, 38)
    directory.push(Buffer.from('PK\x01\x02'), entry, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const HEADER = { name: 'header.json', text: '{"eval":{"task":"t","model":"m"}}' }
const sample = (id: string, more: object = {}) => ({
  name: `samples/${id}_epoch_1.json`,
  text: JSON.stringify({ id, epoch: 1, messages: [{ role: 'user', content: 'Q' }], ...more }),
})

test('inspect: broken members are bad rows with their names, the others are read; of two of one name the last', async (t) => {
  const cwd = folder(t, {
    'a.eval': zip([
      HEADER,
      sample('first', { target: 'old' }),
      { ...sample('odd'), method: 12 },
      { ...sample('size'), size: 9 },
      { ...sample('huge'), size: 600e6 },
      { ...sample('crc'), crc: 1 },
      { name: 'samples/x_epoch_1.json', text: '{"id":1,' },
      { name: 'samples/y_epoch_1.json', text: '{"id":1}' },
      sample('first', { target: 'new', score: Number.NaN }),
    ]),
  })
  const ran = await read(cwd, 'inspect', 'a.eval', '--bad-rows', 'pass')
  const rows = rowsOf(ran)
  assert.deepEqual([rows[0].id, rows[0].target, rows.length], ['t/first/1', 'new', 7])
  const errors = rows.flatMap(({ jb }) => jb?.error.message ?? []).join('\n')
  for (const why of [
    /member samples\/odd\S+: its compression \(method 12\)/,
    /stated|unpacked/,
    /600 MB/,
    /checksum/,
    /samples\/x\S+: not valid JSON/,
    /no sample of inspect_ai/,
  ])
    assert.match(errors, why)
  const cut = readFileSync(join(cwd, 'a.eval')).subarray(0, 300)
  const broken = await read(folder(t, { 'cut.eval': cut }), 'cut.eval')
  assert.deepEqual([broken.code, /no whole zip|not a whole zip/.test(broken.stderr)], [65, true])
  const stdin = readFileSync(join(cwd, 'a.eval'))
  const piped = await jb('read', ['inspect', '--bad-rows', 'pass'], { stdin })
  assert.deepEqual(
    rowsOf(piped).map(({ id }) => id),
    rows.map(({ id }) => id),
  )
})

test('inspect: a sample that was not scored has NaN in both forms of a log; a text of 12 MB is read', async (t) => {
  const long = 'x\n"é'.repeat(1.5e6)
  const member = `{"id":1,"epoch":1,"messages":[{"role":"user","content":${JSON.stringify(`NaN "NaN" ${long}`)}}],"scores":{"m":{"value":NaN},"n":{"value":-Infinity}}}`
  const cwd = folder(t, {
    'a.eval': zip([HEADER, { name: 'samples/1_epoch_1.json', text: member }]),
    'a.json': `{"eval":{"task":"t","model":"m"},"samples":[${member}]}`,
  })
  const [archived, document] = [await read(cwd, 'a.eval'), await read(cwd, 'inspect', 'a.json')].map(
    (ran) => rowsOf(fine(ran))[0],
  )
  assert.deepEqual(archived.scores, { m: 'NaN', n: '-Infinity' })
  assert.equal(archived.messages[0].content, `NaN "NaN" ${long}`)
  assert.deepEqual(document, archived)
})

test('inspect: logs of two models have the model in their ids; of a log and its retry the later sample counts', async (t) => {
  const log = (model: string, created: string, samples: Record<number, string>, task_id = 'x') => {
    const made = Object.entries(samples).map(([id, content]) => ({
      ...{
        id: Number(id),
        epoch: 1,
        messages: [
          { role: 'user', content: 'Q' },
          { role: 'assistant', content },
        ],
      },
    }))
    return { eval: { task: 't', model, task_id, created }, samples: made }
  }
  const archive = (of: ReturnType<typeof log>) =>
    zip([
      { name: 'header.json', text: JSON.stringify({ eval: of.eval }) },
      ...of.samples.map((one) => ({ name: `samples/${one.id}_epoch_1.json`, text: JSON.stringify(one) })),
    ])
  const [first, retry] = [
    log('m1', '2026-01-01T10:00:00+00:00', { 1: 'old', 2: 'kept' }),
    log('m1', '2026-01-01T11:00:00+00:00', { 1: 'new', 3: 'more' }),
  ]
  const other = log('m2', '2026-01-01T10:00:00+00:00', { 1: 'a', 2: 'b' }, 'y')
  const cwd = folder(t, {
    'first.json': JSON.stringify(first),
    'retry.eval': archive(retry!),
    'other.eval': archive(other),
  })
  for (const files of [
    ['first.json', 'retry.eval'],
    ['retry.eval', 'first.json'],
  ]) {
    const ran = await read(cwd, 'inspect', ...files)
    assert.deepEqual(
      rowsOf(ran).map(({ id, answer }) => [id, answer]),
      [
        ['t/1/1', 'new'],
        ['t/3/1', 'more'],
        ['t/2/1', 'kept'],
      ],
    )
    assert.match(ran.stderr, /first\.json: 1 of its samples are in a later log of this task too/)
  }
  const both = await read(cwd, 'inspect', 'first.json', 'other.eval')
  assert.deepEqual(
    rowsOf(both).map(({ id, model }) => [id, model]),
    [
      ['t/m1/1/1', 'm1'],
      ['t/m1/2/1', 'm1'],
      ['t/m2/1/1', 'm2'],
      ['t/m2/2/1', 'm2'],
    ],
  )
  assert.match(
    both.stderr,
    /the logs are of 2 models: the model is part of each id \(m1, m2\); jb-compare --run model --id sample compares them/,
  )
  // What several attempts of one system have in common is not what two systems have.
  assert.deepEqual(
    rowsOf(both).map(({ epochs_of }) => epochs_of),
    ['t/m1/1', 't/m1/2', 't/m2/1', 't/m2/2'],
  )
})

test('inspect: the tools of a sample’s events are its tools, which tool_selection shows', async (t) => {
  const tools = [{ name: 'add', description: 'Adds.', parameters: { type: 'object' } }]
  const events = [
    { event: 'model', tools },
    { event: 'tool', function: 'add' },
    { event: 'model', tools: [...tools, { name: 'sub' }] },
  ]
  const cwd = folder(t, { 'a.eval': zip([HEADER, sample('s', { events })]) })
  const ran = fine(await read(cwd, 'a.eval'))
  assert.deepEqual(rowsOf(ran)[0].tools, [...tools, { name: 'sub' }])
  const [asked] = rowsOf(fine(await jb('render', ['tool_selection'], { stdin: ran.stdout })))
  assert.match(asked.jb.request.messages.at(-1).content, /Adds\./)
})

test('inspect: an archive with members that overlap, or that is a hundred times as long unpacked, is refused', async (t) => {
  const whole = zip([HEADER, sample('a'), sample('b')])
  const overlapping = Buffer.from(whole)
  // The last member's place, in the directory, becomes that of the one before.
  const last = overlapping.lastIndexOf('PK\x01\x02')
  const before = overlapping.lastIndexOf('PK\x01\x02', last - 1)
  overlapping.copy(overlapping, last + 42, before + 42, before + 46)
  const bomb = Array.from({ length: 3 }, (_, i) => ({ ...sample(`x${i}`), size: 200e6 }))
  const cwd = folder(t, { 'over.eval': overlapping, 'bomb.eval': zip([HEADER, ...bomb]) })
  for (const [name, why] of [
    ['over.eval', /over\.eval: members overlap/],
    ['bomb.eval', /bomb\.eval: unpacked it would have 600 MB, more than 500 MB and 100 times its own size/],
  ] as const) {
    const ran = await read(cwd, name, '--bad-rows', 'skip')
    assert.deepEqual([ran.code, ran.stdout], [65, ''])
    assert.match(ran.stderr, why)
  }
})

test('traces of 5,000 calls in a chain, and of as many conversations, take a moment', async (t) => {
  const observed = (id: number, more: object) => ({
    ...{ id: String(id), traceId: 't', type: 'GENERATION', startTime: '2026-01-01', output: 'A' },
    ...more,
  })
  const n = 5_000
  const chain = Array.from({ length: n }, (_, i) =>
    observed(i, { input: `Q${i}`, parentObservationId: i > 0 ? String(i - 1) : null }),
  )
  const spans = Array.from({ length: n }, (_, i) =>
    chat((i + 1).toString(16), i, [said('user', `Q${i}`)], said('assistant', 'A'), {
      ...(i > 0 && { parentSpanId: i.toString(16) }),
    }),
  )
  const cwd = folder(t, { 'l.jsonl': lined(chain), 'o.jsonl': `${otlp(...spans)}\n` })
  for (const [format, name] of [
    ['langfuse', 'l.jsonl'],
    ['otel', 'o.jsonl'],
  ] as const) {
    const began = performance.now()
    const [row] = rowsOf(fine(await read(cwd, format, name)))
    assert.deepEqual(
      [row.messages[0].content ?? row.messages[0].parts[0].content, row.others.length],
      ['Q0', n - 1],
    )
    assert.ok(performance.now() - began < 10_000, `${format}: ${performance.now() - began} ms`)
  }
})

test('inspect: texts of attachments stand where they are named; --whole keeps the rest of a sample', async (t) => {
  const messages = [{ role: 'user', content: 'see attachment://ab and attachment://none' }]
  const cwd = folder(t, {
    'a.eval': zip([
      HEADER,
      sample('s', { messages, attachments: { ab: 'this' }, events: [1], limit: { type: 'token' } }),
    ]),
  })
  const [row] = rowsOf(await read(cwd, 'a.eval', '--whole'))
  assert.deepEqual(
    [row.messages[0].content, row.events, row.limit, row.answer],
    ['see this and attachment://none', [1], 'token', ''],
  )
})

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] })
const span = (id: string, start: number, attributes: object[], more: object = {}) => ({
  ...{ traceId: 'AB', spanId: id, startTimeUnixNano: String(start), attributes },
  ...more,
})
const chat = (id: string, start: number, input: object[], output: object, more: object = {}) =>
  span(
    id,
    start,
    [
      text('gen_ai.input.messages', JSON.stringify(input)),
      text('gen_ai.output.messages', JSON.stringify([output])),
    ],
    more,
  )
const otlp = (...spans: unknown[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

test('otel: an agent’s span that repeats question and answer is in the thread of its calls; broken spans are bad rows', async (t) => {
  const [q, c, r, a] = [
    said('user', 'Q'),
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'k', name: 'f', arguments: {} }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'k', response: 'R' }] },
    said('assistant', 'A'),
  ]
  const cwd = folder(t, {
    'a.jsonl': `${otlp(
      chat('0a', 1, [q], a!),
      chat('0b', 2, [q], c!, { parentSpanId: '0a' }),
      7,
      { traceId: 'zz' },
      chat('0C', 3, [q, c!, r!], a!, { parentSpanId: '0A' }),
    )}\nnot json\n{}\n`,
  })
  const rows = rowsOf(await read(cwd, 'otel', 'a.jsonl', '--bad-rows', 'pass'))
  const bad = rows.slice(0, -1).map(({ jb }) => jb.error.message)
  assert.match(bad.join('\n'), /span 3 is no object\nspan 4 has no traceId[\s\S]*no OTLP JSON/)
  const made = rows.at(-1)
  assert.deepEqual([made.id, made.span, made.messages.length, made.others], ['ab', '0a', 4, []])
})

test('otel: --per conversation joins what later traces do not repeat; a trace without texts says what to set', async (t) => {
  const turn = (traceId: string, start: number, input: object[], output: object) => ({
    ...chat('01', start, input, output),
    traceId,
    attributes: [...chat('01', start, input, output).attributes, text('gen_ai.conversation.id', 'c')],
  })
  const cwd = folder(t, {
    'a.json': JSON.stringify(
      JSON.parse(
        otlp(
          turn('2', 2, [said('user', 'B')], said('assistant', 'b')),
          turn('1', 1, [said('user', 'A')], said('assistant', 'a')),
          turn(
            '3',
            3,
            [said('user', 'B'), said('assistant', 'b'), said('user', 'C')],
            said('assistant', 'c'),
          ),
          { traceId: '4', spanId: '1', attributes: [text('gen_ai.operation.name', 'chat')] },
          { traceId: '5', spanId: '1', attributes: [text('http.method', 'GET')] },
        ),
      ),
      null,
      2,
    ),
  })
  const ran = await read(cwd, 'otel', 'a.json', '--per', 'conversation')
  const [without, joined, ...more] = rowsOf(ran)
  assert.equal(
    transcript(messagesOf(joined.messages)).replace(/\n {2}/g, ' '),
    ['[1] user A', '[2] assistant a', '[3] user B', '[4] assistant b', '[5] user C', '[6] assistant c'].join(
      '\n',
    ),
  )
  assert.equal(joined.id, 'c')
  assert.match(without.jb.error.message, /OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT/)
  assert.deepEqual(more, [])
  assert.match(ran.stderr, /1 traces have no span of a model/)
})

test('otel: Traceloop’s attributes, and tools alone', async (t) => {
  const traceloop = Object.entries({
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': '[{"type":"text","text":"Q"}]',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.tool_calls.0.id': 'k',
    'gen_ai.completion.0.tool_calls.0.name': 'f',
    'gen_ai.completion.0.tool_calls.0.arguments': '{}',
  }).map(([key, value]) => text(key, value))
  const tool = Object.entries({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'f',
    'gen_ai.tool.call.id': 'k',
    'gen_ai.tool.call.arguments': '{"x":1}',
    'gen_ai.tool.call.result': 'R',
  }).map(([key, value]) => text(key, value))
  const cwd = folder(t, {
    'a.jsonl': `${otlp(span('01', 1, traceloop), { ...span('02', 2, tool), traceId: 'cd' })}\n`,
  })
  const rows = rowsOf(fine(await read(cwd, 'otel', 'a.jsonl')))
  assert.equal(transcript(messagesOf(rows[0].messages)), '[1] user\n  Q\n[2] assistant calls f (k)\n  {}')
  assert.equal(
    transcript(messagesOf(rows[1].messages)),
    '[1] assistant calls f (k)\n  {"x":1}\n[2] tool f (k) returns\n  R',
  )
})

test('openai-batch: an answer that came at the second try counts; without one, the row has an error', async (t) => {
  const asked = (custom_id: string) => ({
    custom_id,
    body: { model: 'm', messages: [{ role: 'user', content: 'Q' }] },
  })
  const answer = (custom_id: string, status_code: number, body: object) => ({
    custom_id,
    response: { status_code, body },
  })
  const lines = [
    answer('a', 500, { error: { code: 'server', message: 'no' } }),
    answer('a', 200, { choices: [{ message: { role: 'assistant', content: 'A' } }] }),
    asked('a'),
    asked('b'),
    answer('d', 503, {}),
    { nothing: 1 },
  ]
  const cwd = folder(t, { 'a.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') })
  const rows = rowsOf(await read(cwd, 'openai-batch', 'a.jsonl'))
  assert.deepEqual(
    rows.map(({ id, messages, jb }) => [id, messages?.length, jb?.error.code, jb?.error.message]),
    [
      [
        undefined,
        undefined,
        'missing_field',
        'no "custom_id" with a body or a response: no line of the Batch API',
      ],
      ['a', 2, undefined, undefined],
      ['b', 1, 'source_failed', 'no answer in the files given'],
      ['d', 0, 'source_failed', 'HTTP 503'],
    ],
  )
})

const asking = (custom_id: string, content: string) => ({
  ...{ custom_id, body: { model: 'm', messages: [{ role: 'user', content }] } },
})
const answering = (custom_id: string, content: string | null) => ({
  custom_id,
  response: { status_code: 200, body: { choices: [{ message: { role: 'assistant', content } }] } },
})
const lined = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

test('openai-batch: batches whose ids begin anew are a conflict in every order of their files; the same twice is one', async (t) => {
  const cwd = folder(t, {
    in1: lined([asking('1', 'Capital of Spain?'), asking('2', 'Two?')]),
    in2: lined([asking('1', 'Capital of Peru?')]),
    out1: lined([answering('1', 'Madrid'), answering('2', '2')]),
    out2: lined([answering('1', 'Lima')]),
  })
  const orders = [
    'in1 in2 out1 out2',
    'in1 out1 in2 out2',
    'out2 in2 out1 in1',
    'out2 out1 in1',
    'in1 in2 out1',
  ]
  for (const order of orders) {
    const rows = rowsOf(await read(cwd, 'openai-batch', ...order.split(' ')))
    assert.deepEqual(
      rows.map(({ id, messages, jb }) => [id, messages?.length, jb?.error.code]).sort(),
      [
        ['1', undefined, 'conflict'],
        ['2', 2, undefined],
      ],
      order,
    )
    assert.match(JSON.stringify(rows), /two (requests|answers) have the custom_id 1: \w+:1 and \w+:1/)
  }
  for (const name of ['in1', 'out1']) copyFileSync(join(cwd, name), join(cwd, `${name}-again`))
  const again = ['in1', 'in1-again', 'out1', 'out1-again']
  const twice = rowsOf(fine(await read(cwd, 'openai-batch', ...again)))
  assert.deepEqual(
    twice.map(({ messages }) => messages[1].content),
    ['Madrid', '2'],
  )
})

test('a source that says error, or has no answer, gives failed rows with its words; jb-aggregate counts them by that name', async (t) => {
  const generation = (more: object) => ({
    ...{ id: '1', traceId: 't', type: 'GENERATION', startTime: '2026-01-01', input: 'Q', output: null },
    ...more,
  })
  const answered = [text('gen_ai.input.messages', '[{"role":"user","content":"Q"}]')]
  const result = (more: object) => ({
    ...{ testIdx: 0, promptIdx: 0, success: false, score: 0, prompt: { raw: 'Q' }, provider: 'm' },
    ...more,
  })
  const batch = (response: object | null, error: object | null = null) =>
    `${lined([asking('1', 'Q')])}${lined([{ custom_id: '1', response, error }])}`
  const cases: [format: string, file: string, words: string][] = [
    [
      'openai-batch',
      batch(null, { code: 'batch_expired', message: 'Too late.' }),
      'batch_expired: Too late.',
    ],
    ['openai-batch', batch({ status_code: 429, body: { error: { message: 'Slow.' } } }), 'Slow.'],
    ['openai-batch', batch({ status_code: 200, body: {} }), 'HTTP 200 without an answer'],
    ['openai-batch', batch({ status_code: 200, body: { choices: [] } }), 'HTTP 200 without an answer'],
    [
      'openai-batch',
      batch({
        status_code: 200,
        body: { choices: [{ message: { role: 'assistant', content: null, tool_calls: [] } }] },
      }),
      'HTTP 200 without an answer',
    ],
    [
      'openai-batch',
      batch({
        status_code: 200,
        body: { status: 'failed', error: { code: 'server_error', message: 'No.' }, output: [] },
      }),
      'server_error: No.',
    ],
    ['langfuse', JSON.stringify(generation({ level: 'ERROR', statusMessage: '429' })), '429'],
    ['langfuse', JSON.stringify(generation({ level: 'ERROR', input: null })), 'level ERROR'],
    ['otel', otlp(span('01', 1, [...answered, text('error.type', 'timeout')])), 'timeout'],
    ['otel', otlp(span('01', 1, answered, { status: { code: 2, message: 'Quota' } })), 'Quota'],
    [
      'otel',
      otlp(span('01', 1, answered, { status: { code: 'STATUS_CODE_ERROR' } })),
      'its status is an error',
    ],
    ['promptfoo', JSON.stringify(result({ failureReason: 2, error: 'API 500' })), 'API 500'],
    ['promptfoo', JSON.stringify(result({ response: { error: 'API 500' } })), 'API 500'],
    [
      'inspect',
      `{"eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"input":"q","messages":[],"error":{"message":"RateLimitError"}}]}`,
      'RateLimitError',
    ],
  ]
  for (const [format, file, words] of cases) {
    const ran = await read(folder(t, { 'a.json': file }), format, 'a.json')
    const [row] = rowsOf(ran)
    assert.deepEqual(
      [row.jb?.error.code, row.jb?.error.message, row.error],
      ['source_failed', words, words],
      file,
    )
    const asked = await jb('render', ['task_completion'], { stdin: ran.stdout })
    assert.equal(asked.stdout, ran.stdout)
    const report = JSON.parse((await jb('aggregate', [], { stdin: asked.stdout })).stdout)
    assert.deepEqual([report.items, report.valid, report.failures], [1, 0, { source_failed: 1 }], file)
  }
})

test('promptfoo: the words of an assertion that refuses an output are no error', async (t) => {
  const result = {
    ...{ testIdx: 0, success: false, score: 0, error: 'Expected 4', failureReason: 1, prompt: { raw: 'Q' } },
    response: { output: '5' },
  }
  const [row] = rowsOf(
    fine(await read(folder(t, { 'a.json': JSON.stringify(result) }), 'promptfoo', 'a.json')),
  )
  assert.deepEqual([row.jb, row.answer, row.pass, row.error], [undefined, '5', false, undefined])
})

test('promptfoo: an export with line breaks of its own is read', async (t) => {
  const result = {
    testIdx: 0,
    promptIdx: 0,
    success: true,
    score: 1,
    prompt: { raw: 'Q' },
    response: { output: 'A' },
  }
  const text = `{"evalId": "e",\n "results": {"version": 3,\n  "results": [\n${JSON.stringify(result)}]}}\n`
  const [row] = rowsOf(fine(await read(folder(t, { 'a.json': text }), 'promptfoo', 'a.json')))
  assert.equal(row.answer, 'A')
})

test('langfuse: the trace’s input and output, or the outermost observation’s, serve where calls have none', async (t) => {
  const null_ = { input: null, output: null }
  const observed = (id: string, type: string, more: object) => ({
    ...{ id, traceId: 't', type, startTime: `2026-01-0${id}` },
    ...more,
  })
  const whole = { id: 't', name: 'n', input: 'Price?', output: 'Five.' }
  const files = {
    'nulls.json': JSON.stringify({ ...whole, observations: [observed('1', 'GENERATION', null_)] }),
    'empty.json': JSON.stringify({ ...whole, observations: [] }),
    'spans.json': JSON.stringify({ ...whole, observations: [observed('1', 'SPAN', { input: 'x' })] }),
    'half.json': JSON.stringify({
      ...whole,
      observations: [observed('1', 'GENERATION', { input: 'Price?', output: null })],
    }),
    'alone.jsonl': lined([
      observed('2', 'TOOL', { input: 'a', output: 'b', parentObservationId: '1' }),
      observed('1', 'SPAN', { input: 'Price?', output: 'Five.' }),
    ]),
  }
  const cwd = folder(t, files)
  for (const name of Object.keys(files)) {
    const [row, ...more] = rowsOf(fine(await read(cwd, 'langfuse', name)))
    assert.equal(transcript(messagesOf(row.messages)), '[1] user\n  Price?\n[2] assistant\n  Five.', name)
    assert.deepEqual(more, [])
  }
})

test('langfuse: a trace’s observations, CSV, sub-agents', async (t) => {
  const one = (id: string, input: unknown, output: unknown, parentObservationId: string | null) => ({
    ...{ id, type: 'GENERATION', startTime: `2026-01-01T00:00:0${id}Z`, input, output, parentObservationId },
  })
  const observations = [
    one('2', 'Sub?', 'Yes', '1'),
    one('1', { messages: [{ role: 'user', content: 'Q' }] }, 'A', null),
  ]
  const cwd = folder(t, {
    'trace.json': JSON.stringify({ id: 't', sessionId: 's', name: 'n', observations }),
    'all.csv':
      'id,traceId,type,startTime,input,output\n1,t,GENERATION,2026-01-01,"[{""role"":""user"",""content"":""Q""}]",A\n',
  })
  const [row] = rowsOf(fine(await read(cwd, 'langfuse', 'trace.json')))
  assert.deepEqual([row.conversation, row.name, row.messages.length, row.others[0].span], ['s', 'n', 2, '2'])
  const [flat] = rowsOf(fine(await read(cwd, 'langfuse', 'all.csv')))
  assert.equal(transcript(messagesOf(flat.messages)), '[1] user\n  Q\n[2] assistant\n  A')
})

test('values of wrong types and deep JSON fail a row, never the run', async (t) => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const lines = [
    '{"custom_id":"a","body":{"messages":7}}',
    `{"traceId":"t","type":"GENERATION","startTime":5,"input":${deep},"output":{"role":3},"testIdx":0,"success":1,"response":${deep},"prompt":5,"gradingResult":{"componentResults":{}}}`,
    '{"resourceSpans":{"scopeSpans":[[{"spans":{"a":1}}]]}}',
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","events":5,"attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"[7]"}},{"key":"llm.input_messages.x.message","value":{"intValue":{}}},4]}]}]}]}`,
    `{"info":{"trace_id":7,"assessments":[5,{"feedback":3},{"feedback":{"value":${deep}},"source":8}],"tags":4},"data":{"spans":[4,{"span_id":5,"attributes":{"mlflow.spanInputs":7,"mlflow.spanType":"\\"LLM\\"","mlflow.spanOutputs":${deep}}}]}}`,
    '{"context":{"trace_id":"ab","span_id":"01"},"start_time":{},"attributes":[{"llm.input_messages":{"a":5}}],"parent_id":6}',
    '{"annotator_kind":"HUMAN","span_id":"01","result":7,"name":{}}',
    '{"id":"t","timestamp":5,"observations":[3,{"type":4}],"scores":[{"name":1},{"name":"a","source":"b","dataType":"c","subject":{"id":{}}}]}',
    '{"testCases":[5,{"turns":[3,{"role":{}}]},{"input":{},"metricsData":[{"score":{}}],"toolsCalled":6}]}',
    `{"eval":5,"samples":[7,{"id":1,"messages":${deep}},{"id":"a","messages":[5],"scores":[],"output":{"choices":5}}]}`,
  ]
  const cwd = folder(t, { 'a.jsonl': lines.join('\n'), 'a.json': lines.at(-1)! })
  for (const format of [
    ...['openai-batch', 'langfuse', 'promptfoo', 'otel', 'inspect', 'mlflow', 'phoenix', 'deepeval'],
  ]) {
    const ran = await read(cwd, format, format === 'inspect' ? 'a.json' : 'a.jsonl', '--bad-rows', 'pass')
    assert.ok([0, 65].includes(ran.code!), `${format} ended with ${ran.code}: ${ran.stderr}`)
    assert.doesNotMatch(ran.stderr, /bug/)
  }
})

test('numbers stay as they are written, in arguments that are a value, a text, or a text in a text', async (t) => {
  const numbers =
    '{"id":12345678901234567890,"x":1.0,"e":1e5,"z":-0,"big":1e400,"s":"1.0 and 2.50","plain":[2,0.5]}'
  const call = (given: string) => `{"id":"k","type":"function","function":{"name":"f","arguments":${given}}}`
  const answer = `{"role":"assistant","content":null,"tool_calls":[${call(numbers)},${call(JSON.stringify(numbers))}]}`
  const asked = '[{"role":"user","content":"Q"}]'
  const attribute = (key: string, value: string) =>
    `{"key":"${key}","value":{"stringValue":${JSON.stringify(value)}}}`
  const spanOf = (attributes: string) =>
    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"ab","spanId":"01","startTimeUnixNano":1700000000000000001,"attributes":[${attributes}]}]}]}]}`
  const logs = {
    inspect: `{"version":2,"eval":{"task":"t"},"samples":[{"id":1.0,"epoch":1,"messages":[{"role":"user","content":"Q"},${answer}],"scores":{"s":{"value":0.50}}}]}`,
    promptfoo: `{"testIdx":0,"promptIdx":0,"success":true,"score":1.0,"prompt":{"raw":"Q"},"metadata":{"messages":[${answer}]}}`,
    'openai-batch': `{"custom_id":"a","body":{"model":"m","messages":${asked}}}\n{"custom_id":"a","response":{"status_code":200,"body":{"choices":[{"message":${answer}}]}}}`,
    langfuse: `{"id":"1","traceId":"t","type":"GENERATION","startTime":"2026-01-01","input":${asked},"output":${answer}}`,
    otel: spanOf(
      `${attribute('gen_ai.input.messages', asked)},${attribute('gen_ai.output.messages', `[${answer}]`)},${attribute('n', '1')}`,
    ),
  }
  for (const [format, log] of Object.entries(logs)) {
    const { stdout } = fine(await read(folder(t, { 'a.json': log }), format, 'a.json'))
    assert.ok(stdout.includes(`"arguments":${numbers}`), `${format}: ${stdout}`)
    assert.ok(stdout.includes(`"arguments":${JSON.stringify(numbers)}`), `${format}: ${stdout}`)
    assert.doesNotMatch(stdout, /number-/)
    JSON.parse(stdout)
  }
  const tree = `{"key":"gen_ai.input.messages","value":{"arrayValue":{"values":[{"kvlistValue":{"values":[{"key":"role","value":{"stringValue":"tool"}},{"key":"content","value":{"kvlistValue":{"values":[{"key":"n","value":{"intValue":"12345678901234567890"}},{"key":"d","value":{"doubleValue":1.0}}]}}}]}}]}}}`
  const { stdout } = fine(await read(folder(t, { 'a.json': spanOf(tree) }), 'otel', 'a.json'))
  assert.ok(stdout.includes('"content":{"n":12345678901234567890,"d":1.0}'), stdout)
  const [rendered] = rowsOf(fine(await jb('render', ['coherence_over_turns'], { stdin: stdout })))
  assert.match(rendered.jb.request.messages[0].content, /\{"n":12345678901234567890,"d":1.0\}/)
})

test('OpenInference: what the outermost span was given and gave, where no span has messages', async () => {
  const attributes = (pairs: Record<string, string>) =>
    Object.entries(pairs).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  const span = (spanId: string, parentSpanId: string | undefined, pairs: Record<string, string>) => ({
    ...{ traceId: 'b7e95f15581f0c53e8c11ff690384f2a', spanId, parentSpanId, name: spanId },
    ...{ startTimeUnixNano: '1', endTimeUnixNano: '2', attributes: attributes(pairs) },
  })
  const kind = { 'openinference.span.kind': 'CHAIN', 'output.mime_type': 'text/plain' }
  const spans = [
    span('57a67562321eade1', '57a67562321eade0', { ...kind, 'input.value': 'inner', 'output.value': 'part' }),
    span('57a67562321eade0', undefined, {
      ...kind,
      'input.value': 'Was order 7 sent?',
      'output.value': 'Yes.',
    }),
  ]
  const stdin = `${JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })}\n`
  const row = JSON.parse(fine(await jb('read', ['otel'], { stdin })).stdout)
  assert.deepEqual(row.messages, [
    { role: 'user', content: 'Was order 7 sent?' },
    { role: 'assistant', content: 'Yes.' },
  ])
})
