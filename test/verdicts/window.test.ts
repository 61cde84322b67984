/** A window: several nuggets asked about at once, each read from a line of its own. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadJudge } from '../../src/judges/_load.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { pipe } from '../helpers/run.ts'
import { folder, lines } from '../trec/_cli.ts'

const nuggets = ['n1', 'n2', 'n3'].map((id) => ({ id, text: `fact ${id}`, importance: 'vital' }))
const item = { run_id: 'r', topic_id: 't', title: 'T', text: 'fact n1', nuggets }

describe('reading a window', () => {
  it('takes the last line of each number; what no line says is null', async () => {
    const read = await readerOf(await loadJudge('nugget_assign'))
    const options = (text: string) => {
      const context = { trial: { n: 0, of: 1, nuggets: ['a', 'b', 'c'] }, item: () => ({}) }
      const { each } = read(text, context) as unknown as { each: ({ option: string } | null)[] }
      return each.map((one) => one?.option ?? null)
    }
    assert.deepEqual(options('1. Verdict: support\n2. Verdict: not_support\n3. Verdict: partial_support'), [
      'support',
      'not_support',
      'partial_support',
    ])
    assert.deepEqual(options('**1:** support\n2) perhaps\n1. Verdict: not_support\n7. Verdict: support'), [
      'not_support',
      null,
      null,
    ])
    const grades = await readerOf(await loadJudge('rubric'))
    const context = { trial: { n: 0, of: 1, nuggets: ['a', 'b'] }, item: () => ({}) }
    const { each } = grades('1. Grade: 4\n2. 3', context) as unknown as { each: { score: number }[] }
    assert.deepEqual(
      each.map(({ score }) => score),
      [4, 3],
    )
    assert.throws(
      () => options('Verdict: support'),
      /no line of the reply has a verdict on any of the 3 elements/,
    )
  })
})

describe('a window from item to figures', () => {
  const cwd = folder({ 'items.ndjson': [item] })
  const asked = async (options: string) =>
    lines((await pipe(`jb-render ${options} items.ndjson`, { cwd })).stdout)
  it('--set window=N asks about N at once, 10 where nothing is said; 1 about each', async () => {
    const counts = async (judge: string, more = '') =>
      (await asked(`${judge} ${more}`)).map(({ jb }) => jb.trial.nuggets ?? jb.trial.nugget)
    assert.deepEqual(await counts('nugget_assign'), [['n1', 'n2', 'n3']])
    assert.deepEqual(await counts('nugget_assign', '--set window=2'), [['n1', 'n2'], ['n3']])
    assert.deepEqual(await counts('nugget_assign', '--set window=1'), ['n1', 'n2', 'n3'])
    assert.equal((await counts('rubric')).length, 3)
    assert.equal((await counts('rubric', '--set window=10')).length, 1)
    assert.deepEqual(await counts('nugget_importance --map problem_statement=title'), [['n1', 'n2', 'n3']])
    assert.match(
      (await pipe('jb-render nugget_assign --set window=0 items.ndjson', { cwd })).stderr,
      /window=0/,
    )
    const [{ jb }] = await asked('nugget_assign')
    assert.match(jb.request.messages[1].content, /\n2\. fact n2\n3\. fact n3\n/)
  })
  it('an unread line fails its own nugget: the others have their verdicts', async () => {
    const [row] = await asked('nugget_assign')
    row.jb.reply = { text: '1. Verdict: support\n3. Verdict: not_support', model: 'm' }
    const input = JSON.stringify(row)
    const [scored] = lines((await pipe('jb-parse | jb-score', { cwd, stdin: input })).stdout)
    assert.deepEqual(
      scored.jb.trials.map(
        ({
          trial,
          verdict,
          error,
        }: {
          trial: { nugget: string }
          verdict?: { option: string }
          error?: { code: string }
        }) => [trial.nugget, verdict?.option ?? error?.code],
      ),
      [
        ['n1', 'support'],
        ['n2', 'no_verdict'],
        ['n3', 'not_support'],
      ],
    )
    const board = await pipe('jb-parse | jb-write trec --on-missing default', { cwd, stdin: input })
    assert.match(board.stdout, /r\tt\tSTRICT_ALL_SCORE\t0\.3333333333333333\n/)
  })
  it('a baseline answers each line as it answers one alone', async () => {
    const board = async (window: number) =>
      (
        await pipe(
          `jb-render nugget_assign --set window=${window} items.ndjson | jb-call -q --no-cache -m baseline:random | jb-parse | jb-write trec`,
          { cwd },
        )
      ).stdout
    assert.match(await board(10), /STRICT_ALL_SCORE/)
  })
  it('elements of any name are read line by line, and the share is their mean', async () => {
    const judge =
      'kind: grade\nrange: [0, 1]\neach: { claim: claims }\nset: { window: 20 }\n' +
      'messages: [{ role: user, content: "{% for one in shown %}{{ loop.index }}. {{ one }}\\n{% endfor %}" }]\n' +
      'verdict: { rule: number, name: Supported, example: "Supported: {score}" }\n'
    const items = [
      { id: 'half', claims: ['a', 'b'] },
      { id: 'all', claims: ['c'] },
    ]
    const cwd = folder({ 'claims.yaml': judge, 'items.ndjson': items })
    const trials = lines((await pipe('jb-render claims.yaml items.ndjson', { cwd })).stdout)
    assert.deepEqual(trials[0].jb.trial, { n: 0, of: 1, window: { claim: 'claims' }, claims: ['a', 'b'] })
    trials[0].jb.reply = { text: '1. Supported: 1\n2. Supported: 0', model: 'm' }
    trials[1].jb.reply = { text: '1. Supported: 1', model: 'm' }
    const verdicts = (
      await pipe('jb-parse --judge claims.yaml', {
        cwd,
        stdin: trials.map((row) => JSON.stringify(row)).join('\n'),
      })
    ).stdout
    const report = JSON.parse((await pipe('jb-aggregate', { stdin: verdicts })).stdout)
    assert.equal(report.score, 0.75)
    const [half] = lines((await pipe('jb-score', { stdin: verdicts })).stdout)
    assert.deepEqual(
      half.jb.trials.map(({ trial, verdict }: { trial: object; verdict: { score: number } }) => [
        trial,
        verdict.score,
      ]),
      [
        [{ n: 0, of: 1, claim: 'a' }, 1],
        [{ n: 0, of: 1, claim: 'b' }, 0],
      ],
    )
    assert.equal(half.jb.result.score, 0.5)
    const again = JSON.parse((await pipe('jb-aggregate', { stdin: JSON.stringify(half) })).stdout)
    assert.equal(again.score, 0.5)
  })
  it('no element has the name of what a trial has itself', async () => {
    const cwd = folder({
      'j.yaml':
        'kind: grade\neach: { order: orders }\nmessages: [{ role: user, content: "{{ order }}" }]\nverdict: { rule: number }\n',
    })
    const { code, stderr } = await pipe('jb-render j.yaml', { cwd, stdin: '{"orders":["a"]}' })
    assert.deepEqual([code, /"each" has the name "order", which jb.trial has/.test(stderr)], [78, true])
  })
})
