/** Images: from a judge file and a folder to the body of each API. */
import assert from 'node:assert/strict'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { requestHash } from '../../src/providers/_key.ts'
import { jsonText, type Params } from '../../src/providers/_params.ts'
import { estimatedLength, ImageFiles } from '../../src/stages/call/media.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowsOf as typedRows } from '../helpers/rows.ts'
import { fine, jb, type Ran } from '../helpers/run.ts'
import { chatServer } from '../stages/call/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: what jb holds is the point of each test
const rowsOf = (ran: Ran): any[] => typedRows(ran)

const PNG = 'iVBORw0KGgo='
const DATA = `data:image/png;base64,${PNG}`
const URL = 'https://example.org/b.png'

const params = (...urls: string[]): Params =>
  new Map([
    [
      'messages',
      jsonText([
        { role: 'system', content: 'S' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Q' },
            ...urls.flatMap((url, i) => [
              { type: 'text', text: `image ${i + 1}:` },
              { type: 'image_url', image_url: { url, detail: 'low' } },
            ]),
          ],
        },
      ]),
    ],
  ])

const openai = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } })
const text = (one: string) => ({ type: 'text', text: one })
const ofOpenai = (url: string) => [text('Q'), text('image 1:'), openai(DATA), text('image 2:'), openai(url)]
const s3 = { s3Location: { uri: 's3://b/c.jpg' } }
const url = { type: 'url', url: URL }
const base64 = { type: 'base64', media_type: 'image/png', data: PNG }

/** Of each API: the second image, where the content is in the body, and the content of the message. */
const BODIES: Record<string, [second: string, at: string, content: unknown]> = {
  chat: [URL, 'messages.1.content', ofOpenai(URL)],
  azure: [URL, 'messages.1.content', ofOpenai(URL)],
  mistral: [URL, 'messages.1.content', ofOpenai(URL)],
  watsonx: [URL, 'messages.1.content', ofOpenai(URL)],
  responses: [
    URL,
    'input.1.content',
    [
      { type: 'input_text', text: 'Q' },
      { type: 'input_text', text: 'image 1:' },
      { type: 'input_image', image_url: DATA, detail: 'low' },
      { type: 'input_text', text: 'image 2:' },
      { type: 'input_image', image_url: URL, detail: 'low' },
    ],
  ],
  anthropic: [
    URL,
    'messages.0.content',
    [
      ...[text('Q'), text('image 1:'), { type: 'image', source: base64 }],
      ...[text('image 2:'), { type: 'image', source: url }],
    ],
  ],
  gemini: [
    URL,
    'contents.0.parts',
    [
      ...[{ text: 'Q' }, { text: 'image 1:' }, { inlineData: { mimeType: 'image/png', data: PNG } }],
      ...[{ text: 'image 2:' }, { fileData: { mimeType: 'image/png', fileUri: URL } }],
    ],
  ],
  bedrock: [
    's3://b/c.jpg',
    'messages.0.content',
    [
      ...[{ text: 'Q' }, { text: 'image 1:' }, { image: { format: 'png', source: { bytes: PNG } } }],
      ...[{ text: 'image 2:' }, { image: { format: 'jpeg', source: s3 } }],
    ],
  ],
  ollama: [DATA, 'messages.1', { role: 'user', content: 'Q\nimage 1:\nimage 2:', images: [PNG, PNG] }],
}
/** Keys and what else an API asks for. */
const ENV = {
  ...{
    OPENAI_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    AZURE_OPENAI_API_KEY: 'k',
    GEMINI_API_KEY: 'k',
    MISTRAL_API_KEY: 'k',
  },
  ...{ AWS_BEARER_TOKEN_BEDROCK: 'k', WATSONX_TOKEN: 'k', WATSONX_PROJECT_ID: 'p' },
}

test('what each API is sent: a file of --media and an address, by a server that notes the body', async (t) => {
  const server = await chatServer(t, () => ({ status: 400, body: { error: { message: 'noted' } } }))
  const cwd = folder(t, { 'in/a.png': Buffer.from(PNG, 'base64') })
  const row = (second: string) => ({
    jb: {
      judge: 'j',
      item: '1',
      trial: { n: 0, of: 1 },
      request: Object.fromEntries(
        [...params('a.png', second)].map(([key, value]) => [key, JSON.parse(value)]),
      ),
    },
  })
  const call = (api: string, second: string) => {
    const url = server.url.replace(/\/v1$/, '')
    const media = ['--media', 'in', '--media', 'https:', '--no-cache', '--retries', '0']
    return jb('call', ['-q', '--api', api, '-m', 'm', '--base-url', url, ...media], {
      ...{ cwd, env: ENV, stdin: ndjson([row(second)]) },
    })
  }
  for (const [api, [second, at, content]] of Object.entries(BODIES)) {
    const before = server.calls.length
    const ran = await call(api, second)
    assert.equal(server.calls.length, before + 1, `${api}: ${ran.stdout}${ran.stderr}`)
    const found = at.split('.').reduce((value, key) => value[key], server.calls[before]!.body)
    assert.deepEqual(found, content, api)
  }
  const asked = server.calls.length
  for (const [api, second] of [
    ['bedrock', URL],
    ['ollama', URL],
    ['completions', DATA],
  ] as const)
    assert.equal(rowsOf(await call(api, second))[0].jb.error.code, 'bad_request', api)
  assert.equal(server.calls.length, asked)
})

const JUDGE = JSON.stringify({
  kind: 'choice',
  fields: { shots: 'shots' },
  messages: [{ role: 'user', content: [{ text: 'Which? {{ id }}' }, { images: 'shots', detail: 'low' }] }],
  verdict: { rule: 'label', pattern: '\\b(A|B)\\b' },
})

test('a judge shows the images of a field, of parts and of a conversation, with their numbers', async (t) => {
  const part = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
  const messages = [
    { role: 'user', content: [{ type: 'input_audio' }, part] },
    { role: 'user', content: [part] },
  ]
  const cwd = folder(t, {
    'j.json': JUDGE,
    'rows.jsonl': ndjson([
      { id: 1, shots: ['a.png', part] },
      { id: 2, shots: messages },
      { id: 3, shots: [] },
      { id: 4, shots: 5 },
    ]),
  })
  const rows = rowsOf(await jb('render', ['j.json', 'rows.jsonl'], { cwd }))
  const urls = (row: (typeof rows)[0]) =>
    row.jb.request.messages[0].content.map(
      (one: { text?: string; image_url?: { url: string } }) => one.text ?? one.image_url!.url,
    )
  assert.deepEqual(urls(rows[0]), ['Which? 1', 'image 1:', 'a.png', 'image 2:', DATA])
  assert.deepEqual(urls(rows[1]), ['Which? 2', 'image 1:', DATA, 'image 2:', DATA])
  assert.deepEqual([rows[2].jb.error.code, rows[3].jb.error.code], ['missing_field', 'bad_record'])
  const wrong = await jb('render', ['w.json'], {
    cwd: folder(t, { 'w.json': JUDGE.replace('"images"', '"image"') }),
    stdin: '{}',
  })
  assert.deepEqual([wrong.code, /messages\[0\] needs/.test(wrong.stderr)], [78, true])
})

test('files are read below --media DIR alone; addresses go out with --media https: alone', async (t) => {
  const cwd = folder(t, {
    'in/a.png': Buffer.from(PNG, 'base64'),
    'out.png': Buffer.from(PNG, 'base64'),
    'in/text.png': 'text',
  })
  symlinkSync(join(cwd, 'out.png'), join(cwd, 'in/link.png'))
  writeFileSync(join(cwd, 'in/big.png'), Buffer.alloc(20_000_001))
  const dir = join(cwd, 'in')
  const media = new ImageFiles([dir])
  assert.deepEqual(media.filled(params('a.png')), params(DATA))
  assert.deepEqual(media.filled(params(`file://${dir}/a.png`)), params(DATA))
  for (const [url, why] of [
    ['link.png', /below a folder/],
    ['../out.png', /below a folder/],
    [join(cwd, 'out.png'), /below a folder/],
    ['none.png', /below a folder/],
    ['.', /below a folder/],
    ['text.png', /no PNG/],
    ['big.png', /20 MB/],
    [URL, /--media https:/],
    ['gs://b/c.png', /--media https:/],
  ] as const)
    assert.throws(() => media.filled(params(url)), { code: 'bad_request', message: why }, url)
  assert.throws(() => new ImageFiles([]).filled(params('a.png')), /--media DIR/)
  assert.deepEqual(new ImageFiles(['https:']).filled(params(URL)), params(URL))
  const native = jsonText([{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: URL } }] }])
  assert.throws(() => media.filled(new Map([['messages', native]])), /--media https:/)
  // However its JSON is written.
  const shown = params(URL).get('messages')!
  for (const text of [
    shown.replace('"type"', '"typ\\u0065"'),
    shown.replace('"content":', `"cont\\u0065nt"${' '.repeat(50)}: `),
  ])
    assert.throws(() => media.filled(new Map([['messages', text]])), /--media https:/, text)
  const words = new Map([['messages', '[{"content": [{"text":"a list: [1]","type":"text"}]}]']])
  assert.equal(media.filled(words), words, 'a request without an image is sent as it is')
})

test('a file and its data URL share a reply, a changed file asks again; estimates are of images, not of base64', async (t) => {
  const server = await chatServer(t)
  const cwd = folder(t, { 'j.json': JUDGE, 'a.png': Buffer.from(PNG, 'base64') })
  const call = async (shots: string, ...more: string[]) => {
    const rendered = fine(await jb('render', ['j.json'], { cwd, stdin: ndjson([{ id: 1, shots }]) }))
    const args = ['-q', '-m', 'm', '--base-url', server.url, '--cache', 'c.ndjson', '--media', '.', ...more]
    return jb('call', args, { cwd, stdin: rendered.stdout })
  }
  fine(await call('a.png'))
  fine(await call(DATA))
  assert.equal(server.calls.length, 1)
  writeFileSync(join(cwd, 'a.png'), Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.from('x')]))
  fine(await call('a.png'))
  assert.equal(server.calls.length, 2)
  const big = `data:image/png;base64,${'A'.repeat(4_000_000)}`
  const counted = JSON.parse(fine(await call(big, '-n')).stdout)
  assert.ok(counted.tokens_in > 85 && counted.tokens_in < 200, String(counted.tokens_in))
  assert.equal(estimatedLength(100, new Map([['messages', jsonText('text')]])), 100)
  assert.notEqual(requestHash(params(DATA), 0), requestHash(params(URL), 0))
})
