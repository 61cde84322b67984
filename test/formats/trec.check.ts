/** TREC AutoJudge’s own leaderboards. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { DATA, withoutData } from '../trec/_cli.ts'

const REFERENCE = `${DATA}/reference-generated`

describe('the originals’ leaderboards', { skip: withoutData }, () => {
  const topics = `${DATA}/kiddie/topics/kiddie-topics.jsonl`
  it('the naive one, byte for byte', async () => {
    const { stdout } = await pipe(
      `jb-read autojudge --topics ${topics} --responses ${DATA}/kiddie/runs | jb-write trec --measure LENGTH --measure RANDOM`,
    )
    assert.equal(stdout, readFileSync(`${REFERENCE}/naive.eval.txt`, 'utf8'))
  })
  it('read and written again, through every order of columns, byte for byte', async () => {
    const whole = readFileSync(`${REFERENCE}/naive.eval.txt`, 'utf8')
    for (const format of ['ir_measures', 'tot', 'rag4reports', 'ranking', 'jsonl']) {
      const { stdout } = await pipe(
        `jb-read trec ${REFERENCE}/naive.eval.txt | jb-write ${format} | jb-read ${format} | jb-write trec`,
      )
      assert.equal(stdout, whole, format)
    }
  })
  it('counted anew, the "all" rows are the same', async () => {
    const { stdout } = await pipe(`jb-read trec ${REFERENCE}/naive.eval.txt | jb-write trec --drop-aggregate`)
    assert.equal(stdout, readFileSync(`${REFERENCE}/naive.eval.txt`, 'utf8'))
  })
  it('jb-write spread', async () => {
    const { stdout } = await pipe(`jb-read trec ${REFERENCE}/naive.eval.txt | jb-write spread`)
    assert.equal(stdout, readFileSync(`${REFERENCE}/lb.jsonl`, 'utf8').replaceAll(/"Judge":"[^"]*",/g, ''))
  })
})
