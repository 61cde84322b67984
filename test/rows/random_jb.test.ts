/** Whatever stands in a row's `jb`, no stage ends and no row is lost. `scripts/random-rows.ts` tries many more. */
import { test } from 'node:test'
import { encode, Row } from '../../src/rows/row.ts'
import { linesOf, randomRows, throughEveryStage, throughView } from './_random_jb.ts'

test('random JSON in jb fails rows, and never a run', async () => {
  const text = linesOf(randomRows(100, 1))
  const rows = async function* () {
    yield text.split('\n').map((line, i) => Row.read(encode(line), '(random)', i + 1))
  }
  await throughEveryStage(rows, 100)
  await throughView(text)
})
