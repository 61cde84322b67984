import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pipe } from '../helpers/run.ts'
import { folder, kiddie, lines } from '../trec/_cli.ts'

const READ = 'jb-read autojudge --topics topics.jsonl'

describe('jb-read autojudge', () => {
  const cwd = kiddie()
  it('an item a run and topic, citations as document ids whatever their style', async () => {
    const { stdout, stderr, code } = await pipe(`${READ} --responses runs`, { cwd })
    assert.equal(code, 0, stderr)
    const rows = lines(stdout)
    assert.deepEqual(
      rows.map(({ id, text, sentences }) => [
        id,
        text,
        sentences.map((one: { citations: string[] }) => one.citations),
      ]),
      [
        ['a/t1', 'Basalt cools fast. Lava.', [['d9'], []]],
        ['a/t2', 'The moon pulls at the sea.', [['d2', 'd1']]],
        ['b/t1', 'Granite is slow.', [['y', 'x']]],
        ['b/t2', 'Water.', [[]]],
        ['c/t1', 'Rocks are rocks and more rocks.', [[]]],
        ['c/t2', '', []],
      ],
    )
    assert.deepEqual(
      [rows[0].title, rows[0].problem_statement, rows[1].problem_statement, rows[1].background],
      ['volcanic rocks', 'Why do some cool fast?', '', ''],
    )
  })
  it('a run or topic that is not there is wrong usage; what there is is named', async () => {
    const run = await pipe(`${READ} --responses runs --run nosuch`, { cwd })
    assert.deepEqual([run.code, run.stdout], [2, ''])
    assert.match(run.stderr, /--run nosuch: no such run in the files \(there are: a, b, c\)/)
    const some = await pipe(`${READ} --responses runs --run a --run nosuch --per topic`, { cwd })
    assert.deepEqual([some.code, lines(some.stdout).length], [2, 2])
    const topic = await pipe(`${READ} --responses runs --topic nosuch`, { cwd })
    assert.deepEqual([topic.code, topic.stdout], [2, ''])
    assert.match(topic.stderr, /--topic nosuch: no such topic in topics\.jsonl \(there are: t1, t2\)/)
  })
  it('--limit-topics and --limit-runs are of the topics and runs that are named', async () => {
    const ids = async (options: string) =>
      lines((await pipe(`${READ} --responses runs ${options}`, { cwd })).stdout).map(({ id }) => id)
    assert.deepEqual(await ids('--limit-topics 1 --topic t2'), ['a/t2', 'b/t2', 'c/t2'])
    assert.deepEqual(await ids('--limit-runs 1 --run c --run b --topic t1'), ['b/t1'])
    assert.deepEqual(await ids('--limit-runs 2 --topic t1'), ['a/t1', 'b/t1'])
    const part = await pipe(`${READ} --responses runs --limit-runs 1 --run a --run c`, { cwd })
    assert.doesNotMatch(part.stderr, /run c/)
  })
  it('an option without effect is refused, a field that no item has is told', async () => {
    for (const [options, option] of [
      ['--per topic --whole', 'whole'],
      ['--per pair --without text', 'without'],
      ['--bank argue', 'bank'],
    ]) {
      const { code, stderr } = await pipe(`${READ} --responses runs ${options}`, { cwd })
      assert.deepEqual([code, stderr.startsWith(`jb-read: --${option}: `)], [2, true], stderr)
    }
    const { stderr } = await pipe(`${READ} --responses runs --without text,txt`, { cwd })
    assert.match(stderr, /--without: no item has the field txt$/m)
  })
  it('an item a topic, with its responses; an item a pair of runs, the first by name first', async () => {
    const topics = lines((await pipe(`${READ} --responses runs --per topic`, { cwd })).stdout)
    assert.deepEqual(
      topics.map(({ id, responses }) => [id, responses.map((one: { run_id: string }) => one.run_id)]),
      [
        ['t1', ['a', 'b', 'c']],
        ['t2', ['a', 'b', 'c']],
      ],
    )
    assert.deepEqual(
      lines((await pipe(`${READ} --per topic`, { cwd })).stdout).map(({ id, responses }) => [id, responses]),
      [
        ['t1', []],
        ['t2', []],
      ],
    )
    const pairs = lines((await pipe(`${READ} --responses runs --per pair --topic t1`, { cwd })).stdout)
    assert.deepEqual(
      pairs.map(({ id, run_a, run_b, response_B }) => [id, run_a, run_b, response_B]),
      [
        ['t1/a/b', 'a', 'b', 'Granite is slow.'],
        ['t1/a/c', 'a', 'c', 'Rocks are rocks and more rocks.'],
        ['t1/b/c', 'b', 'c', 'Rocks are rocks and more rocks.'],
      ],
    )
  })
  it('nuggets and grades of the topic go with it; ids with a slash stay apart', async () => {
    const cwd = folder({
      'topics.jsonl': [{ request_id: 'a/b', title: 'x' }],
      'run.jsonl': [
        { metadata: { team_id: 'o', run_id: 'r/1', topic_id: 'a/b' }, responses: [{ text: 'x' }] },
      ],
      'bank.jsonl': [{ qid: 'a/b', query: 'x', nuggets: [{ text: 'Abc', importance: 'vital' }] }],
      'grades.qrels': 'a/b 0 d1 2\n',
    })
    const [row] = lines(
      (await pipe(`${READ} run.jsonl --nuggets bank.jsonl --qrels grades.qrels --whole`, { cwd })).stdout,
    )
    assert.equal(row.id, 'r%2F1/a%2Fb')
    assert.deepEqual(row.nuggets, [
      { id: '35593b7ce5020eae3ca68fd5b6f3e031', text: 'Abc', kind: 'nugget', importance: 'vital' },
    ])
    assert.deepEqual(row.qrels, { d1: 2 })
    assert.equal(row.response.metadata.run_id, 'r/1')
  })
  it('gzip, stdin and a chosen run', async () => {
    writeFileSync(join(cwd, 'a.jsonl.gz'), gzipSync(readFileSync(join(cwd, 'runs/a.jsonl'))))
    assert.equal(lines((await pipe(`${READ} a.jsonl.gz`, { cwd })).stdout).length, 2)
    assert.equal(lines((await pipe(`cat runs/a.jsonl | ${READ} -`, { cwd })).stdout).length, 2)
    assert.deepEqual(
      lines((await pipe(`${READ} --responses runs --run b`, { cwd })).stdout).map(({ id }) => id),
      ['b/t1', 'b/t2'],
    )
  })
})

describe('citations with scores', () => {
  it('stand by score, equal ones as in the file, ids that are numbers too', async () => {
    const cwd = folder({
      'topics.jsonl': [{ request_id: 't', title: 'x' }],
      'run.jsonl':
        '{"metadata":{"team_id":"o","run_id":"r","topic_id":"t"},"responses":[{"text":"{\\"citations\\":{}}","citations":{"30":0.5,"4":0.5,"d":0.9,"100":0.5}},{"text":"b","citations":{}}]}\n',
    })
    const [row] = lines((await pipe(`${READ} run.jsonl`, { cwd })).stdout)
    assert.deepEqual(
      row.sentences.map((one: { citations: string[] }) => one.citations),
      [['d', '30', '4', '100'], []],
    )
  })
})
