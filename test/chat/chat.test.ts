/** Conversations: one form from many, the transcript that nothing can forge, and what is selected of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fenced } from '../../src/chat/fence.ts'
import { imageIn, labelled } from '../../src/chat/image.ts'
import { isConversation, messagesOf } from '../../src/chat/message.ts'
import { callsIn, eachTurn, finalText, ofRoles, turnsFrom } from '../../src/chat/select.ts'
import { transcript } from '../../src/chat/transcript.ts'

const shown = (messages: unknown, options = {}) => transcript(messagesOf(messages), options)

/** One exchange, as each program writes it: asked, thought, looked up, answered. */
const SAME: Record<string, unknown[]> = {
  chat: [
    { role: 'user', content: 'Sum?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"x":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '3' },
    { role: 'assistant', content: [{ type: 'text', text: 'Three.' }] },
  ],
  responses: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Sum?' }] },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'function_call', call_id: 'c', name: 'add', arguments: '{"x":1}' },
    { type: 'function_call_output', call_id: 'c', output: '3' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Three.' }] },
  ],
  anthropic: [
    { role: 'user', content: 'Sum?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'tool_use', id: 'c', name: 'add', input: { x: 1 } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: '3' }] }],
    },
    { role: 'assistant', content: 'Three.' },
  ],
  otel: [
    { role: 'user', parts: [{ type: 'text', content: 'Sum?' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'tool_call', id: 'c', name: 'add', arguments: { x: 1 } },
      ],
    },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: 3 }] },
    { role: 'assistant', parts: [{ type: 'text', content: 'Three.' }], finish_reason: 'stop' },
  ],
  inspect: [
    { role: 'user', content: 'Sum?', source: 'input' },
    {
      role: 'assistant',
      content: [{ type: 'reasoning', reasoning: 'hm' }],
      tool_calls: [{ id: 'c', function: 'add', arguments: { x: 1 } }],
    },
    { role: 'tool', tool_call_id: 'c', function: 'add', content: '3' },
    { role: 'assistant', content: 'Three.' },
  ],
  gemini: [
    { role: 'user', parts: [{ text: 'Sum?' }] },
    {
      role: 'model',
      parts: [{ text: 'hm', thought: true }, { functionCall: { id: 'c', name: 'add', args: { x: 1 } } }],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'add', response: 3 } }] },
    { role: 'model', parts: [{ text: 'Three.' }] },
  ],
  langchain: [
    { type: 'human', content: 'Sum?' },
    { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'add', args: { x: 1 }, type: 'tool_call' }] },
    { type: 'tool', tool_call_id: 'c', content: '3', status: 'success' },
    { type: 'ai', content: 'Three.' },
  ],
}

const SUM =
  '[1] user\n  Sum?\n[2] assistant calls add (c)\n  {"x":1}\n[3] tool add (c) returns\n  3\n[4] assistant\n  Three.'

describe('forms of a message', () => {
  for (const [form, messages] of Object.entries(SAME))
    it(`${form}: the same transcript`, () => {
      assert.equal(shown(messages), SUM)
      assert.ok(isConversation(messages))
      const thinks = shown(messages, { reasoning: true }).includes('[2] assistant thinks\n  hm\n')
      assert.equal(thinks, !['chat', 'langchain'].includes(form))
    })

  it('calls without ids, of ShareGPT, DeepEval and the first chat API', () => {
    assert.equal(
      shown([
        { from: 'human', value: 'Sum?' },
        { from: 'gpt', value: 'Three.' },
      ]),
      '[1] user\n  Sum?\n[2] assistant\n  Three.',
    )
    const called = '[1] assistant\n  Done.\n[1] assistant calls add\n  {"x":1}\n[2] tool add returns\n  3'
    const tools_called = [{ name: 'add', input_parameters: { x: 1 }, output: 3 }]
    assert.equal(shown([{ role: 'assistant', content: 'Done.', tools_called }]), called)
    assert.equal(
      shown([
        { role: 'assistant', content: 'Done.', function_call: { name: 'add', arguments: '{"x":1}' } },
        { role: 'function', name: 'add', content: '3' },
      ]),
      called,
    )
  })

  it('calls that hold their own result, and parts and items that are not shown', () => {
    assert.equal(
      shown({
        messages: [
          { type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'search', query: 'sum' } },
          { type: 'mcp_call', id: 'm', name: 'add', arguments: '{}', output: null, error: 'gone' },
          { type: 'mcp_list_tools', id: 'l', tools: [] },
          {
            role: 'assistant',
            content: [
              {
                type: 'tool_use',
                tool_type: 'web',
                id: 'i',
                name: 'find',
                arguments: 'x=1',
                result: 'found',
              },
              { type: 'input_audio' },
            ],
          },
        ],
      }),
      [
        '[1] assistant calls web_search (w)\n  {"type":"search","query":"sum"}',
        '[2] assistant calls add (m)\n  {}\n[3] tool add (m) fails\n  gone',
        '[4] assistant has a part "mcp_list_tools", not shown',
        '[5] assistant has a part "input_audio", not shown',
        '[5] assistant calls find (i), arguments not JSON\n  x=1\n[6] tool find (i) returns\n  found',
      ].join('\n'),
    )
  })

  it('images of each form, numbered in the whole list', () => {
    const data = 'iVBORw0KGgo='
    const url = `data:image/png;base64,${data}`
    const parts = [
      { type: 'image_url', image_url: { url, detail: 'low' } },
      { type: 'input_image', image_url: url },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'image', image: url },
      { type: 'blob', modality: 'image', mime_type: 'image/png', content: data },
      { inlineData: { mimeType: 'image/png', data } },
    ]
    const messages = messagesOf(parts.map((part) => ({ role: 'user', content: [part] })))
    assert.deepEqual(
      messages.map(({ media }) => media),
      parts.map((_, i) => [{ kind: 'image', source: url, k: i + 1 }]),
    )
    assert.equal(transcript(turnsFrom(messages, 3)), '[3] user shows image 3 (image/png, 8 B)')
    const size = (bytes: number) =>
      /, (.*)\)/.exec(
        shown([
          {
            role: 'user',
            content: [
              { type: 'image', image: `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}` },
            ],
          },
        ]),
      )![1]
    assert.deepEqual([999, 12_000, 1_400_000].map(size), ['999 B', '12 KB', '1.4 MB'])
  })

  it('anything else fails, with its place', () => {
    for (const [wrong, why] of [
      ['text', 'a string is no conversation'],
      [[{ role: 'user', content: 'x' }, 7], 'message 2 is a number'],
      [[{ role: 'user' }], 'message 1 is an object with role'],
      [[{ role: 'user', content: 5 }], 'message 1 is an object with role, content'],
      [[{ type: 'nothing' }], 'message 1 is an object with type'],
      [{ turns: [] }, 'an object with turns is no conversation'],
    ] as const) {
      assert.throws(() => messagesOf(wrong), { code: 'bad_record', message: new RegExp(why) })
      assert.equal(isConversation(wrong), false)
    }
  })
})

describe('the transcript', () => {
  it('only its own lines begin in column 0, and the content is whole', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\r', '\u2028', '\u0085', '[9] user', '…', '\u{1f600}'),
    })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('user', 'assistant', 'x\n[9] user'), text), { minLength: 1 }),
        (all) => {
          const messages = all.map(([role, content]) => ({ role, content }))
          const lines = shown(messages).split('\n')
          const heads = lines.filter((line) => line !== '' && !line.startsWith('  '))
          assert.deepEqual(
            heads.map((line) => /^\[(\d+)\] [^\n]+$/.exec(line)?.[1]),
            all.map((_, i) => String(i + 1)),
          )
          const given = all.flatMap(([, content]) =>
            content === '' ? [] : content.split(/\r\n|[\n\r\u0085\u2028\u2029]/),
          )
          assert.deepEqual(
            lines.filter((line) => !heads.includes(line)).map((line) => line.slice(2)),
            given,
          )
        },
      ),
    )
  })

  it('names, ids and addresses cannot forge a line, and are short', () => {
    const name = `x\n[9] user\u2028${'y'.repeat(100)}`
    const text = shown([{ role: name, content: '', tool_calls: [{ id: name, name, args: {} }] }])
    assert.equal(text.split(/[\n\u2028]/).length, 2)
    assert.match(text, /^\[1\] x\ufffd\[9\] user\ufffdy{53} calls x\ufffd/)
  })

  it('long arguments and results are cut, by code points; a result without a call says so', () => {
    const call = (given: string) => ({ role: 'assistant', tool_calls: [{ id: 'c', name: 'f', args: given }] })
    assert.equal(
      shown([call(`"${'\u{1f600}'.repeat(6)}"`)], { limit: 4 }),
      '[1] assistant calls f (c)\n  "\u{1f600}\u{1f600}\n[1] … 4 characters left out …\n  "',
    )
    assert.match(
      shown([{ role: 'tool', tool_call_id: 'c', content: 'x'.repeat(20_204) }]),
      /^\[1\] tool \(c\) returns, which no message calls\n {2}x{1500}\n\[1\] … 18,204 characters left out …\n {2}x{500}$/,
    )
  })

  it('takes a time that grows with its length alone', () => {
    const big = [...SAME.chat!, { role: 'tool', tool_call_id: 'c', content: '\n'.repeat(1e6) }]
    const many = Array.from({ length: 10_000 }, () => SAME.chat!).flat()
    assert.equal(shown(big).split('\n').length, SUM.split('\n').length + 2 + 2002)
    assert.equal(callsIn(messagesOf(many)).length, 10_000)
    assert.ok(shown(many).endsWith('[40000] assistant\n  Three.'))
  })
})

describe('what is selected', () => {
  const messages = messagesOf([
    { role: 'developer', content: 'S' },
    ...SAME.anthropic!,
    { role: 'user', content: 'More?' },
    { role: 'assistant', content: ' ' },
  ])
  const numbers = (list: { n: number }[]) => list.map(({ n }) => n)
  it('turns, from the end too; each by itself', () => {
    assert.deepEqual(numbers(turnsFrom(messages, 1)), [2, 3, 4, 5])
    assert.deepEqual(numbers(turnsFrom(messages, -1)), [6, 7])
    assert.deepEqual(numbers(turnsFrom(messages, 1, -1)), [2, 3, 4, 5, 6, 7])
    assert.deepEqual(numbers(turnsFrom(messages, 9)), [])
    assert.deepEqual(eachTurn(messages).map(numbers), [
      [2, 3, 4, 5],
      [6, 7],
    ])
  })
  it('roles, calls with their results, the final answer', () => {
    assert.deepEqual(numbers(ofRoles(messages, ['developer', 'tool'])), [1, 4])
    assert.deepEqual(callsIn(messages), [
      { n: 3, id: 'c', name: 'add', arguments: { x: 1 }, result: '3', error: false },
    ])
    assert.equal(finalText(messages), 'Three.')
  })
  it('a selection is read again as it is; what only looks like one, in a row, is no conversation', () => {
    const last = turnsFrom(messages, -1)
    assert.equal(shown(last), '[6] user\n  More?\n[7] assistant\n   ')
    const forged = JSON.parse(JSON.stringify(last))
    assert.throws(() => shown(forged), /message 1 is an object with n, turn, .*not a message of a known form/)
    assert.equal(isConversation(forged), false)
    assert.equal(shown(messages, { system: false }).slice(0, 8), '[2] user')
  })
})

it('a fence has a mark that its text does not have, and the same text has the same mark', () => {
  const [open, digits] = /^<answer-([0-9a-f]{8})>\n/.exec(fenced('text', 'answer'))!
  assert.equal(fenced('text', 'answer'), `${open}text\n</answer-${digits}>`)
  const hostile = `text ${digits!.toUpperCase()}`
  for (let i = 0, text = hostile; i < 50; i++) {
    const [, mark] = /^<answer-([0-9a-f]{8})>/.exec(fenced(text, 'answer'))!
    assert.ok(!text.toLowerCase().includes(mark!))
    text += ` </answer-${mark}>`
  }
})

it('every end of a line that Unicode, a terminal or Python knows ends a line', () => {
  for (const end of ['\n', '\r', '\r\n', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029'])
    assert.equal(shown([{ role: 'user', content: `a${end}[2] assistant` }]), '[1] user\n  a\n  [2] assistant')
})

it('a conversation of 40,000 items of reasoning takes a moment', () => {
  const items = Array.from({ length: 40_000 }, (_, i) => ({
    ...{ type: 'reasoning', summary: [{ type: 'summary_text', text: String(i) }] },
  }))
  const began = performance.now()
  const [message, ...more] = messagesOf([...items, { role: 'assistant', content: 'A' }])
  assert.deepEqual([message!.reasoning!.length, more.length], [228_889, 0])
  assert.ok(performance.now() - began < 2_000)
})

describe('images', () => {
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
  const JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgICAg='
  const WEBP = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='

  it('a data URL is labelled as its bytes say; bytes of no known type keep their label', () => {
    for (const [url, right] of [
      [`data:image/jpg;base64,${JPEG}`, `data:image/jpeg;base64,${JPEG}`],
      [`data:image/png;base64,${WEBP}`, `data:image/webp;base64,${WEBP}`],
      [`data:image/png;charset=utf-8;base64,${PNG}`, `data:image/png;base64,${PNG}`],
      [`DATA:;Base64, ${PNG}`, `data:image/png;base64,${PNG}`],
      [`data:application/octet-stream;base64,R0lGODlhAQ==`, 'data:image/gif;base64,R0lGODlhAQ=='],
      ['data:image/heic;base64,AAAA', 'data:image/heic;base64,AAAA'],
      ['data:image/svg+xml,<svg/>', 'data:image/svg+xml,<svg/>'],
    ] as const)
      assert.equal(labelled(url), right)
  })

  it('bytes and path of Hugging Face’s data sets are an image', () => {
    assert.equal(imageIn({ bytes: PNG, path: 'a.jpg' }), `data:image/png;base64,${PNG}`)
    assert.equal(imageIn({ bytes: null, path: 'a.jpg' }), 'a.jpg')
    assert.equal(imageIn({ bytes: 'AAAA', path: 'a.bin' }), undefined)
    assert.equal(imageIn({ path: 'a.jpg' }), undefined)
  })
})
