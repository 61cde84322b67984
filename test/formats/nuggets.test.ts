import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folder, kiddie, lines, piped, sh } from '../trec/_cli.ts'

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
    piped(`jb-parse -q | jb-score --as nuggets ${options}`, {
      input: rows.map((row) => JSON.stringify(row)).join('\n'),
    })
  it('texts are questions or claims, mappings keep what they say', async () => {
    const text =
      'Sure:\n```json\n[{"text": "Basalt cools fast.", "importance": "vital"}, "Why does it?", {"question": "How", "answer": "so"}]\n```'
    const { out, code, err } = await made([reply(topic('t1'), text)])
    assert.equal(code, 0, err)
    const [bank] = lines(out)
    assert.deepEqual([bank.query_id, bank.title_query, bank.format_version], ['t1', 'about t1', 'v3'])
    assert.equal(bank.claim_bank['Basalt cools fast.'].importance, 'vital')
    assert.deepEqual(Object.keys(bank.nugget_bank), ['Why does it?', 'How'])
    assert.deepEqual(Object.keys(bank.nugget_bank.How.answers), ['so'])
  })
  it('in another format, by name', async () => {
    const { out } = await made([reply(topic('t1'), '["a", "b"]')], '--bank nuggetizer')
    assert.equal(out, '{"query":"about t1","qid":"t1","nuggets":[{"text":"a"},{"text":"b"}]}\n')
  })
  it('is added to the bank the topic came with, in that bank’s format; nothing is dropped', async () => {
    const bank = { qid: 't1', query: 'q', nuggets: [{ text: 'a', importance: 'vital', note: 'kept' }] }
    const { out } = await made([
      reply(topic('t1', { bank }), '[{"text": "a", "importance": "okay"}, {"text": "c"}]'),
    ])
    assert.equal(
      out,
      '{"query":"q","qid":"t1","nuggets":[{"text":"a","importance":"okay","note":"kept"},{"text":"c"}]}\n',
    )
  })
  it('a topic whose reply has no list has no bank: told, counted, exit 1', async () => {
    const { out, err, code } = await made([reply(topic('t1'), '["a"]'), reply(topic('t2'), 'I cannot.')])
    assert.equal(code, 1)
    assert.equal(lines(out).length, 1)
    assert.match(err, /no bank for t2 \(no_verdict\)/)
    assert.match(err, /1 topic has no bank/)
  })
  it('what a judge says oddly is kept where it can be; a list without texts is a failure', async () => {
    const odd =
      '[{"text": "a", "importance": " Vital ", "references": "d1"}, {"text": "b", "importance": "crucial", "why": 1, "answers": [2, "x"]}]'
    const { out, code, err } = await made([reply(topic('t1'), odd), reply(topic('t2'), '[{"fact": "a"}]')])
    assert.equal(code, 1)
    const { claim_bank } = lines(out)[0]
    assert.deepEqual([claim_bank.a.importance, claim_bank.a.references], ['vital', [{ doc_id: 'd1' }]])
    assert.deepEqual([claim_bank.b.importance, claim_bank.b.metadata], [undefined, { why: 1 }])
    assert.match(err, /no bank for t2 \(no nugget's text in \{"fact":"a"\}/)
    assert.equal(
      lines((await made([reply(topic('t1'), odd)], '--bank nuggetizer')).out)[0].nuggets[1].importance,
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
    const { err } = await piped('jb-parse -q r.ndjson | jb-score --as nuggets --topics topics.jsonl', { cwd })
    assert.match(err, /topics without a bank: t9/)
    assert.match(err, /banks of topics that are not in --topics: zz/)
    const same = await piped('cat r.ndjson r.ndjson | jb-parse -q | jb-score -q --as nuggets', { cwd })
    assert.deepEqual([same.code, lines(same.out).length], [0, 2])
    const twice = await piped('cat r.ndjson other.ndjson | jb-parse -q | jb-score --as nuggets', { cwd })
    assert.equal(twice.code, 65)
    assert.match(twice.err, /a second bank for topic "t1"/)
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
      (await piped('jb-read nuggets b.jsonl | jb-score --as nuggets', { cwd })).out,
      `${JSON.stringify({ query: 'q', qid: 't1', nuggets: bank.nuggets })}\n`,
    )
    const [argue] = lines(
      (await piped('jb-read nuggets b.jsonl | jb-score --as nuggets --bank argue', { cwd })).out,
    )
    assert.deepEqual(argue.nugget_bank['Why?'].metadata, { assignment: 'support' })
    const back = sh(
      'jb-read nuggets b.jsonl | jb-score --as nuggets --bank argue | jb-read nuggets - | jb-score --as nuggets --bank nuggetizer',
      { cwd },
    )
    assert.deepEqual(lines(back.out)[0].nuggets, bank.nuggets)
    assert.equal(
      (
        await piped('jb-read nuggets --bank own.yaml own.jsonl | jb-score --as nuggets --bank own.yaml', {
          cwd,
        })
      ).out,
      '{"topic":"t","facts":["a"]}\n',
    )
    assert.equal((await piped('jb-read nuggets own.jsonl', { cwd })).code, 65)
    assert.equal((await piped('jb-read nuggets --bank nope b.jsonl', { cwd })).code, 2)
  })
})

describe('the whole way, with a baseline for a judge', () => {
  const cwd = kiddie()
  const items = 'jb-read autojudge --topics topics.jsonl --responses runs'
  const ask = (judge: string) => `jb-render ${judge} | jb-call -m baseline:random | jb-parse`
  it('a bank, importance, assignment, scores', async () => {
    const bank = await piped(
      `${items} --per topic | ${ask('nuggetize')} | jb-score --as nuggets --bank nuggetizer > bank.jsonl`,
      { cwd },
    )
    assert.equal(bank.code, 0, bank.err)
    const weighed = await piped(
      `jb-read autojudge --topics topics.jsonl --nuggets bank.jsonl | ${ask('nugget_importance')} | jb-score --as nuggets > weighed.jsonl; cat weighed.jsonl`,
      { cwd },
    )
    for (const { nuggets } of lines(weighed.out))
      for (const { importance } of nuggets) assert.match(importance, /^(vital|okay)$/)
    const assigned = await piped(
      `${items} --nuggets weighed.jsonl | ${ask('nugget_assign')} | tee v.ndjson | jb-score --as nuggets --bank nuggetizer`,
      { cwd },
    )
    const rows = lines(assigned.out)
    assert.equal(rows.length, 6)
    assert.deepEqual([rows[0].qid, rows[0].run_id, rows[0].response_length], ['t1', 'a', 4])
    const worth: Record<string, number> = { support: 1, partial_support: 0.5, not_support: 0 }
    const { out } = await piped('jb-aggregate --as jsonl v.ndjson', { cwd })
    const board = new Map(
      lines(out).map(({ run_id, topic_id, measure, value }) => [`${run_id} ${topic_id} ${measure}`, value]),
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
    const { out } = await piped(`${items} --nuggets bank.jsonl | jb-render rubric`, { cwd })
    const trials = lines(out).filter(({ run_id }) => run_id === 'a')
    const ids = trials.map(({ jb }) => [jb.item, jb.trial.n, jb.trial.of, jb.trial.nugget])
    assert.deepEqual(ids[0], ['a/t1', 0, trials[0].nuggets.length, trials[0].nuggets[0].id])
    const none = lines((await piped(`${items} | jb-render rubric`, { cwd })).out)
    assert.ok(none.every(({ jb }) => jb.error.code === 'missing_field'))
  })
  it('a threshold on the command line moves the coverage', async () => {
    await piped(`${items} --nuggets bank.jsonl | ${ask('rubric')} > g.ndjson`, { cwd })
    const coverage = async (threshold: number) =>
      (
        await piped(
          `jb-aggregate --as tot --measure NUGGET_COVERAGE --set grade_threshold=${threshold} g.ndjson`,
          {
            cwd,
          },
        )
      ).out
    assert.match(await coverage(0), /a\tNUGGET_COVERAGE\tall\t1\.0\n/)
    assert.match(await coverage(6), /a\tNUGGET_COVERAGE\tall\t0\.0\n/)
    assert.equal((await piped('jb-aggregate --as tot --set grade_threshold=high g.ndjson', { cwd })).code, 78)
  })
})
