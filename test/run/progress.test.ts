/** The bar: what it says, lines where there is no terminal. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { mock, test } from 'node:test'
import { countLines } from '../../src/files/count_lines.ts'
import { Progress } from '../../src/run/progress.ts'
import { folder } from '../helpers/folder.ts'

function stream(isTTY: boolean) {
  let text = ''
  const out = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  return { out: Object.assign(out, { isTTY, columns: 80 }), text: () => text }
}

test('the bar has the model, rows of rows, and the time that is left', () => {
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    const { out, text } = stream(true)
    const bar = new Progress('jb-call', out, () => ({
      done: 5,
      total: 10,
      label: 'gpt',
      words: '5 of 10 rows',
    }))
    mock.timers.tick(100)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's
    assert.match(text(), /^\rjb-call gpt \[#+\.+\] {2}50% 5 of 10 rows, 0:00 left\u001b\[K$/)
    assert.ok(text().length <= 84)
    bar.end()
    assert.ok(text().endsWith('\r\u001b[K'))
    // Where it is narrow, words go before the time does.
    const narrow = stream(true)
    const words = '5 of 10 rows, 81/s, 47.4k + 851 tokens'
    const other = new Progress('jb-call', narrow.out, () => ({ done: 5, total: 10, label: 'gpt', words }))
    narrow.out.columns = 50
    mock.timers.tick(100)
    assert.equal(narrow.text(), '\rjb-call gpt  50% 5 of 10 rows, 81/s, 0:00 left\u001b[K')
    other.end()
  } finally {
    mock.timers.reset()
  }
})

test('without a terminal there is a line now and then, and none for a short run', () => {
  const { out, text } = stream(false)
  const progress = new Progress('jb-call', out, () => ({ done: 5, total: 10, words: '5 of 10 rows' }))
  progress.end()
  assert.equal(text(), '')
})

test('rows of files are counted, of pipes and packed files not', async (t) => {
  const place = folder(t, { 'a.ndjson': '{}\n{}\n', 'b.ndjson': '{}\n{}', 'c.ndjson.gz': 'x' })
  const { signal } = new AbortController()
  const paths = ['a.ndjson', 'b.ndjson'].map((name) => join(place, name))
  assert.equal(await countLines(paths, signal), 4)
  assert.equal(await countLines([...paths, undefined], signal), undefined)
  assert.equal(await countLines([join(place, 'c.ndjson.gz')], signal), undefined)
  assert.equal(await countLines(paths, AbortSignal.abort()), undefined)
})
