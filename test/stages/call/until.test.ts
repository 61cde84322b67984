/** A reader that has decided: calls stop, and the same command again comes to the same decision without paying again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson } from '../../helpers/rows.ts'
import { expect, pipefail, Started } from '../../helpers/run.ts'
import { shuffledIds } from '../../helpers/shuffled.ts'
import { privateEnv, trial } from './rows.ts'
import { chatBody, chatServer } from './server.ts'

test('the pipe ends once it is decided; after kill -9 and again: the same decision, no finished call made twice', async (t) => {
  const ids = shuffledIds(400)
  const rows = ids.map(({ id, shuffle }) => ({ ...trial(id, `question ${id}`, { shuffle }), label: 'A>B' }))
  const place = folder(t, { 'in.ndjson': ndjson(rows) })
  const server = await chatServer(t, ({ text }) => ({
    delay: 20,
    body: chatBody(Number(/\d+/.exec(text)) % 4 === 0 ? '[[B>A]]' : '[[A>B]]'),
  }))
  const args = ['-m', 'm', '--base-url', server.url, '-j', '8', `${place}/in.ndjson`]
  const line = `jb-call ${args.join(' ')} | jb-parse | jb-aggregate --until decided --fail-under 0.6`
  const whole = expect(await pipefail(line, { env: privateEnv(t) }), { code: 0 })
  const { until } = JSON.parse(whole.stdout)
  assert.deepEqual([until.decision, until.of], ['pass', 400])
  assert.match(whole.stderr, /stopped by the reader after \d+ of 400 items/)
  assert.ok(server.calls.length < 390, `${server.calls.length} calls for ${until.at} items`)

  const env = privateEnv(t)
  const first = new Started(t, 'call', args, { env })
  await first.lines(10)
  first.child.kill('SIGKILL')
  await first.done
  for (let n = 0; n < 2; n++) {
    const before = server.calls.length
    const again = expect(await pipefail(line, { env }), { code: 0 })
    assert.equal(again.stdout, whole.stdout)
    const asked = new Set(server.calls.slice(before).map(({ text }) => text))
    const needed = ids.slice(0, n === 0 ? 10 : until.at).filter(({ id }) => asked.has(`question ${id}`))
    assert.deepEqual(needed, [])
  }
})
