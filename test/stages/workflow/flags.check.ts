/** The plans of the originals’ workflow files. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ANY, judged, made, plan, plans, remarks } from './_plan.ts'

const WORKFLOWS = '../shared/data/autojudge/workflows'
const skip = existsSync(WORKFLOWS)
  ? false
  : `${WORKFLOWS} is not here: the originals’ workflow files are not tried`
const file = (name: string) => readFileSync(`${WORKFLOWS}/${name}/workflow.yml`, 'utf8')

describe('the originals’ workflow files', { skip }, () => {
  it('naive: no model is asked', async () => {
    const one = await plan(file('naive'), { judge: 'naive' })
    assert.equal(made(one), 'judge')
    assert.equal(one.judges.judge.kind, 'none')
    assert.equal(one.files.leaderboard, 'naive.eval.txt')
  })
  it('tinyjudge: its variant’s setting reaches the judge', async () => {
    const one = await plan(file('tinyjudge'), { variant: ['context'], judge: 'first_sentence' })
    assert.equal(one.judges.judge.name, 'first_sentence')
    assert.deepEqual(judged(one), { segments: 3n })
    assert.equal(made(one), 'judge')
  })
  it('complete_example: three phases, four variants and sweeps', async () => {
    const with3 = { judge: ANY, nuggetJudge: 'nuggetize', qrelsJudge: ANY }
    const python = await plan(file('complete_example'), { variant: ['judge-only'] })
    assert.deepEqual([made(python), python.judges.judge.kind], ['nuggets qrels judge', 'python'])
    const one = await plan(file('complete_example'), with3)
    assert.equal(made(one), 'nuggets qrels judge')
    assert.deepEqual(judged(one, 'qrels'), { grade_range: [0n, 3n], length_threshold: 100n })
    assert.deepEqual(judged(one), { keyword_bonus: 0.2 })
    const set = ['filebase={_name}']
    assert.equal((await plans(file('complete_example'), { ...with3, set, allVariants: true })).length, 3)
    const [point, ...more] = await plans(file('complete_example'), { ...with3, sweep: ['grid-search'] })
    assert.deepEqual(
      [point!.configuration.phases.nugget.get('questions_per_topic'), more.length],
      [[2n, 3n, 5n], 0],
    )
  })
  it('the first generation’s', async () => {
    const rubric = readFileSync(`${WORKFLOWS}/legacy/rubric.workflow.yml`, 'utf8')
    const of = { seed: true, judge: 'rubric', qrelsJudge: 'relevance', allVariants: true }
    assert.match(await remarks(rubric, of), /variants\.web\.nugget_settings\.prompt has no effect/)
    const [web] = await plans(rubric, of)
    assert.deepEqual([judged(web!, 'nugget'), judged(web!)], [{}, { grade_threshold: 4n }])
    assert.equal(web!.flags.nugget_depends_on_responses, false)
    const umbrela = readFileSync(`${WORKFLOWS}/legacy/umbrela.workflow.yml`, 'utf8')
    assert.equal(made(await plan(umbrela, { seed: true, judge: 'relevance' })), 'qrels judge')
  })
})
