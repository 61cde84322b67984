import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, lines, sh } from './_cli.ts'

const board = (scores: Record<string, number>, topic = 'all') =>
  Object.entries(scores)
    .map(([run, value]) => `${run} ${topic} M ${value}\n`)
    .join('')

describe('figures of several judges', () => {
  const cwd = folder({
    'truth.txt': board({ a: 4, b: 3, c: 2, d: 1 }),
    'one.txt': board({ a: 4, d: 3, c: 2, b: 1 }),
    'two.txt': board({ b: 4, a: 3, d: 2, c: 1 }),
  })
  it('are rounded after their mean is taken', async () => {
    const all = 'truth.txt --aggregate --correlation kendall one.txt two.txt'
    const { stdout } = await pipe(`jb-agree ${all}`, { cwd })
    assert.deepEqual(lines(stdout), [{ Judges: 2, kendall: 0.1666666667 }])
  })
})

describe('runs that one side lacks', () => {
  const cwd = folder({
    'truth.txt': board({ a: 4, b: 3, c: 2, d: 1 }),
    'judge.txt': board({ a: 3, b: 1, c: 2, z: 9 }),
    'few.txt': board({ a: 1, b: 2 }),
  })
  const compare = async (options: string) =>
    lines((await pipe(`jb-agree truth.txt ${options} judge.txt`, { cwd })).stdout)[0]
  it('are left out, and the row says so', async () => {
    const row = await compare('')
    assert.deepEqual([row.kendall, row.pearson, row.tauap_b], [0.3333333333, 0.5, 0.5])
    assert.deepEqual([row.missing_runs, row.on_missing, row.runs_not_in_truth], [['d'], 'left out', ['z']])
  })
  it('or count as the default, with or without @k', async () => {
    for (const options of [
      '--on-missing default',
      '--on-missing default --correlation kendall,pearson,tauap_b',
    ]) {
      const row = await compare(options)
      assert.deepEqual([row.kendall, row.pearson, row.tauap_b], [0.6666666667, 0.8, 0.6666666667])
      assert.equal(row.on_missing, 'counted as 0')
    }
  })
  it('or end the run', async () => {
    const { code, stderr } = await pipe('jb-agree truth.txt --on-missing error judge.txt', {
      cwd,
    })
    assert.equal(code, 65)
    assert.match(stderr, /judge has no value for d/)
  })
  it('coverage, the top k; too few runs', async () => {
    const row = await compare('--correlation coverage,kendall@2,spearman@3')
    assert.equal(row.coverage, 0.75)
    assert.equal(row['kendall@2'], 1)
    assert.equal(row['spearman@3'], 0.5)
    const { code, stderr } = await pipe('jb-agree few.txt judge.txt', { cwd })
    assert.equal(code, 65)
    assert.match(stderr, /the truth has 2 runs, at least 3/)
    const short = lines((await pipe('jb-agree truth.txt few.txt', { cwd })).stdout)[0]
    assert.equal(short.kendall, null)
  })
  it('runs that tie at place k all count, whatever the order of the rows', async () => {
    const tied = { a: 4, b: 3, c: 2, d: 2, e: 2 }
    const judge = { a: 5, b: 4, c: 6, d: 3, e: 2 }
    const turned = Object.fromEntries(Object.entries(tied).toReversed())
    const dir = folder({ one: board(tied), two: board(turned), judge: board(judge) })
    const of = async (truth: string, ...more: string[]) => {
      const correlation = ['--correlation', 'spearman,spearman@3', ...more].join(' ')
      return lines((await pipe(`jb-agree -q ${truth} ${correlation} judge`, { cwd: dir })).stdout)[0]
    }
    const row = await of('one')
    assert.equal(row['spearman@3'], row.spearman)
    assert.deepEqual(await of('two'), row)
    const original = '--compat autojudge'
    assert.notEqual((await of('two', original))['spearman@3'], (await of('one', original))['spearman@3'])
  })
  it('a name that there is not', async () => {
    for (const name of ['kendal', 'kendall@0', 'coverage@3', 'toString'])
      assert.equal((await pipe(`jb-agree truth.txt --correlation ${name} judge.txt`, { cwd })).code, 2)
  })
})

describe('topic by topic', () => {
  const truth =
    board({ a: 1, b: 2, c: 3 }, 't1') + board({ a: 3, b: 2, c: 1 }, 't2') + board({ a: 1, b: 1, c: 1 }, 't3')
  const judge =
    board({ a: 1, b: 2, c: 3 }, 't1') + board({ a: 1, b: 2, c: 3 }, 't2') + board({ a: 1, b: 2, c: 3 }, 't3')
  const cwd = folder({ 'truth.txt': truth, 'judge.txt': judge })
  const compare = async (options: string) =>
    lines(
      (
        await pipe(`jb-agree truth.txt --from ir_measures ${options} judge.txt`, {
          cwd,
        })
      ).stdout,
    )[0]
  it('the mean of the topics’ correlations, constant ones left out', async () => {
    assert.equal((await compare('--correlation kendall_per_topic')).kendall_per_topic, 0)
  })
  it('"all" is counted anew over the topics that are asked for', async () => {
    assert.equal((await compare('--topic t1')).kendall, 1)
    assert.equal((await compare('--topic t2')).kendall, -1)
  })
  it('Bland and Altman, on declared ranges', async () => {
    const row = await compare("--correlation bland_altman --range '*=1:3'")
    assert.equal(row.ba_resp_bias, Number(((0 + 0 + 0 - 1 + 0 + 1 + 0 + 0.5 + 1) / 9).toFixed(10)))
    assert.equal((await compare('--correlation bland_altman')).ba_sys_bias, null)
  })
})

describe('qrels', () => {
  it('are compared with qrels, topic by topic', async () => {
    const cwd = folder({
      'truth.qrels': 't 0 d1 3\nt 0 d2 0\nt 0 d3 1\nt 0 d4 2\nt 0 d5 1\n',
      'judge.qrels': 't 0 d1 2\nt 0 d2 1\nt 0 d3 1\n',
    })
    const [row, mean] = lines((await pipe('jb-agree truth.qrels --max-grade 3 judge.qrels', { cwd })).stdout)
    assert.deepEqual(
      [row.Precision, row.Recall, row.F1, row.Jaccard, row['Kappa@1v1'], row.Kappa_w, row.TP],
      [0.6667, 0.5, 0.5714, 0.4, -0.3636, 0.0741, 2],
    )
    assert.equal(mean.Topic, 'MEAN')
    assert.ok(
      'Kappa@2v1' in
        lines(
          (await pipe('jb-agree truth.qrels --relevant 2,1 --max-grade 2 judge.qrels', { cwd })).stdout,
        )[0],
    )
  })
  it('a judge’s qrels of runs are a leaderboard', async () => {
    const cwd = folder({
      'truth.txt': board({ a: 1, b: 2, c: 3 }),
      'judge.qrels': 't 0 a 1\nt 0 b 2\nt 0 c 3\nu 0 a 3\nu 0 b 3\nu 0 c 3\n',
    })
    const [row] = lines((await pipe('jb-agree truth.txt judge.qrels', { cwd })).stdout)
    assert.deepEqual([row.EvalMeasure, row.kendall], ['QRELS_GRADE', 1])
  })
})

// Real processes: only these read the descriptor of a pipe or a redirected file.
describe('a leaderboard of a file, a pipe and a redirected file', () => {
  const cwd = folder({ 'truth.txt': board({ a: 1, b: 2, c: 3 }), 'judge.txt': board({ a: 1, b: 2, c: 3 }) })
  for (const input of ['judge.txt', '< judge.txt', '<(cat judge.txt)', '-'])
    it(input, () => {
      const before = input === '-' ? 'cat judge.txt | ' : ''
      const { stdout, stderr } = sh(`${before}jb-agree truth.txt --format json ${input}`, { cwd })
      assert.equal(lines(stdout)[0]?.kendall, 1, stderr)
    })
})

describe('judged rows', () => {
  const rows = ['a', 'b', 'c'].flatMap((run, i) =>
    ['t1', 't2'].map((topic) => ({
      run_id: run,
      topic_id: topic,
      jb: {
        judge: 'mt_bench',
        item: `${run}/${topic}`,
        trial: { n: 0, of: 1 },
        result: { kind: 'grade', score: i },
      },
    })),
  )
  const cwd = folder({ 'truth.txt': board({ a: 1, b: 2, c: 3 }), 'rows.ndjson': rows })
  it('are made a leaderboard first', async () => {
    const { code, stderr } = await pipe('jb-agree truth.txt rows.ndjson', { cwd })
    assert.deepEqual(
      [code, stderr.includes('rows.ndjson holds rows, not a leaderboard: jb-write trec')],
      [2, true],
    )
    const { stdout } = await pipe('jb-write trec rows.ndjson | jb-agree truth.txt', { cwd })
    assert.equal(lines(stdout)[0]?.kendall, 1)
  })
})

describe('values that are no numbers, and second values', () => {
  const sound = board({ a: 4, b: 3, c: 2 }, 't1') + board({ a: 4, b: 3, c: 2 }, 't2')
  const cwd = folder({
    'truth.txt': sound,
    'comma.txt': sound.replace('M 3', 'M 0,5'),
    'twice.txt': `${sound}a t1 M 0\nb all M 9\nb all M 8\n`,
    'empty.txt': '',
    'a.qrels': 't1 0 d 1\nt1 0 e 0\nt2 0 f 1\n',
    'b.qrels': 't1 0 d 1\nt1 0 e 0\nt1 0 d 0\nt2 0 f 1\n',
  })
  const form = '--from ir_measures'
  it('are told with their place, and a comparison of nothing is no success', async () => {
    const ran = await pipe(`jb-agree truth.txt ${form} comma.txt`, { cwd })
    assert.deepEqual([ran.code, ran.stdout], [1, ''])
    assert.match(ran.stderr, /comma\.txt:2: "0,5" is not a number: M is taken for text and not compared/)
    assert.match(ran.stderr, /nothing was compared: no measure in the leaderboards has only numbers/)
    assert.equal((await pipe(`jb-agree truth.txt ${form} empty.txt`, { cwd })).code, 1)
    const twice = await pipe(`jb-agree truth.txt ${form} twice.txt`, { cwd })
    assert.match(twice.stderr, /twice\.txt:7: a second value for run a, topic t1, measure M/)
    assert.match(twice.stderr, /twice\.txt:9: a second "all" row for run b/)
    const grades = await pipe('jb-agree a.qrels b.qrels', { cwd })
    assert.match(grades.stderr, /b\.qrels:3: a second grade for topic t1, document d/)
  })
})
