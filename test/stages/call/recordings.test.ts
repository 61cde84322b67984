/** --record and --replay: a run without an endpoint. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { ndjson, rowsOf } from '../../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../../helpers/run.ts'
import { privateEnv, trial, trials } from './rows.ts'
import { chatServer } from './server.ts'

test('--record writes a journal that --replay answers from, without an endpoint or a model', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const server = await chatServer(t)
  const recorded = fine(
    await jb(
      'call',
      ['-q', '-m', 'm', '--base-url', server.url, '--record', `${place}/r.ndjson`, '--no-cache'],
      { stdin: trials(12), env },
    ),
  )
  const calls = server.calls.length
  await server.close()
  for (const args of [['-m', 'm'], []]) {
    const replayed = fine(
      await jb('call', ['-q', '--replay', `${place}/r.ndjson`, ...args], { stdin: trials(12), env }),
    )
    assert.equal(replayed.stdout, recorded.stdout)
  }
  assert.equal(server.calls.length, calls)
  const missing = await jb('call', ['--replay', `${place}/r.ndjson`, '-m', 'm', '--max-error-rate', '1'], {
    stdin: trials(13),
    env,
  })
  expect(missing, { err: /unavailable: no reply to this request by m in .*r\.ndjson/ })
  expect(missing, { err: /12 from the recording/ })
  assert.equal(rowsOf(missing).filter(({ jb }) => jb.reply).length, 12)
  expect(await jb('call', ['--replay', `${place}/none`], { stdin: trials(1), env }), {
    code: 66,
    err: /--replay: no file '.*'/,
  })
  // A recording may be passed through jq, sorted, and lose its last line end.
  const lines = readFileSync(`${place}/r.ndjson`, 'utf8').trim().split('\n')
  writeFileSync(
    `${place}/jq.ndjson`,
    lines
      .map((text) => JSON.stringify(JSON.parse(text), null, 1).replaceAll('\n', ''))
      .reverse()
      .join('\n'),
  )
  assert.equal(
    fine(await jb('call', ['-q', '--replay', `${place}/jq.ndjson`], { stdin: trials(12), env })).stdout,
    recorded.stdout,
  )
  const floor = fine(
    await jb('call', ['-q', '-m', 'baseline:longer', '--record', `${place}/b.ndjson`], {
      stdin: trials(3),
      env,
    }),
  )
  assert.equal(
    fine(await jb('call', ['-q', '--replay', `${place}/b.ndjson`], { stdin: trials(3), env })).stdout,
    floor.stdout,
  )
})

test('a game missing in a recording leaves one item incomplete, whether a model is named or not', async (t) => {
  const env = privateEnv(t)
  const place = folder(t)
  const games = (item: string) =>
    ['AB', 'BA'].map((order, n) =>
      trial(`${item}${n}`, `${item} ${order}`, { item, trial: { n, of: 2, order } }),
    )
  const all = [...games('p'), ...games('q')]
  const record = ['-q', '-m', 'baseline:first', '--record', `${place}/r.ndjson`]
  // The first game of one item and the second of the other are there.
  fine(await jb('call', record, { stdin: ndjson([all[0], all[3]]), env }))
  for (const model of ['', '-m baseline:first']) {
    const command = `jb-call -q --replay r.ndjson ${model} --max-error-rate 1 | jb-parse -q | jb-aggregate -q`
    const { items, failed, failures } = JSON.parse(
      // Nothing was measured: exit 1.
      expect(await pipe(command, { cwd: place, stdin: ndjson(all), env }), { code: 1 }).stdout,
    )
    assert.deepEqual(
      { items, failed, failures },
      { items: 2, failed: 2, failures: { unavailable: 2 } },
      model,
    )
  }
})

test('--replay of a file that is no recording is told at once', async (t) => {
  const place = folder(t, { 'price.json': '{"m": [1, 2]}\n' })
  const args = ['--replay', `${place}/price.json`]
  expect(await jb('call', args, { stdin: trials(1) }), {
    code: 65,
    out: '',
    err: /price\.json holds no recorded replies/,
  })
  expect(await jb('call', [...args, '-n'], { stdin: trials(1) }), {
    code: 2,
    err: /--dry-run: --replay makes no calls/,
  })
})
