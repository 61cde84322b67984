/** Rows with random JSON in `jb` through every stage, in batches: `node --import tsx scripts/random-rows.ts [COUNT] [SEED]`. */
import { encode, Row } from '../src/rows/row.ts'
import { linesOf, randomRows, throughEveryStage, throughView } from '../test/rows/_random_jb.ts'

const [count = '10000', seed = '1'] = process.argv.slice(2)
const BATCH = 250
for (let done = 0; done < Number(count); done += BATCH) {
  const text = linesOf(randomRows(Math.min(BATCH, Number(count) - done), Number(seed) + done))
  const rows = async function* () {
    yield text.split('\n').map((line, i) => Row.read(encode(line), '(random)', i + 1))
  }
  await throughEveryStage(rows, text.split('\n').length)
  await throughView(text)
}
console.log(`${count} rows: no stage ended, no row was lost`)
