import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readGiven, readOnly } from '../../../src/stages/workflow/given.ts'
import { modelIn } from '../../../src/stages/workflow/models.ts'

describe('--set and --only', () => {
  it('a key is a flag or a path of the file, a setting of a phase, or one of all', () => {
    const given = readGiven([
      'judge=no',
      'create_nuggets=yes',
      'judge.k=1',
      'nugget.a.b=x',
      'k=1.0',
      'qrels_output=q',
    ])
    assert.deepEqual(given.flags, { judge: false, create_nuggets: true })
    assert.deepEqual(given.paths, { qrels_output: 'q' })
    assert.deepEqual(
      [given.settings, given.phases.judge, given.phases.nugget].map((map) => [...map]),
      [[['k', 1]], [['k', 1n]], [['a.b', 'x']]],
    )
    assert.throws(() => readGiven(['judge=yes', 'judge=no']), /judge is yes already/)
    assert.throws(() => readGiven(['judge=perhaps']), /expected yes or no/)
  })
  it('topics and runs by name, or the first of them', () => {
    assert.deepEqual(readOnly(['topic=a', 'topic=b', 'runs=2']), { topic: ['a', 'b'], run: [], limitRuns: 2 })
    for (const text of ['topics=0', 'runs=x', 'team=a'])
      assert.throws(() => readOnly([text]), /expected topic=ID/)
  })
  it('the model in .config.yml is the one that is asked', () => {
    assert.equal(modelIn(['-j', '4', '-m', 'a'], { OPENAI_MODEL: 'b' }), 'a')
    assert.equal(modelIn(['--model=a', '-mc'], {}), 'c')
    assert.equal(modelIn([], { OPENAI_MODEL: 'b', LLM_MODEL: 'c' }), 'b')
  })
})
