/** jb-agree: every option has an effect, or is refused. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, lines } from './_cli.ts'

const qrels = (...grades: [topic: number, doc: string, grade: number][]) =>
  grades.map(([topic, doc, grade]) => `${topic} 0 ${doc} ${grade}\n`).join('')
const board = (measure: string, values: number[]) =>
  values.map((value, i) => `r${i} all ${measure} ${value}\n`).join('')

const cwd = folder({
  'truth.qrels': qrels([1, 'a', 1], [1, 'b', 0], [2, 'a', 1], [2, 'b', 1], [4, 'a', 1]),
  'judge.qrels': qrels([1, 'a', 1], [1, 'b', 1], [2, 'a', 0], [2, 'b', 1], [3, 'z', 3]),
  truth: board('T', [1, 2, 3, 4]),
  judge: board('M', [2, 1, 3, 4]),
})
const run = (options: string) => pipe(`jb-agree ${options}`, { cwd })

describe('jb-agree', () => {
  it('qrels: only some topics, and one row for each judge', async () => {
    const topics = async (options: string) =>
      lines((await run(`truth.qrels ${options} judge.qrels`)).stdout).map(({ Topic }) => Topic)
    assert.deepEqual(await topics('-q --on-missing default'), ['1', '2', '3', '4', 'MEAN'])
    assert.deepEqual(await topics('--topic 2'), ['2', 'MEAN'])
    assert.deepEqual(await topics('--on-missing default --only-shared topics'), ['1', '2', 'MEAN'])
    assert.equal((await run('truth.qrels --topic 9 judge.qrels')).code, 65)
    const [mean] = lines((await run('truth.qrels -q --aggregate judge.qrels')).stdout)
    assert.deepEqual([mean.Judges, mean.Precision, mean.Recall], [1, 0.75, 0.75])
  })
  it('grades beyond the scale are told', async () => {
    const { stderr } = await run('truth.qrels --on-missing default judge.qrels')
    assert.match(stderr, /judge\.qrels: grades up to 3 count as 1, the highest \(--max-grade 3\)/)
    assert.doesNotMatch((await run('truth.qrels --max-grade 3 judge.qrels')).stderr, /count as/)
  })
  it('options of leaderboards are refused with qrels, and those of qrels with leaderboards', async () => {
    for (const [files, options] of [
      ['truth.qrels judge.qrels', '--correlation kendall'],
      ['truth.qrels judge.qrels', '--run r1'],
      ['truth.qrels judge.qrels', '--truth-measure T'],
      ['truth.qrels judge.qrels', '--only-shared runs'],
      ['truth judge', '--relevant 2 --max-grade 3'],
      ['truth judge', '--max-grade 3'],
      ['truth judge', '--range T=0:4'],
    ]) {
      const { code, stderr } = await run(`${files} ${options}`)
      assert.equal(code, 2, stderr)
      assert.match(stderr, new RegExp(`^jb-agree: ${options!.split(' ')[0]}: `, 'm'))
    }
  })
  it('Bland and Altman without a range, and a range of no measure, are told', async () => {
    const { stderr } = await run('truth --correlation bland_altman --range T=0:4 --range Z=0:1 judge')
    assert.match(stderr, /bland_altman: no figures of M without their range/)
    assert.match(stderr, /--range Z: no such measure \(there are: T, M\)/)
    const all = await run('truth --correlation bland_altman --range M=0:4 --range T=0:4 judge')
    assert.doesNotMatch(all.stderr, /range/)
  })
})
