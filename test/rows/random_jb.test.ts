/**
 * Whatever stands in a row's `jb`, no stage ends, no row is lost, and every failure has its file and line.
 * `make test CASE=random_jb RUNS=100` tries 10,000 rows.
 */
import { test } from 'node:test'
import { runs } from '../helpers/random.ts'
import { throughEveryCommand, throughEveryStage } from './_every_stage.ts'
import { linesOf, randomRows } from './_random_jb.ts'

test('random JSON in jb fails rows, and never a run', async () => {
  for (let seed = 1; seed <= runs(1); seed++) {
    const text = linesOf(randomRows(100, seed))
    try {
      await throughEveryStage(text)
      await throughEveryCommand(text)
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).stack}`)
    }
  }
})
