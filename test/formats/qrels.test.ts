import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, lines } from '../trec/_cli.ts'

describe('qrels', () => {
  const cwd = folder({
    'q.txt': 't2 0 d1 1.9\n\nt1 0 b True more\nt1 0 a -1\nshort line\nt1 0 a 3\n',
    'grades.jsonl': [
      { topic_id: 't1', doc_id: 'a', grade: 2 },
      { topic_id: 't1', doc_id: 'b', grade: null },
    ],
    'topics.jsonl': [
      { request_id: 't1', title: 'x' },
      { request_id: 't3', title: 'y' },
    ],
  })
  it('are read as they come; what is odd is told with its line', async () => {
    const { stdout, stderr } = await pipe('jb-read qrels q.txt', { cwd })
    assert.deepEqual(
      lines(stdout).map(({ topic_id, doc_id, grade }) => [topic_id, doc_id, grade]),
      [
        ['t2', 'd1', 1],
        ['t1', 'b', 1],
        ['t1', 'a', -1],
        ['t1', 'a', 3],
      ],
    )
    assert.match(stderr, /q\.txt:4: the grade -1 is negative/)
    assert.match(stderr, /q\.txt:5: 2 columns/)
    assert.match(stderr, /q\.txt:6: a second grade for topic t1, document a/)
  })
  it('are written sorted, duplicates by policy, topics checked', async () => {
    const write = (options: string) => pipe(`jb-read -q qrels q.txt | jb-write qrels ${options}`, { cwd })
    const kept = await write('--topics topics.jsonl')
    assert.equal(kept.stdout, 't1 0 a 3\nt1 0 b 1\nt2 0 d1 1\n')
    assert.match(kept.stderr, /1 second grades for the same document: keep_max/)
    assert.match(kept.stderr, /topics without a grade: t3/)
    assert.match(kept.stderr, /topics that are not in --topics: t2/)
    assert.equal((await write('--duplicates keep_last')).stdout, 't1 0 a 3\nt1 0 b 1\nt2 0 d1 1\n')
    assert.equal((await write('--duplicates error')).code, 65)
  })
  it('a document without a grade is left out, written with the default, or ends the run', async () => {
    const write = (options: string) => pipe(`jb-write qrels ${options} grades.jsonl`, { cwd })
    const left = await write('')
    assert.equal(left.stdout, 't1 0 a 2\n')
    assert.match(left.stderr, /document b, topic t1: no grade \(no grade\)\n.*1 grades missing: left out/s)
    const filled = await write('--on-missing default --default 1')
    assert.equal(filled.stdout, 't1 0 a 2\nt1 0 b 1\n')
    assert.match(filled.stderr, /1 grades missing: written as 1/)
    const ended = await write('--on-missing error')
    assert.deepEqual([ended.code, ended.stdout], [65, ''])
    assert.match(ended.stderr, /document b, topic t1: no grade \(no grade\) \(--on-missing error\)/)
    const skipped = await write('--on-missing skip')
    assert.deepEqual([skipped.stdout, skipped.stderr], ['t1 0 a 2\n', ''])
  })
  it('a mean of grades is cut to a whole number, which is told', async () => {
    const row = (doc_id: string, grade: number) => `${JSON.stringify({ topic_id: 't1', doc_id, grade })}\n`
    const { stdout, stderr } = await pipe('jb-write qrels', {
      stdin: row('a', 2) + row('b', 2.75) + row('c', 0.5),
    })
    assert.equal(stdout, 't1 0 a 2\nt1 0 b 2\nt1 0 c 0\n')
    assert.match(stderr, /2 grades are cut to whole numbers, as qrels have them, such as 2\.75 of topic t1/)
  })
  it('--bad-rows: lines that hold no grade are counted and left out, or failed rows', async () => {
    const input = 't 0 a 1\nt 0 d good\nshort line\nt 0 b 2\n'
    const skipped = await pipe('jb-read qrels --bad-rows skip', { stdin: input })
    assert.deepEqual([skipped.code, lines(skipped.stdout).map(({ doc_id }) => doc_id)], [0, ['a', 'b']])
    assert.match(skipped.stderr, /\(stdin\):2: the grade "good" is not a number\n/)
    assert.match(skipped.stderr, /\(stdin\):3: 2 columns, a qrels row has 4\n/)
    assert.match(skipped.stderr, /4 rows, 2 failed here \(bad_row 2\)/)
    const passed = await pipe('jb-read qrels --bad-rows pass', { stdin: input })
    assert.equal(passed.code, 0)
    assert.deepEqual(
      lines(passed.stdout).map(({ doc_id, jb }) => doc_id ?? [jb.error.code, jb.raw]),
      ['a', ['bad_row', 't 0 d good'], ['bad_row', 'short line'], 'b'],
    )
  })
  it('bytes that are not UTF-8 are refused, in a leaderboard too', async () => {
    for (const [format, line] of [
      ['qrels', 't 0 caf\xe9 1\n'],
      ['trec_eval', 'run m caf\xe9 1.0\n'],
    ]) {
      const { code, stdout, stderr } = await pipe(`jb-read ${format}`, {
        stdin: Buffer.from(line!, 'latin1'),
      })
      assert.deepEqual([code, stdout], [65, ''], format)
      assert.match(stderr, /\(stdin\):1: not valid UTF-8 at byte/)
    }
  })
  it('a grade that is not a number is refused', async () => {
    const { code, stderr } = await pipe('jb-read qrels', { stdin: 't 0 d good\n' })
    assert.equal(code, 65)
    assert.match(stderr, /\(stdin\):1: the grade "good" is not a number/)
  })
})
