/** TREC AutoJudge’s own topics and runs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { DATA, lines, withoutData } from '../trec/_cli.ts'

describe('the originals’ files', { skip: withoutData }, () => {
  it('all of kiddie, and the spot checks with citations in three styles', async () => {
    const { stdout, stderr } = await pipe(
      `jb-read autojudge --topics ${DATA}/kiddie/topics/kiddie-topics.jsonl --responses ${DATA}/kiddie/runs`,
    )
    assert.equal(lines(stdout).length, 20)
    assert.equal(stderr, '')
    const spot = `${DATA}/base-tests/spot-check-dataset`
    assert.deepEqual(
      lines((await pipe(`jb-read autojudge --topics ${spot} --responses ${spot}/runs`)).stdout).map(
        ({ run_id, sentences }) => [run_id, sentences[1].citations],
      ),
      [
        ['my_best_run_01', []],
        ['my_best_run_02', ['279']],
        ['my_best_run_02_citations', ['279']],
      ],
    )
  })
})
