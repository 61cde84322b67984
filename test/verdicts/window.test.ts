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
})
