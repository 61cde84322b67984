import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pipe } from '../helpers/run.ts'
import { DATA, folder, kiddie, lines, withoutData } from '../trec/_cli.ts'

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

describe('what is odd is told with its file and line', () => {
  const meta = { team_id: 'o', run_id: 'r', topic_id: 't1' }
  const topics = [
    { request_id: 't1', title: 'x' },
    { request_id: 't2', title: 'y' },
  ]
  const responses = [
    { metadata: meta, answer: [{ text: 'a', citations: [0, 7, -1] }], references: ['d'] },
    { metadata: meta, answer: [{ text: 'again' }] },
    { metadata: { ...meta, topic_id: 'zz' }, answer: [{ text: 'a' }] },
  ]
  const cwd = folder({ 'topics.jsonl': topics, 'run.jsonl': responses })
  it('dropped citations, duplicates, unknown topics, missing responses', async () => {
    const { stdout, stderr, code } = await pipe(`${READ} run.jsonl`, { cwd })
    assert.equal(code, 0)
    assert.deepEqual(lines(stdout)[0].sentences, [{ text: 'a', citations: ['d'] }])
    assert.match(stderr, /run\.jsonl:1: citations of indexes outside "references" \(7, -1 of 1\)/)
    assert.match(stderr, /run\.jsonl:2: run r has a response for topic t1 already \(run\.jsonl:1\)/)
    assert.match(stderr, /run\.jsonl:3: topic "zz" of run r is not in topics\.jsonl: left out/)
    assert.match(stderr, /run r has no response for t2/)
    assert.match(stderr, /responses: 1 missing, 1 duplicate, 1 of an unknown topic/)
  })
  it('unknown topics are kept, or end the run, as one says', async () => {
    assert.deepEqual(
      lines((await pipe(`${READ} --unknown-topics keep run.jsonl`, { cwd })).stdout).map(({ id }) => id),
      ['r/t1', 'r/zz'],
    )
    const { code, stderr } = await pipe(`${READ} --unknown-topics stop run.jsonl`, { cwd })
    assert.equal(code, 65)
    assert.match(stderr, /run\.jsonl:3: topic "zz"/)
  })
  it('a grade that is not a number ends the run as bad data', async () => {
    const cwd = folder({ 'topics.jsonl': topics, 'run.jsonl': responses, 'g.qrels': 't1 0 d high\n' })
    const { code, stderr } = await pipe(`${READ} run.jsonl --qrels g.qrels`, { cwd })
    assert.equal(code, 65)
    assert.match(stderr, /g\.qrels:1: the grade "high" is not a number/)
  })
  const bad: [string, object, RegExp][] = [
    [
      'mixed citations',
      {
        metadata: meta,
        answer: [
          { text: 'a', citations: ['d'] },
          { text: 'b', citations: [0] },
        ],
      },
      /more than one way/,
    ],
    [
      'a number as topic_id',
      { metadata: { ...meta, topic_id: 7 }, answer: [] },
      /topic_id must be a string, not 7/,
    ],
    ['two topics', { metadata: { ...meta, narrative_id: 't2' }, answer: [] }, /differ/],
    ['no sentences', { metadata: meta }, /neither "responses" nor "answer"/],
    ['no run', { metadata: { team_id: 'o', topic_id: 't1' }, answer: [] }, /metadata\.run_id is missing/],
    ['no text', { metadata: meta, answer: [{ citations: [] }] }, /sentence 0 has no "text"/],
  ]
  for (const [what, response, message] of bad)
    it(`${what}: exit 65, or skipped, or passed on`, async () => {
      const cwd = folder({
        'topics.jsonl': topics,
        'run.jsonl': [{ metadata: { ...meta, run_id: 'good' }, answer: [{ text: 'fine' }] }, response],
      })
      const stopped = await pipe(`${READ} run.jsonl`, { cwd })
      assert.equal(stopped.code, 65)
      assert.match(stopped.stderr, /run\.jsonl:2: /)
      assert.match(stopped.stderr, message)
      assert.equal(lines(stopped.stdout).length, 1)
      const skipped = await pipe(`${READ} run.jsonl --bad-rows skip`, { cwd })
      assert.equal(lines(skipped.stdout).length, 1)
      assert.match(skipped.stderr, /1 failed here \(bad_row 1\)/)
      assert.equal(
        lines((await pipe(`${READ} run.jsonl --bad-rows pass`, { cwd })).stdout)[1].jb.error.code,
        'bad_row',
      )
    })
  it('an item of several responses: bad lines are passed on, or none is written', async () => {
    const response = (run_id: string, topic_id: string) =>
      JSON.stringify({ metadata: { ...meta, run_id, topic_id }, answer: [{ text: 'fine' }] })
    const parts = [
      response('a', 't1'),
      response('b', 't1'),
      '{"metadata":{}}',
      '{broken',
      response('a', 't2'),
    ]
    const cwd = folder({
      'topics.jsonl': topics,
      'run.jsonl': `${parts.join('\n')}\n`,
      'cut.jsonl': `${parts[0]}\n{`,
    })
    for (const per of ['topic', 'pair']) {
      const passed = await pipe(`${READ} --per ${per} run.jsonl --bad-rows pass`, { cwd })
      const [first, second, ...items] = lines(passed.stdout)
      assert.deepEqual([first.metadata, first.jb.error.code], [{}, 'bad_row'], per)
      assert.deepEqual([second.jb.raw, second.jb.error.code], ['{broken', 'bad_row'], per)
      assert.equal(items.filter(({ jb }) => jb === undefined).length, items.length)
      const { code, stdout, stderr } = await pipe(`${READ} --per ${per} cut.jsonl`, { cwd })
      assert.deepEqual([code, stdout], [65, ''], per)
      assert.doesNotMatch(stderr, /has no response/)
    }
  })
  it('topics: none, one twice, one without a title, ids that differ', async () => {
    for (const [content, message] of [
      ['', /topics\.jsonl contains 0 RAG topics/],
      [
        '{"request_id":"1","title":"x"}\n{"request_id":"1","title":"y"}\n',
        /topics\.jsonl:2: topic "1" occurs twice/,
      ],
      [
        '{"request_id":"1","title":"x"}\n{"request_id":"2","background":"y"}\n',
        /topics\.jsonl:2: "title" is missing/,
      ],
      ['{"request_id":"1","topic_id":"2","title":"x"}\n', /topics\.jsonl:1: request_id and topic_id differ/],
      ['{"request_id":"","title":"x"}\n', /topics\.jsonl:1: "request_id" is empty/],
      ['{"request_id":1,"title":"x"}\n', /topics\.jsonl:1: "request_id" must be a string/],
    ] as const) {
      const { code, stderr } = await pipe(READ, { cwd: folder({ 'topics.jsonl': content }) })
      assert.equal(code, 65)
      assert.match(stderr, message)
    }
  })
  it('files and folders without responses or grades are told, and fail a check', async () => {
    const cwd = folder({ 'topics.jsonl': [{ request_id: '1', title: 'x' }], 'a.jsonl': '', 'none/.keep': '' })
    const run = (args: string) => pipe(`${READ} ${args}`, { cwd })
    assert.equal((await run('a.jsonl')).stderr, 'jb-read: a.jsonl: no responses\n')
    assert.match((await run('--qrels a.jsonl')).stderr, /a\.jsonl: no grades for 1\n/)
    const none = await run('--responses none')
    assert.deepEqual([none.code, none.stdout], [66, ''])
    assert.match(none.stderr, /none: no files in this folder/)
    const check = await run('--check rag26 a.jsonl')
    assert.equal(check.code, 1)
    assert.deepEqual(
      lines(check.stdout).map(({ category, message }) => [category, message]),
      [['format', 'a.jsonl has no responses']],
    )
    assert.equal((await run('--check rag26')).code, 2)
  })
  it('what is not said is asked for', async () => {
    assert.match(
      (await pipe('jb-read autojudge x.jsonl', { cwd: folder({ 'x.jsonl': '' }) })).stderr,
      /needs --topics FILE/,
    )
    assert.match((await pipe(`${READ} --per pair`, { cwd })).stderr, /--per pair needs responses/)
    assert.equal((await pipe(`${READ} --responses nowhere`, { cwd })).code, 66)
  })
})

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
