/** Rows with random JSON in `jb` through every stage, in batches: `node --import tsx scripts/random-rows.ts [COUNT] [SEED]`. */
import { encode, Row } from '../src/rows/row.ts'
import { linesOf, randomRows, throughEveryStage, throughView } from '../test/rows/_random_jb.ts'

const [count = '10000', seed = '1'] = process.argv.slice(2)
const BATCH = 250
let failed = 0
for (let done = 0; done < Number(count); done += BATCH) {
  const size = Math.min(BATCH, Number(count) - done)
  const text = linesOf(randomRows(size, Number(seed) + done))
  const rows = async function* () {
    yield text.split('\n').map((line, i) => Row.read(encode(line), '(random)', i + 1))
  }
  try {
    await throughEveryStage(rows, size)
    await throughView(text)
  } catch (error) {
    failed++
    console.log(`seed ${Number(seed) + done}, ${size} rows: ${(error as Error).message}`)
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${done + size} rows`)
}
console.log(failed === 0 ? `${count} rows: no stage ended, no row was lost` : `${failed} batches failed`)
process.exitCode = failed === 0 ? 0 : 1
