/** What is odd in responses is told, with its place. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, lines } from '../trec/_cli.ts'

const READ = 'jb-read autojudge --topics topics.jsonl'

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
  it('of "responses" and another "answer" the first is read; the same one twice is nothing odd', async () => {
    const said = (text: string) => ({ metadata: meta, responses: [{ text: 'a' }], answer: [{ text }] })
    const cwd = folder({ 'topics.jsonl': topics, 'a.jsonl': [said('b')], 'b.jsonl': [said('a')] })
    const { stdout, stderr, code } = await pipe(`${READ} a.jsonl`, { cwd })
    assert.deepEqual([code, lines(stdout)[0].text], [0, 'a'])
    assert.match(stderr, /a\.jsonl:1: "responses" and "answer" are not the same: "responses" is read/)
    assert.doesNotMatch((await pipe(`${READ} b.jsonl`, { cwd })).stderr, /are not the same/)
  })
  it('responses of which none is wanted are bad data', async () => {
    const odd = { metadata: { ...meta, topic_id: 'zz' }, answer: [{ text: 'a' }] }
    const cwd = folder({ 'topics.jsonl': topics, 'odd.jsonl': [odd], 'run.jsonl': responses })
    for (const [args, said] of [
      ['odd.jsonl', /no response is for t1, t2/],
      ['--per topic odd.jsonl', /no response is for t1, t2/],
      ['--topic t2 run.jsonl', /no response is for t2/],
      ['--topic t2 --run r run.jsonl', /no response is for t2/],
    ] as const) {
      const { code, stderr } = await pipe(`${READ} ${args}`, { cwd })
      assert.equal(code, 65, args)
      assert.match(stderr, said)
    }
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
  it('files and folders without responses or grades are told', async () => {
    const cwd = folder({ 'topics.jsonl': [{ request_id: '1', title: 'x' }], 'a.jsonl': '', 'none/.keep': '' })
    const run = (args: string) => pipe(`${READ} ${args}`, { cwd })
    assert.equal((await run('a.jsonl')).stderr, 'jb-read: a.jsonl: no responses\n')
    assert.match((await run('--qrels a.jsonl')).stderr, /a\.jsonl: no grades for 1\n/)
    const none = await run('--responses none')
    assert.deepEqual([none.code, none.stdout], [66, ''])
    assert.match(none.stderr, /none: no files in this folder/)
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
