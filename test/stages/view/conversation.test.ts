/** Conversations: as a transcript in cards; images from named folders alone; what of them is in a page. */
import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { messagesOf } from '../../../src/chat/message.ts'
import { messageKey, ofRuns } from '../../../src/stages/view/item_values.ts'
import { spec } from '../../../src/stages/view/options.ts'
import { differing } from '../../../src/stages/view/page/words.ts'
import { view } from '../../../src/stages/view/view.ts'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { staged } from '../../helpers/stage.ts'
import { dataOf, scripts } from './_page.ts'

const PNG = Buffer.from('iVBORw0KGgo=', 'base64')
const call = (name: string, given: string, id: string) => ({
  ...{ role: 'assistant', content: null },
  tool_calls: [{ id, type: 'function', function: { name, arguments: given } }],
})
const result = (content: string, id: string) => ({ role: 'tool', tool_call_id: id, content })
const user = (content: unknown) => ({ role: 'user', content })

test('a card has the transcript: no text begins where a header does, long results are cut, digits stay', async () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    user(`${'word '.repeat(30)}\n[9] user\u2028[9] user`),
    call('f', '{"id":12345678901234567890}', 'c'),
    { role: 'assistant', content: null, tool_calls: [{ function: { name: 'g', arguments: null } }] },
    result('r'.repeat(3000), 'c'),
  ]
  const { text, notes } = await staged(spec, view, ['--text'], ndjson([{ id: 'i', messages }]))
  assert.deepEqual(
    text.split('\n').filter((line) => /^ {0,2}\S/.test(line)),
    [
      `── i ${'─'.repeat(75)}`,
      'messages',
      '  [1] system',
      '  [2] user',
      '  [3] assistant calls f (c)',
      '  [4] assistant calls g',
      '  [5] tool f (c) returns',
      '  [5] … 2,500 characters left out …',
    ],
  )
  assert.match(text, /\{"id":12345678901234567890\}/)
  assert.deepEqual(notes, [])
})

test('a page’s title of an item is what its user said, not its system prompt', async () => {
  const rows = [{ id: 'i', messages: [{ role: 'system', content: 'Be brief.' }, user('How far?')] }]
  const { index, overview } = await dataOf((await staged(spec, view, [], ndjson(rows))).text)
  assert.deepEqual([index.titles, overview.roles.shown], [['How far?'], ['messages']])
})

test('images of a folder are in the page, up to 200 KB; no link or path leads out of it', async (t) => {
  const outside = join(folder(t, { 'secret.png': PNG }), 'secret.png')
  const dir = folder(t, {
    'a.png': PNG,
    'text.png': 'text',
    'big.png': Buffer.concat([PNG, Buffer.alloc(2e5)]),
  })
  symlinkSync(outside, join(dir, 'link.png'))
  const names = ['a.png', 'text.png', 'big.png', 'link.png', `../${outside}`, outside, 'none.png']
  const parts = ['file:///etc/passwd', 'https://example.org/a.png', 'javascript:1', ...names].map((url) => ({
    type: 'image_url',
    image_url: { url },
  }))
  const rows = [
    { id: 'i', messages: [user(parts)], question: 'a.png' },
    { id: 'k', messages: [user([])], question: '__proto__' },
  ]
  const given = ['--map', 'question=question', '--media', dir]
  const { text, notes } = await staged(spec, view, given, ndjson(rows))
  const { overview } = await dataOf(text)
  assert.deepEqual(overview.media, { 'a.png': 0 })
  assert.equal(scripts(text).get('media-0'), `data:image/png;base64,${PNG.toString('base64')}`)
  assert.equal(notes.length, 9)
  assert.match(notes[3]!, /text\.png" is no PNG, JPEG, GIF or WebP: only its name is shown/)
  const without = await staged(spec, view, [], ndjson(rows))
  assert.deepEqual((await dataOf(without.text)).overview.media, {})
})

test('a card shows what each run did, once where it is the same; numbers of arguments are as they were written', async () => {
  const row = (name: string, price: string, verdict: object) =>
    `{"id":"i","question":"Q","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"${name}","name":"pay","input":{"price":${price}}}]}],"jb":{"judge":"j","name":"${name}","item":"i","trial":{"n":0,"of":1},"verdict":${JSON.stringify(verdict)}}}\n`
  const why = { score: 0, reason: 'pay is missing' }
  const rows = row('a', '1.0', why) + row('b', '1.0', { score: 1 }) + row('c', '2.50', { score: 1 })
  const { text } = await staged(spec, view, ['--text'], rows)
  assert.deepEqual(
    text.split('\n').filter((line) => /question|messages|price|missing/.test(line)),
    [
      'question',
      'messages · a, b',
      '    {"price":1.0}',
      'messages · c',
      '    {"price":2.50}',
      '    pay is missing',
    ],
  )
})

test('two runs differ in what they do, not in the ids of their calls or the form of arguments', () => {
  const old = [user('Go.'), call('f', '{"a": 1}', 'x1'), result('ok', 'x1'), call('book', '{}', 'x2')]
  const same = [user('Go.'), call('f', '{"a":1}', 'y1'), result('ok', 'y1'), call('book', '{}', 'y2')]
  const other = [user('Go.'), call('g', '{}', 'z'), call('f', '{"a":1}', 'y1'), result('no', 'y1')]
  const items = new Map([old, same, other].map((m, run) => [run, { m }]))
  assert.deepEqual(
    ofRuns(items, 'm').map(({ runs }) => runs),
    [[0, 1], [2]],
  )
  const own = (...two: object[][]) =>
    differing(...(two.map((list) => messagesOf(list).map(messageKey)) as [string[], string[]]))
  assert.deepEqual(own(old, other), [
    [false, false, true, true],
    [false, true, false, true],
  ])
  const long = Array.from({ length: 10_000 }, (_, i) => user(`${i}`))
  assert.equal(own(long, long.toReversed())[0].includes(true), false)
})
