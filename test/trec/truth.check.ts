/** TREC AutoJudge’s own correlations. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { DATA, withoutData } from './_cli.ts'

/** The methods of the release that the recorded figures are of. */
const WITHOUT_GAP = '--correlation kendall,pearson,spearman,tauap_b,kendall@10'

describe('the originals’ correlations', { skip: withoutData }, () => {
  it('to all ten decimals', async () => {
    const { stdout } = await pipe(
      `jb-agree ${DATA}/kiddie/eval/kiddie_fake.eval.ir_measures.txt ${WITHOUT_GAP} ${DATA}/reference-generated/naive.eval.txt`,
    )
    assert.equal(stdout, readFileSync(`${DATA}/reference-generated/corr.jsonl`, 'utf8'))
    const spot = `${DATA}/base-tests/spot-check-dataset/trec-leaderboard.txt`
    assert.equal(
      (await pipe(`jb-agree ${spot} ${WITHOUT_GAP} ${spot}`)).stdout,
      readFileSync(`${DATA}/reference-generated/spot.jsonl`, 'utf8'),
    )
  })
})
