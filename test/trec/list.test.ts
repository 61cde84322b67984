import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkJudge } from '../../src/judges/_check.ts'
import { pythonStr } from '../../src/python/json.ts'
import type { RowFailure } from '../../src/rows/record.ts'
import { rule } from '../../src/verdicts/list.ts'

const identity = { name: 'x', where: 'x.yaml', builtin: false }
const reader = async (config: object) => {
  const verdict = { rule: 'list', ...config }
  const judge = checkJudge({ kind: 'list', about: '', fields: {}, prompt: 'x', verdict }, identity)
  const read = await rule(verdict, judge)
  return (text: string) => {
    try {
      return read(text, { item: () => ({}) }).items
    } catch (error) {
      return (error as RowFailure).code
    }
  }
}

describe('lists in replies', () => {
  it('JSON, Python, in fences, between words; the last one', async () => {
    const read = await reader({})
    assert.deepEqual(read('["a", "b"]'), ['a', 'b'])
    assert.deepEqual(read("```python\n['it\\'s', \"b\",]\n```"), ["it's", 'b'])
    assert.deepEqual(read('First ["x"], then I thought better:\n["y"] [1].'), ['y'])
    assert.deepEqual(read('{"nuggets": [{"text": "a"}]}'), [{ text: 'a' }])
    assert.deepEqual(read("[{'text': 'a', 'vital': True, 'n': None},]"), [
      { text: 'a', vital: true, n: null },
    ])
  })
  it('each once, without the empty ones', async () => {
    assert.deepEqual((await reader({}))('[" a ", "a", "", null, {"t": 1}, {"t": 1}]'), ['a', { t: 1 }])
  })
  it('no list, one cut short, one too short', async () => {
    const read = await reader({ min: 2 })
    for (const text of ['none', '["a", "b', '["a"]', '[1, 2]', '- a\n- b', ''])
      assert.equal(read(text), 'no_verdict', text)
  })
  it('under a key, by lines, at most so many', async () => {
    assert.deepEqual((await reader({ at: 'b' }))('{"a": ["x"], "b": ["y"]}'), ['y'])
    assert.deepEqual((await reader({ lines: true }))('Here:\n- a\n2. b\n* c\nend'), ['a', 'b', 'c'])
    assert.deepEqual((await reader({ max: 2 }))('["a", "b", "c"]'), ['a', 'b'])
  })
  it('whatever JSON or Python prints of texts is read back', async () => {
    const read = await reader({})
    const word = fc.constantFrom(
      ...[
        "The city's",
        'said "no"',
        '[sic]',
        '(see {1})',
        '5" pipe',
        'b, c',
        "don't",
        '“quoted”',
        '\n',
        '\\',
        ':',
      ],
    )
    const texts = fc.array(
      fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => `the ${words.join(' ')} end`),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(texts, (list) => {
        const items = [...new Set(list)]
        assert.deepEqual(read(`so [1]: ${JSON.stringify(items)}`), items)
        assert.deepEqual(read(`so [1]:\n\`\`\`python\n${pythonStr(items)}\n\`\`\`\nSee [2].`), items)
      }),
    )
  })
  it('brackets without end are no list, and are not followed down for ever', async () => {
    const read = await reader({})
    for (const text of ['['.repeat(50000), '[{'.repeat(20000), '["a",'.repeat(20000), "['".repeat(20000)])
      assert.equal(read(text), 'no_verdict')
  })
})
