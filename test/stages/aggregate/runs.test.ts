/** Judges, versions of a judge, models and sets of items are reported separately, with what made each report. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { VERSION } from '../../../src/options/version.ts'
import { folder } from '../../helpers/folder.ts'
import { game, ndjson } from '../../helpers/rows.ts'
import { objects, staged } from '../../helpers/stage.ts'
import { timeless } from '../../helpers/timeless.ts'
import { report, run, verdicts, written } from './_counts.ts'

test('two versions of a judge are reported separately', async () => {
  const of = (judge_digest: string) => verdicts(3, { jb: { judge_digest } })
  const ran = await run([...of('aaaa'), ...of('bbbb')])
  assert.deepEqual(
    objects(ran.text).map(({ made, items }) => [made.judge_digest, items]),
    [
      ['aaaa', 3],
      ['bbbb', 3],
    ],
  )
  assert.match(
    ran.notes.join('\n'),
    /^judge \S+ rows of several versions of it, reported separately \(aaaa, bbbb\)$/,
  )
})

test('a report says what made it, the same after jb-score and --merge', async (t) => {
  const jb = (n: number) => ({
    judge_digest: 'abcd',
    request: { messages: [{ role: 'user', content: 'q' }], temperature: 0, max_tokens: 9 },
    reply: { text: 't', model: 'm', served_model: 'm-2' },
    trial: { n, of: 2, order: n === 0 ? 'AB' : 'BA' },
  })
  const rows = [0, 1].map((n) => game('p', n, 2, 'A>B', { jb: jb(n) }))
  const { made } = await report(rows)
  assert.deepEqual(made, {
    jb: VERSION,
    judge_digest: 'abcd',
    served_models: ['m-2'],
    parameters: { temperature: 0, max_tokens: 9 },
    orders: ['AB', 'BA'],
  })
  const path = folder(t, { state: (await run(rows, '--partial')).text })
  assert.deepEqual(objects((await run([], '--merge', `${path}/state`)).text)[0].made, made)
  const more = [0, 1].map((n) =>
    game('p', n, 2, 'A>B', {
      jb: { trial: { n, of: 2, order: 'AB', sample: n, seed: '3', criterion: `c${n}` } },
    }),
  )
  assert.deepEqual((await report(more)).made, {
    jb: VERSION,
    orders: ['AB'],
    samples: 2,
    criteria: ['c0', 'c1'],
    seed: '3',
  })
  const table = await run(rows, '--format', 'table')
  assert.match(
    table.text,
    /\njb [\d.]+; judge digest abcd; served models m-2; temperature 0, max_tokens 9; order AB, BA\n$/,
  )
})

test('parameters are those that were sent: of a call that failed only jb-call knew them', async () => {
  const request = { messages: [], temperature: 0 }
  const reply = { text: 't', model: 'm', parameters: { temperature: 1 } }
  const error = { stage: 'call', code: 'bad_request', message: 'HTTP 400', model: 'm' }
  const failed = { judge: 'arena_hard', item: 'q', trial: { n: 0, of: 1 }, request, error }
  const { made, failures } = await report([
    game('p', 0, 1, 'A>B', { jb: { request, reply } }),
    { jb: failed },
  ])
  assert.deepEqual([made.parameters, failures], [{ temperature: 1 }, { bad_request: 1 }])
})

test('the table sets different parameters apart, and cuts a long one short', async () => {
  const schema = { type: 'json_schema', json_schema: { name: 'a name that is long' } }
  const rows = [0, 1].map((temperature, i) => {
    const request = { messages: [], temperature, max_tokens: 9, ...(i === 1 && { response_format: schema }) }
    return game(`p${i}`, 0, 1, 'A>B', { jb: { request } })
  })
  const { text } = await run(rows, '--format', 'table')
  const cut = '{"type":"json_schema","json_schema":{"na…'
  assert.ok(
    text.includes(`temperature 0, max_tokens 9 / temperature 1, max_tokens 9, response_format ${cut};`),
  )
})

test('the table lists failures by their codes, whatever the order of the rows', async () => {
  const rows = ['timeout', 'auth', 'refused'].map((code, i) => {
    const error = { stage: 'call', code, message: 'x', model: 'm' }
    return { jb: { judge: 'vanilla', item: `${i}`, trial: { n: 0, of: 1 }, error } }
  })
  const { text } = await run(
    [...rows, game('p', 0, 1, 'A>B', { jb: { judge: 'vanilla' } })],
    '--format',
    'table',
  )
  assert.match(text, /3 failed \(auth 1, refused 1, timeout 1\)/)
})

test('judges with different valid items: the report says so, --common takes those that are valid for all', async () => {
  const failed = { error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' } }
  const rows = verdicts(6)
  const others = verdicts(6, { jb: { judge: 'vanilla' } }).map((row, i) =>
    i < 2 ? { ...row, jb: { ...row.jb, ...failed } } : row,
  )
  const ran = await run([...rows, ...others])
  assert.ok(ran.notes.some((note) => /different valid items \(6, 4\)/.test(note)))
  assert.ok(objects(ran.text).every(({ same_items }) => same_items === false))
  const common = objects((await run([...rows, ...others], '--common')).text)
  assert.deepEqual(
    common.map(({ items, valid, failed, left_out, correct }) => [items, valid, failed, left_out, correct]),
    [
      [6, 4, 0, 2, 3],
      [6, 4, 2, undefined, 3],
    ],
  )
  assert.equal((await run([...rows, ...verdicts(6, { jb: { judge: 'vanilla' } })])).notes.length, 0)
})

test('lm-eval: filters, runs and models of a folder are never averaged; results carry what failed', async (t) => {
  const { read } = await import('../../../src/stages/read/read.ts')
  const { spec: readSpec } = await import('../../../src/stages/read/options.ts')
  const sample = (filter: string) => ({ doc_id: 0, filter, target: 'x', resps: [['y']] })
  const name = (time: string) => `m/samples_gsm8k_2024-05-01T${time}.jsonl`
  const path = folder(t, {
    [name('10-00-00.1')]: ndjson([sample('strict-match'), sample('flexible-extract')]),
    [name('11-00-00.1')]: ndjson([sample('strict-match')]),
  })
  const files = [name('10-00-00.1'), name('11-00-00.1')].map((file) => `${path}/${file}`)
  const both = objects((await staged(readSpec, read, ['lm-eval', ...files])).text)
  assert.deepEqual(
    both.map(({ jb }) => jb.item),
    [
      'gsm8k:0:2024-05-01T10-00-00.1:strict-match',
      'gsm8k:0:2024-05-01T10-00-00.1:flexible-extract',
      'gsm8k:0:2024-05-01T11-00-00.1:strict-match',
    ],
  )
  const one = objects((await staged(readSpec, read, ['lm-eval', files[0]!])).text)
  assert.deepEqual(
    one.map(({ jb }) => jb.variant),
    ['strict-match', 'flexible-extract'],
  )
  const judged = one.map((row, i) => ({
    ...row,
    jb: { judge: 'j', ...row.jb, verdict: { score: i + 1 }, reply: { text: 't', model: 'm' } },
  }))
  const reports = objects((await run(judged)).text)
  assert.deepEqual(
    reports.map(({ variant, score }) => [variant, score]),
    [
      ['strict-match', 1],
      ['flexible-extract', 2],
    ],
  )
  const failed = {
    ...judged[0]!,
    jb: {
      ...judged[0]!.jb,
      item: 'f',
      verdict: undefined,
      error: { stage: 'call', code: 'timeout', message: 'x', model: 'm' },
    },
  }
  const as = await written([...judged, failed], 'lm-eval', '--save', path, '--max-error-rate', '1')
  const document = {
    'llm_judge,strict-match': 1,
    'llm_judge_failed,strict-match': 1,
    'llm_judge,flexible-extract': 2,
  }
  assert.deepEqual(JSON.parse(as.text), document)
  timeless(path)
  const saved = JSON.parse(readFileSync(`${path}/m/results_now.json`, 'utf8'))
  assert.deepEqual(saved['n-samples'].gsm8k, { original: 2, effective: 2 })
  assert.equal(saved.results.gsm8k['llm_judge_failed,strict-match'], 1)
  assert.equal(saved.results.gsm8k['llm_judge_stderr,flexible-extract'], 'N/A')
})

test('jb-write judgebench: a block for each judge, model and set of responses', async () => {
  const rows = [...verdicts(4), ...verdicts(4, { jb: { judge: 'vanilla' } })]
  assert.equal(
    (await written(rows, 'judgebench')).text,
    '# arena_hard m\nOverall: 50.00%.\n# vanilla m\nOverall: 50.00%.\n',
  )
})

test('jb-write rm-gallery --compat rm-gallery: two games in percent; --baseline that no pair has; --fail-under 60', async () => {
  const games = [0, 1].map((n) => game('p', n, 2, 'A>B'))
  const accuracy = async (...args: string[]) =>
    JSON.parse((await written(games, 'rm-gallery', ...args)).text).overall_accuracy.accuracy
  assert.deepEqual([await accuracy(), await accuracy('--compat', 'rm-gallery')], [1, 100])
  const pairs = [game('p', 0, 1, 'A>B', { model_1: 'gpt-4', model_2: 'x' })]
  const absent = await written(pairs, 'mt-bench-results', '--baseline', 'gpt4')
  assert.match(absent.ending!.message, /--baseline gpt4: no pair is against that model: did you mean gpt-4\?/)
  // FastChat's pairwise-baseline leaves pairs of two others out.
  const versus = (id: string, model_1: string, model_2: string) => game(id, 0, 1, 'A>B', { model_1, model_2 })
  const three = [versus('p', 'a', 'b'), versus('q', 'a', 'c'), versus('r', 'b', 'c')]
  const { text, notes } = await written(three, 'mt-bench-results', '--baseline', 'a')
  assert.match(text, /\nb +0 +1 +0 +0\.0 +1\.0 +0\.0\nc +0 +1 +0 /)
  assert.deepEqual(notes, ['pairs without a, the baseline, in no table: 1'])
  const unlabelled = verdicts(2, { label: null })
  assert.match(
    (await run(unlabelled, '--fail-under', '0.6')).ending!.message,
    /no item has a label \(--label FIELD/,
  )
  for (const [under, hint] of [
    ['60', ' (0.6?)'],
    ['-0.5', ''],
  ] as const)
    assert.deepEqual((await run(games, '--fail-under', under)).ending, {
      code: 2,
      message: `--fail-under ${under}: an accuracy is a share, 0 to 1${hint}`,
    })
})
