/** Labels that other tools keep: fixtures/annotations (versions.json) is what MLflow, Phoenix, DeepEval and Langfuse's client wrote. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { messagesOf } from '../../src/chat/message.ts'
import { transcript } from '../../src/chat/transcript.ts'
import { folder } from '../helpers/folder.ts'
import { ndjson, rowsOf as typedRows } from '../helpers/rows.ts'
import { fine, jb, pipe, type Ran, ROOT } from '../helpers/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: what stands in rows is the point of each test
const rowsOf = (ran: Ran): any[] => typedRows(ran)

const HERE = join(ROOT, 'fixtures/annotations')
const text = (name: string) => readFileSync(join(HERE, name), 'utf8')
const read = (...args: string[]) => jb('read', args, { cwd: HERE })

const SEVEN = '[1] user\n  Was order 7 sent?\n[2] assistant\n  It was sent on Monday.'
const told = ({ messages }: { messages: unknown }) => transcript(messagesOf(messages))

// biome-ignore lint/suspicious/noExplicitAny: rows of any format
const said = ({ annotations }: any): string[] =>
  annotations.map(
    ({ name, value, source, by, note, error }: { [key: string]: unknown }) =>
      `${name}=${JSON.stringify(value)} ${source} ${by}${note ? ` (${note})` : ''}${error ? ` !${error}` : ''}`,
  )

const MLFLOW = [
  ['thumbs=true HUMAN ann (clear)', 'correct="yes" LLM_JUDGE gpt-6-luna'],
  [
    ...['thumbs=false HUMAN ann', 'correct="yes" LLM_JUDGE gpt-6-luna', 'thumbs=true HUMAN ben'],
    // 3 was overridden by 4.
    ...[
      'tone=4 HUMAN ann',
      'safe=null LLM_JUDGE gpt-6-luna !cut short',
      'facts=["order 8","not sent"] HUMAN ann',
    ],
  ],
  [],
]

test('mlflow: the export of its command and the rows of search_traces', async () => {
  for (const name of ['mlflow.json', 'mlflow-frame.jsonl']) {
    const rows = rowsOf(await read('mlflow', name))
    assert.deepEqual(rows.map(said), MLFLOW, name)
    const [first, second, broken] = rows
    assert.equal(told(first), SEVEN)
    assert.deepEqual(
      [first.name, first.model, first.response],
      ['shop', 'gpt-6-luna', 'It was sent on Monday.'],
    )
    assert.equal(first.request.question, 'Was order 7 sent?')
    assert.deepEqual(second.expectations, { facts: ['order 8', 'not sent'] })
    assert.deepEqual(
      [broken.jb.error.code, broken.jb.error.message],
      ['source_failed', 'ValueError: no stock list'],
    )
  }
})

test('mlflow: a trace alone, one a line, and what models’ APIs and LangChain are asked and answer', async (t) => {
  const [trace] = JSON.parse(text('mlflow.json')).traces
  const forms = [
    [
      { messages: [{ role: 'user', content: 'Q' }] },
      { choices: [{ message: { role: 'assistant', content: 'A' } }] },
    ],
    [
      { messages: [[{ type: 'human', content: 'Q' }]] },
      { generations: [[{ text: 'A', message: { type: 'ai', content: 'A' } }]] },
    ],
    [
      { input: 'Q' },
      { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] }] },
    ],
    [
      { messages: [{ role: 'user', content: 'Q' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'A' }] },
    ],
  ]
  const lines = forms.map(([asked, answered], i) => {
    const one = structuredClone(trace)
    one.info.trace_id = `t${i}`
    const { attributes } = one.data.spans[1]
    attributes['mlflow.spanInputs'] = JSON.stringify(asked)
    attributes['mlflow.spanOutputs'] = JSON.stringify(answered)
    return one
  })
  const cwd = folder(t, { 'one.json': JSON.stringify(trace, null, 2), 'all.jsonl': ndjson(lines) })
  const [row] = rowsOf(fine(await jb('read', ['mlflow', 'one.json'], { cwd })))
  assert.equal(told(row), SEVEN)
  for (const one of rowsOf(fine(await jb('read', ['mlflow', 'all.jsonl'], { cwd }))))
    assert.equal(told(one), '[1] user\n  Q\n[2] assistant\n  A', one.id)
})

test('phoenix: the answers of its API, and its data frames', async () => {
  const rows = rowsOf(
    fine(
      await read(
        'phoenix',
        'phoenix-spans.json',
        'phoenix-annotations.json',
        'phoenix-trace-annotations.json',
      ),
    ),
  )
  const [second, first] = rows
  assert.deepEqual(said(first), ['thumbs=1 HUMAN ann'])
  assert.deepEqual(said(second), [
    'thumbs=0 HUMAN ann',
    'correct=0.5 LLM null (in part)',
    'topic="delivery" HUMAN null',
  ])
  assert.deepEqual([told(first), first.model, first.annotations[0].label], [SEVEN, 'gpt-6-luna', 'up'])
  const framed = rowsOf(fine(await read('phoenix', 'phoenix-frame-annotations.csv', 'phoenix-frame.jsonl')))
  assert.deepEqual(
    framed.map((row) => [told(row), row.id, row.span, row.model]),
    rows.map((row) => [told(row), row.id, row.span, row.model]),
  )
  assert.deepEqual(said(framed[0]).sort(), ['correct="0.5" LLM null (in part)', 'thumbs="0.0" HUMAN ann'])
  const alone = await read('phoenix', 'phoenix-annotations.json')
  assert.equal(alone.code, 65)
  assert.match(alone.stderr, /3 annotations are of spans that are in no file: give the file of the spans too/)
})

test('deepeval: a test run, of single answers and of conversations', async () => {
  const [seven, second, turns] = rowsOf(fine(await read('deepeval', 'deepeval.json', 'deepeval-turns.json')))
  assert.deepEqual(
    [seven.id, seven.question, seven.answer, seven.reference, seven.contexts, seven.pass],
    ['seven', 'Was order 7 sent?', 'It was sent on Monday.', 'Yes.', ['order 7: sent'], false],
  )
  assert.deepEqual(said(seven), ['Short=0.2 LLM gpt-6-luna (22 characters)'])
  assert.deepEqual([second.id, second.pass], ['test_case_1', true])
  assert.match(
    told(turns),
    /^\[1\] user\n {2}Was order 7 sent\?\n\[2\] assistant\n {2}It was sent on Monday\.\n\[2\] assistant calls find\n {2}\{"order":7\}/,
  )
  const scored = rowsOf(
    fine(
      await pipe('jb-read deepeval deepeval.json | jb-parse -q --judge tool_correctness', {
        cwd: HERE,
      }),
    ),
  )
  assert.equal(scored[0].jb.verdict.score, 1)
})

/** A score as each export of Langfuse has it: its table, version 2 of its API, blob storage, version 3 of its API. */
const SCORES = {
  'table.json': [
    {
      id: 's1',
      traceId: 't1',
      source: 'ANNOTATION',
      name: 'thumbs',
      dataType: 'BOOLEAN',
      value: 1,
      stringValue: 'True',
      observationId: null,
      authorUserName: 'ann',
    },
    {
      id: 's2',
      traceId: 't2',
      source: 'API',
      name: 'liked',
      dataType: 'CATEGORICAL',
      value: 0,
      stringValue: 'yes',
      observationId: 'o2',
      authorUserName: null,
    },
    {
      id: 's3',
      traceId: null,
      sessionId: 'c1',
      source: 'ANNOTATION',
      name: 'calm',
      dataType: 'NUMERIC',
      value: 4,
      stringValue: null,
    },
  ],
  'v2.json': {
    data: [
      {
        id: 's1',
        traceId: 't1',
        source: 'ANNOTATION',
        name: 'thumbs',
        dataType: 'BOOLEAN',
        value: 1,
        stringValue: 'True',
        authorUserId: 'ann',
      },
      {
        id: 's2',
        traceId: 't2',
        source: 'API',
        name: 'liked',
        dataType: 'CATEGORICAL',
        value: 0,
        stringValue: 'yes',
        observationId: 'o2',
      },
    ],
    meta: { page: 1 },
  },
  'blob.jsonl': [
    {
      id: 's1',
      project_id: 'p',
      trace_id: 't1',
      observation_id: null,
      source: 'ANNOTATION',
      name: 'thumbs',
      data_type: 'BOOLEAN',
      value: 1,
      string_value: null,
      author_user_id: 'ann',
    },
    {
      id: 's2',
      project_id: 'p',
      trace_id: 't2',
      observation_id: 'o2',
      source: 'API',
      name: 'liked',
      data_type: 'CATEGORICAL',
      value: 0,
      string_value: 'yes',
      author_user_id: null,
    },
  ],
}

const OBSERVED = {
  'observations.json': ['t1', 't2'].map((traceId) => ({
    ...{ id: `o-${traceId}`, traceId, type: 'GENERATION', startTime: '2026-01-01T00:00:00Z', model: 'm' },
    ...{ input: [{ role: 'user', content: 'Q' }], output: { role: 'assistant', content: 'A' } },
  })),
  'blob-observations.jsonl': ['t1', 't2'].map((trace_id) => ({
    ...{ id: `o-${trace_id}`, project_id: 'p', trace_id, type: 'GENERATION', parent_observation_id: '' },
    ...{
      start_time: '2026-01-01 00:00:00.000000',
      provided_model_name: 'm',
      trace_name: 'shop',
      session_id: 'c1',
    },
    ...{ input: '[{"role":"user","content":"Q"}]', output: 'A' },
  })),
  'traces.json': ['t1', 't2'].map((id) => ({
    id,
    timestamp: '2026-01-01T00:00:00Z',
    name: 'shop',
    input: 'Q',
    output: 'A',
  })),
}

const langfuseFolder = (t: TestContext) =>
  folder(
    t,
    Object.fromEntries(
      Object.entries({ ...SCORES, ...OBSERVED }).map(([name, one]) => [
        name,
        name.endsWith('l') ? ndjson(one as object[]) : JSON.stringify(one, null, 1),
      ]),
    ),
  )

test('langfuse: scores of its tables, of blob storage and of its API, with observations or traces', async (t) => {
  const cwd = langfuseFolder(t)
  const reading = (...files: string[]) => jb('read', ['langfuse', ...files], { cwd })
  for (const scores of Object.keys(SCORES))
    for (const observed of Object.keys(OBSERVED)) {
      const [first, second, ...more] = rowsOf(await reading(scores, observed))
      const files = `${scores} ${observed}`
      assert.deepEqual(more, [], files)
      assert.deepEqual([told(first), told(second)], Array(2).fill('[1] user\n  Q\n[2] assistant\n  A'), files)
      assert.deepEqual(said(first), ['thumbs=true ANNOTATION ann'], files)
      assert.deepEqual(second.annotations, [
        { name: 'liked', value: 'yes', source: 'API', by: null, span: 'o2' },
      ])
    }
  const { stderr } = await reading('table.json', 'traces.json')
  assert.match(stderr, /1 scores are of sessions or experiments: left out/)
  const csv = 'id,traceId,source,name,dataType,value,stringValue\ns1,t1,ANNOTATION,thumbs,BOOLEAN,0,False\n'
  const ran = await jb('read', ['langfuse', '-'], { stdin: csv })
  assert.deepEqual(said(rowsOf(ran)[0]), ['thumbs=false ANNOTATION null'])
  const bare = JSON.stringify({ id: 's', name: 'thumbs', source: 'API', dataType: 'BOOLEAN', value: true })
  assert.match(
    (await jb('read', ['langfuse', '-'], { stdin: bare })).stderr,
    /fields=subject,annotation,details/,
  )
})

test('langfuse: a page of scores in version 3, as its client writes it', async () => {
  const rows = rowsOf(await read('langfuse', 'langfuse-scores-v3.json'))
  assert.deepEqual(rows.map(said), [
    ['thumbs=true ANNOTATION ann (clear)'],
    ['thumbs=false ANNOTATION ann', 'correct=0.5 EVAL null', 'liked="yes" API null'],
  ])
})

/** Traces of each tool: who gave them thumbs up or down in `thumbs`, one in three the other way round than a baseline. */
const MANY = Array.from({ length: 50 }, (_, i) => ({ id: `t${String(i).padStart(2, '0')}`, good: i % 3 > 0 }))

const [traceOf] = JSON.parse(text('mlflow.json')).traces
const TOOLS: { [tool: string]: { [file: string]: object[] } } = {
  mlflow: {
    'traces.jsonl': MANY.map(({ id, good }) => {
      const one = structuredClone(traceOf)
      Object.assign(one.info, { trace_id: id })
      one.info.assessments[0].feedback.value = good
      return one
    }),
  },
  langfuse: {
    'observations.jsonl': MANY.map(({ id }) => ({
      ...OBSERVED['observations.json'][0],
      id: `o-${id}`,
      traceId: id,
    })),
    'scores.jsonl': MANY.map(({ id, good }) => ({
      ...SCORES['table.json'][0],
      traceId: id,
      value: Number(good),
    })),
  },
  phoenix: {
    'spans.jsonl': MANY.map((_, i) => {
      const [, span] = JSON.parse(text('phoenix-spans.json')).data
      const [trace_id, span_id] = [32, 16].map((length) => i.toString(16).padStart(length, 'a'))
      return { ...span, parent_id: null, context: { trace_id, span_id } }
    }),
    'annotations.jsonl': MANY.map(({ good }, i) => ({
      ...{
        span_id: i.toString(16).padStart(16, 'a'),
        name: 'thumbs',
        annotator_kind: 'HUMAN',
        identifier: 'ann',
      },
      result: { label: good ? 'up' : 'down', score: Number(good), explanation: null },
    })),
  },
}

for (const [tool, files] of Object.entries(TOOLS))
  test(`50 traces of ${tool} with people’s thumbs: how good is the judge?`, async (t) => {
    const texts = Object.fromEntries(Object.entries(files).map(([name, rows]) => [name, ndjson(rows)]))
    const cwd = folder(t, texts)
    const names = Object.keys(files)
    fine(await pipe(`jb-read ${tool} ${names.join(' ')} -o rows.jsonl`, { cwd }))
    const judged =
      'jb-render pass_fail --set criterion=helped --map answer=messages rows.jsonl | jb-call -q -m baseline:random | jb-parse -q > verdicts.ndjson'
    fine(await pipe(judged, { cwd }))
    // What people and the judge said, counted by hand.
    const verdicts = rowsOf(fine(await pipe('cat verdicts.ndjson', { cwd })))
    const good = new Map(verdicts.map(({ id }, i) => [id, MANY[i]!.good]))
    const same = verdicts.filter(
      ({ id, jb }) => jb.verdict.option === (good.get(id) ? 'PASS' : 'FAIL'),
    ).length
    for (const file of ['rows.jsonl', ...(tool === 'phoenix' ? [] : names.slice(-1))])
      for (const label of [['--label', 'thumbs'], tool === 'mlflow' ? ['--label', 'thumbs'] : []]) {
        const cards = rowsOf(
          fine(
            await jb('audit', ['--format', 'json', '--truth', file, ...label, 'verdicts.ndjson'], { cwd }),
          ),
        )
        const agreement = cards.find(({ section }) => section === 'agreement')
        assert.deepEqual([agreement.items, agreement.po], [50, same / 50], `${tool} ${file}`)
      }
    const report = JSON.parse(
      fine(
        await jb(
          'aggregate',
          ['--format', 'json', '--labels', 'rows.jsonl', '--label', 'thumbs', 'verdicts.ndjson'],
          { cwd },
        ),
      ).stdout,
    )
    assert.deepEqual([report.labels, report.compared, report.agreement], [50, 50, same / 50])
  })

test('of several labels one is named, and those of judges only by their source', async (t) => {
  const cwd = folder(t, {
    'traces.json': text('mlflow.json'),
    'scores.json': JSON.stringify(SCORES['table.json'], null, 1),
    'own.jsonl': ndjson([{ id: traceOf.info.trace_id, label: 'PASS', annotations: [] }]),
    'none.json': JSON.stringify({ traces: [{ ...traceOf, info: { ...traceOf.info, assessments: [] } }] }),
  })
  fine(
    await pipe(
      'jb-read -q mlflow traces.json | jb-render -q pass_fail --set criterion=helped --map answer=messages | jb-call -q -m baseline:random | jb-parse -q > v.ndjson',
      { cwd },
    ),
  )
  const audit = (...args: string[]) => jb('audit', ['--format', 'json', ...args, 'v.ndjson'], { cwd })
  const there =
    /traces\.json: people gave several labels: there are thumbs \(3\), LLM_JUDGE:correct \(2\), tone \(1\), LLM_JUDGE:safe \(1\), facts \(1\) \(--label NAME takes one\)/
  for (const [args, message] of [
    [['--truth', 'traces.json'], there],
    [['--truth', 'traces.json', '--label', 'correct'], /no label is called "correct": there are thumbs/],
    [
      ['--truth', 'scores.json', '--label', 'liked'],
      /no label is called "liked": there are thumbs \(1\), API:liked \(1\)/,
    ],
    [['--truth', 'none.json'], /no label is a person’s, and there is no other/],
  ] as [string[], RegExp][]) {
    const ran = await audit(...args)
    assert.deepEqual([ran.code, ran.stdout], [65, ''])
    assert.match(ran.stderr, message)
  }
  // Two people, told apart by their names.
  const cards = rowsOf(await audit('--truth', 'traces.json', '--label', 'thumbs'))
  assert.equal(cards.find(({ section }) => section === 'annotators').annotators, 2)
  // A column of the file goes before annotations.
  const [own] = rowsOf(
    await jb('aggregate', ['--format', 'json', '--labels', 'own.jsonl', 'v.ndjson'], { cwd }),
  )
  assert.deepEqual([own.labels, own.compared], [1, 1])
  const others = await audit(
    '--truth',
    'traces.json',
    '--label',
    'LLM_JUDGE:correct',
    '--label-map',
    'yes=PASS',
  )
  assert.equal(rowsOf(others).find(({ section }) => section === 'agreement').items, 2)
})

test('jb-write mlflow: an assessment a line, with the judge and why; a failed item has its error', async (t) => {
  const cwd = folder(t, { 'traces.json': text('mlflow.json') })
  const ran = fine(
    await pipe(
      'jb-read -q mlflow traces.json | jb-render -q task_completion --name done | jb-call -q -m baseline:first | jb-parse -q | jb-write mlflow',
      { cwd },
    ),
  )
  const [first, , failed] = rowsOf(ran)
  assert.deepEqual(
    [first.assessment_name, first.trace_id, first.source, first.feedback, first.rationale],
    [
      ...['done', traceOf.info.trace_id, { source_type: 'CODE', source_id: 'baseline:first' }],
      ...[{ value: 'complete' }, 'A baseline, which does not read.'],
    ],
  )
  assert.deepEqual(
    [first.metadata['jb.judge'], first.metadata['jb.judge.model']],
    ['task_completion', 'baseline:first'],
  )
  assert.deepEqual(failed.feedback, {
    value: null,
    error: { error_code: 'source_failed', error_message: 'ValueError: no stock list' },
  })
})
