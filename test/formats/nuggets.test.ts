import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, kiddie, lines } from '../trec/_cli.ts'

const reply = (item: object, text: string, judge = 'nuggetize') => ({
  ...item,
  jb: {
    judge,
    item: (item as { topic_id: string }).topic_id,
    trial: { n: 0, of: 1 },
    request: { messages: [] },
    reply: { text, model: 'm' },
  },
})

describe('a bank from what a judge made', () => {
  const topic = (topic_id: string, more: object = {}) => ({
    id: topic_id,
    topic_id,
    title: `about ${topic_id}`,
    ...more,
  })
  const made = (rows: object[], options = '') =>
    pipe(`jb-parse -q | jb-write nuggets ${options}`, {
      stdin: rows.map((row) => JSON.stringify(row)).join('\n'),
    })
  it('texts are questions or claims, mappings keep what they say', async () => {
    const text =
      'Sure:\n```json\n[{"text": "Basalt cools fast.", "importance": "vital"}, "Why does it?", {"question": "How", "answer": "so"}]\n```'
    const { stdout, code, stderr } = await made([reply(topic('t1'), text)])
    assert.equal(code, 0, stderr)
    const [bank] = lines(stdout)
    assert.deepEqual([bank.query_id, bank.title_query, bank.format_version], ['t1', 'about t1', 'v3'])
    assert.equal(bank.claim_bank['Basalt cools fast.'].importance, 'vital')
    assert.deepEqual(Object.keys(bank.nugget_bank), ['Why does it?', 'How'])
    assert.deepEqual(Object.keys(bank.nugget_bank.How.answers), ['so'])
  })
  it('in another format, by name', async () => {
    const { stdout } = await made([reply(topic('t1'), '["a", "b"]')], '--bank nuggetizer')
    assert.equal(stdout, '{"query":"about t1","qid":"t1","nuggets":[{"text":"a"},{"text":"b"}]}\n')
  })
  it('is added to the bank the topic came with, in that bank’s format; nothing is dropped', async () => {
    const bank = { qid: 't1', query: 'q', nuggets: [{ text: 'a', importance: 'vital', note: 'kept' }] }
    const { stdout } = await made([
      reply(topic('t1', { bank }), '[{"text": "a", "importance": "okay"}, {"text": "c"}]'),
    ])
    assert.equal(
      stdout,
      '{"query":"q","qid":"t1","nuggets":[{"text":"a","importance":"okay","note":"kept"},{"text":"c"}]}\n',
    )
  })
  it('a topic whose reply has no list has no bank: told, counted, exit 1', async () => {
    const { stdout, stderr, code } = await made([
      reply(topic('t1'), '["a"]'),
      reply(topic('t2'), 'I cannot.'),
    ])
    assert.equal(code, 1)
    assert.equal(lines(stdout).length, 1)
    assert.match(stderr, /no bank for t2 \(no_verdict\)/)
    assert.match(stderr, /1 topic has no bank/)
  })
  it('what a judge says oddly is kept where it can be; a list without texts is a failure', async () => {
    const odd =
      '[{"text": "a", "importance": " Vital ", "references": "d1"}, {"text": "b", "importance": "crucial", "why": 1, "answers": [2, "x"]}]'
    const { stdout, code, stderr } = await made([
      reply(topic('t1'), odd),
      reply(topic('t2'), '[{"fact": "a"}]'),
    ])
    assert.equal(code, 1)
    const { claim_bank } = lines(stdout)[0]
    assert.deepEqual([claim_bank.a.importance, claim_bank.a.references], ['vital', [{ doc_id: 'd1' }]])
    assert.deepEqual([claim_bank.b.importance, claim_bank.b.metadata], [undefined, { why: 1 }])
    assert.match(stderr, /no bank for t2 \(no nugget's text in \{"fact":"a"\}/)
    assert.equal(
      lines((await made([reply(topic('t1'), odd)], '--bank nuggetizer')).stdout)[0].nuggets[1].importance,
      undefined,
    )
  })
  it('topics without a bank, and banks of none, are told', async () => {
    const cwd = folder({
      'topics.jsonl': [
        { request_id: 't1', title: 'x' },
        { request_id: 't9', title: 'y' },
      ],
      'r.ndjson': [reply(topic('t1'), '["a"]'), reply(topic('zz'), '["a"]')],
      'other.ndjson': [reply(topic('t1'), '["b"]')].map(({ jb, ...row }) => ({
        ...row,
        jb: { ...jb, item: 'x' },
      })),
    })
    const { stderr } = await pipe('jb-parse -q r.ndjson | jb-write nuggets --topics topics.jsonl', {
      cwd,
    })
    assert.match(stderr, /topics without a bank: t9/)
    assert.match(stderr, /banks of topics that are not in --topics: zz/)
    const same = await pipe('cat r.ndjson r.ndjson | jb-parse -q | jb-write -q nuggets', { cwd })
    assert.deepEqual([same.code, lines(same.stdout).length], [0, 2])
    const twice = await pipe('cat r.ndjson other.ndjson | jb-parse -q | jb-write nuggets', { cwd })
    assert.equal(twice.code, 65)
    assert.match(twice.stderr, /a second bank for topic "t1"/)
  })
})

describe('bank files', () => {
  const bank = {
    qid: 't1',
    query: 'q',
    nuggets: [{ text: 'Why?', importance: 'vital', assignment: 'support' }],
  }
  it('are read, converted and written', async () => {
    const cwd = folder({
      'b.jsonl': [bank],
      'own.yaml': 'id: topic\nnuggets: facts\n',
      'own.jsonl': [{ topic: 't', facts: ['a'] }],
    })
    assert.equal(
      (await pipe('jb-read nuggets b.jsonl | jb-write nuggets', { cwd })).stdout,
      `${JSON.stringify({ query: 'q', qid: 't1', nuggets: bank.nuggets })}\n`,
    )
    const [argue] = lines(
      (await pipe('jb-read nuggets b.jsonl | jb-write nuggets --bank argue', { cwd })).stdout,
    )
    assert.deepEqual(argue.nugget_bank['Why?'].metadata, { assignment: 'support' })
    const back = await pipe(
      'jb-read nuggets b.jsonl | jb-write nuggets --bank argue | jb-read nuggets - | jb-write nuggets --bank nuggetizer',
      { cwd },
    )
    assert.deepEqual(lines(back.stdout)[0].nuggets, bank.nuggets)
    assert.equal(
      (
        await pipe('jb-read nuggets --bank own.yaml own.jsonl | jb-write nuggets --bank own.yaml', {
          cwd,
        })
      ).stdout,
      '{"topic":"t","facts":["a"]}\n',
    )
    assert.equal((await pipe('jb-read nuggets own.jsonl', { cwd })).code, 65)
    assert.equal((await pipe('jb-read nuggets --bank nope b.jsonl', { cwd })).code, 2)
  })
  const converted = async (made: object, options: string) => {
    const { stdout } = await pipe(`jb-read nuggets | jb-write nuggets ${options}`, {
      stdin: JSON.stringify(made),
    })
    return lines(stdout)[0]
  }
  it('RAGTIME26: a reference with more than its id is kept whole', async () => {
    const references = ['d1', { doc_id: 'd2', text: 't', offsets: { start_offset: 1, end_offset: 2 } }]
    const nugget_bank = [{ question: 'Why?', aggregator_type: 'AND', answers: [{ answer: 'a', references }] }]
    const made = { format_version: 'RAGTIME26', metadata: { topic_id: 't1' }, nugget_bank }
    assert.deepEqual(await converted(made, ''), made)
    assert.deepEqual((await converted(made, '--bank argue')).nugget_bank['Why?'].answers.a.references, [
      { doc_id: 'd1' },
      references[1],
    ])
  })
  it('AutoARGUE: the aggregator Default says nothing, and a bank without questions is one', async () => {
    const argue = { query_id: 't1', format_version: 'v3' }
    assert.deepEqual(await converted(argue, ''), argue)
    const nugget_bank = { 'Why?': { question: 'Why?', query_id: 't1', aggregator_type: 'Default' } }
    const [question] = (await converted({ ...argue, nugget_bank }, '--bank ragtime26')).nugget_bank
    assert.deepEqual(question, { question: 'Why?', answers: [] })
  })
})

describe('the whole way, with a baseline for a judge', () => {
  const cwd = kiddie()
  const items = 'jb-read autojudge --topics topics.jsonl --responses runs'
  const ask = (judge: string) => `jb-render ${judge} | jb-call -m baseline:random | jb-parse`
  it('a bank, importance, assignment, scores', async () => {
    const bank = await pipe(
      `${items} --per topic | ${ask('nuggetize')} | jb-write nuggets --bank nuggetizer > bank.jsonl`,
      { cwd },
    )
    assert.equal(bank.code, 0, bank.stderr)
    const weighed = await pipe(
      `jb-read autojudge --topics topics.jsonl --nuggets bank.jsonl | ${ask('nugget_importance')} | jb-write nuggets > weighed.jsonl; cat weighed.jsonl`,
      { cwd },
    )
    for (const { nuggets } of lines(weighed.stdout))
      for (const { importance } of nuggets) assert.match(importance, /^(vital|okay)$/)
    const assigned = await pipe(
      `${items} --nuggets weighed.jsonl | ${ask('nugget_assign')} | tee v.ndjson | jb-write nuggets --bank nuggetizer`,
      { cwd },
    )
    const rows = lines(assigned.stdout)
    assert.equal(rows.length, 6)
    assert.deepEqual([rows[0].qid, rows[0].run_id, rows[0].response_length], ['t1', 'a', 4])
    const worth: Record<string, number> = { support: 1, partial_support: 0.5, not_support: 0 }
    const { stdout } = await pipe('jb-write jsonl v.ndjson', { cwd })
    const board = new Map(
      lines(stdout).map(({ run_id, topic_id, measure, value }) => [
        `${run_id} ${topic_id} ${measure}`,
        value,
      ]),
    )
    for (const { run_id, qid, nuggets } of rows) {
      const scores = nuggets.map((nugget: { assignment: string }) => worth[nugget.assignment]!) as number[]
      const vital = scores.filter((_, i) => nuggets[i].importance === 'vital')
      const mean = (list: number[]) =>
        list.length === 0 ? 0 : list.reduce((sum, one) => sum + one, 0) / list.length
      assert.equal(board.get(`${run_id} ${qid} ALL_SCORE`), mean(scores))
      assert.equal(board.get(`${run_id} ${qid} VITAL_SCORE`), mean(vital))
      assert.equal(
        board.get(`${run_id} ${qid} STRICT_ALL_SCORE`),
        mean(scores.map((one) => Number(one === 1))),
      )
    }
  })
  it('a trial for each nugget, known by the nugget’s id; an item without nuggets fails', async () => {
    const { stdout } = await pipe(`${items} --nuggets bank.jsonl | jb-render rubric`, { cwd })
    const trials = lines(stdout).filter(({ run_id }) => run_id === 'a')
    const ids = trials.map(({ jb }) => [jb.item, jb.trial.n, jb.trial.of, jb.trial.nugget])
    assert.deepEqual(ids[0], ['a/t1', 0, trials[0].nuggets.length, trials[0].nuggets[0].id])
    const none = lines((await pipe(`${items} | jb-render rubric`, { cwd })).stdout)
    assert.ok(none.every(({ jb }) => jb.error.code === 'missing_field'))
  })
  it('a threshold on the command line moves the coverage', async () => {
    await pipe(`${items} --nuggets bank.jsonl | ${ask('rubric')} > g.ndjson`, { cwd })
    const coverage = async (threshold: number) =>
      (
        await pipe(`jb-write tot --measure NUGGET_COVERAGE --set grade_threshold=${threshold} g.ndjson`, {
          cwd,
        })
      ).stdout
    const words = async (args: string) => (await pipe(`jb-write ${args} g.ndjson`, { cwd })).stderr
    const own =
      /: NUGGET_COVERAGE, COVERED_COUNT: grade_threshold is 4, as in the judge's file \(if jb-render had --set grade_threshold=…/
    assert.match(await words('trec'), own)
    assert.match(await words('qrels --measure COVERED_COUNT'), /: COVERED_COUNT: grade_threshold is 4/)
    for (const args of ['trec --set grade_threshold=4', 'trec --measure AVG_GRADE'])
      assert.doesNotMatch(await words(args), /grade_threshold/)
    assert.match(await coverage(0), /a\tNUGGET_COVERAGE\tall\t1\.0\n/)
    assert.match(await coverage(6), /a\tNUGGET_COVERAGE\tall\t0\.0\n/)
    assert.equal((await pipe('jb-write tot --set grade_threshold=high g.ndjson', { cwd })).code, 78)
  })
})
