import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { LEADERBOARD_FORMATS, readLeaderboard, writeLeaderboard } from '../../src/trec/columns.ts'
import { type BoardEntry, gapsOf, verify, withAll } from '../../src/trec/leaderboard.ts'
import { readQrels, uniqueQrels, verifyQrels, writeQrels } from '../../src/trec/qrels.ts'

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/[\s#]/.test(text))
const entry = fc
  .record({ run: word, topic: word, measure: word, value: fc.double({ noNaN: true }) })
  .map((one): BoardEntry => ({ ...one }))

describe('leaderboards and their text', () => {
  for (const format of LEADERBOARD_FORMATS)
    it(`${format}: written and read, every value is the same number`, () => {
      fc.assert(
        fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), (given) => {
          const entries = format === 'trec_eval' ? given.map((one) => ({ ...one, run: 'r' })) : given
          const finite = format === 'jsonl' ? entries.filter(({ value }) => Number.isFinite(value)) : entries
          const text = writeLeaderboard(finite, format)
          const read = readLeaderboard(text, { format, header: 'no', name: 'dir/r' }).entries
          assert.deepEqual(
            read.map(({ place: _, ...one }) => one),
            finite,
          )
          assert.equal(writeLeaderboard(read, format), text)
        }),
      )
    })
  it('which of the formats of four columns it is shows in where "all" stands', () => {
    const entries: BoardEntry[] = [
      { run: 'a', topic: 't', measure: 'M', value: 1 },
      { run: 'a', topic: 'all', measure: 'M', value: 1 },
    ]
    for (const format of ['ir_measures', 'tot', 'rag4reports', 'ranking', 'jsonl'] as const)
      assert.equal(readLeaderboard(writeLeaderboard(entries, format), { name: 'x' }).format, format)
    assert.throws(() => readLeaderboard('a M t 1\n', { name: 'x' }), /x: 4 columns and no "all" rows/)
    assert.equal(readLeaderboard('a M t 1\n', { name: 'x', topics: ['t'] }).format, 'tot')
  })
})

describe('what a leaderboard lacks', () => {
  const rows = (text: string): BoardEntry[] =>
    text.split(' ').map((one) => {
      const [run, topic, value] = one.split(':')
      return { run: run!, topic: topic!, measure: 'M', value: Number(value) }
    })
  const entries = rows('b:1:1 a:1:3 a:2:1')
  const gaps = gapsOf(entries, ['2', '1', '3'])
  it('runs and topics in their order', () => {
    assert.deepEqual(
      gaps.map(({ run, topic }) => run + topic),
      ['a3', 'b2', 'b3'],
    )
  })
  it('is left out, written, or counted', () => {
    const sums = (policy: 'warn' | 'default' | 'fix_aggregate') =>
      withAll(entries, ['M'], gaps, policy, 0)
        .map(({ run, topic, value }) => `${run}:${topic}:${value}`)
        .join(' ')
    assert.equal(sums('warn'), 'b:1:1 a:1:3 a:2:1 b:all:1 a:all:2')
    assert.equal(sums('fix_aggregate'), `b:1:1 a:1:3 a:2:1 b:all:${1 / 3} a:all:${4 / 3}`)
    assert.equal(sums('default'), `b:1:1 a:1:3 a:2:1 a:3:0 b:2:0 b:3:0 b:all:${1 / 3} a:all:${4 / 3}`)
  })
  it('is of the measure’s type: an integer, and nothing where values are texts', () => {
    const row = { run: 'a', topic: '1' }
    const typed: BoardEntry[] = [
      { ...row, measure: 'N', value: 3, dtype: 'int' },
      { ...row, measure: 'C', value: 'good', dtype: 'str' },
    ]
    const board = withAll(typed, ['N', 'C'], [{ run: 'a', topic: '2', why: '' }], 'default', 0)
    assert.equal(
      writeLeaderboard(board, 'ir_measures').replaceAll('\t', ' '),
      'a 1 N 3\na 1 C good\na 2 N 0\na all N 1.5\na all C good\n',
    )
  })
  it('white space that would end a column is told', () => {
    assert.match(
      verify(rows('a b:1:1'.replace(' ', '_')))
        .map(({ message }) => message)
        .join(),
      /^$/,
    )
    assert.match(
      verify([{ run: 'a b', topic: 't', measure: 'M', value: 1 }])[0]!.message,
      /white space in a run.*"a b"/,
    )
  })
})

describe('qrels and their text', () => {
  const qrel = fc.record({ topic: word, doc: word, grade: fc.integer({ min: -3, max: 9 }) })
  it('written, read and written are the same; negative grades are told', () => {
    fc.assert(
      fc.property(fc.array(qrel, { maxLength: 8 }), (given) => {
        const { kept } = uniqueQrels(given, 'keep_max')
        const text = writeQrels(kept)
        const { qrels, problems } = readQrels(text, 'x')
        assert.equal(writeQrels(qrels), text)
        assert.equal(problems.length, kept.filter(({ grade }) => grade < 0).length)
        assert.equal(verifyQrels(qrels).length, problems.length)
        for (const { topic, doc, grade } of kept)
          assert.equal(
            grade,
            Math.max(
              ...given.filter((one) => one.topic === topic && one.doc === doc).map((one) => one.grade),
            ),
          )
      }),
    )
  })
})
