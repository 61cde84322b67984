/** Long rows are read where they stand: what waits for more of them is kept. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { fine, jb } from '../../helpers/run.ts'

const COUNT = 120

/** Two games of some items, 4 to 9 KB each, the last row of another length. */
const rows = (n: number) =>
  Array.from({ length: COUNT }, (_, i) =>
    game(`p${i}`, n, 2, (i * 7 + n) % 3 === 0 ? 'B>A' : 'A>B', {
      source: `s${i % 4}`,
      question: `é ${i} `.repeat(200 + ((i * 37) % 300)),
      jb: {
        request: { messages: [{ role: 'user', content: 'x'.repeat(2000) }], temperature: i % 2 },
        reply: { text: `reply ${i} ${n}\n`.repeat(100), model: 'm', usage: { prompt_tokens: i } },
      },
    }),
  )

test('an item is the same whether its games stand side by side or far apart', async (t) => {
  const [first, second] = [rows(0), rows(1)]
  const orders = {
    side: first.flatMap((row, i) => [row, second[i]]),
    apart: [...first, ...second],
    mixed: [...first, ...second.toReversed()],
  }
  const here = folder(t)
  const results: Record<string, string[]> = {}
  const reports: string[] = []
  for (const [name, order] of Object.entries(orders)) {
    const path = join(here, name)
    writeFileSync(path, ndjson(order))
    results[name] = fine(await jb('score', [path]))
      .stdout.split('\n')
      .sort()
    reports.push(fine(await jb('aggregate', [path])).stdout)
    // From a pipe, in other pieces.
    reports.push(fine(await jb('aggregate', [], { stdin: ndjson(order) })).stdout)
  }
  assert.equal(results.side!.length, COUNT + 1)
  assert.deepEqual(results.apart, results.side)
  assert.deepEqual(results.mixed, results.side)
  assert.equal(new Set(reports).size, 1)
  assert.equal(JSON.parse(reports[0]!).items, COUNT)
})
