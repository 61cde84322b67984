/** What is missing, and what types values have. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, lines } from './_cli.ts'

const truth = 'a all T 4\nb all T 3\nc all T 2\nd all T 1\na all U 1\nb all U 2\nc all U 3\nd all U 4\n'
const cwd = folder({
  'truth.txt': truth,
  'judge.txt': 'a all M 4\nb all M 3\nc all M 2\nd all M 1\nz all M 9\n',
  'nan.txt': 'a all M 4\nb all M nan\nc all M 2\nd all M 1\n',
  'topics.txt':
    'a 1 M 1\na 2 M 3\nb 1 M 1\nb 2 M nan\nc 1 M 0\na all M 2\nb all M nan\nc all M 0\nd 1 M 2\nd 2 M 2\nd all M 2\n',
  'nan.jsonl':
    '{"run_id": "a", "topic_id": "1", "measure": "M", "value": NaN}\n{"run_id": "NaN", "topic_id": "1", "measure": "M", "value": 1.5}\n',
  'typed.eval.txt': 'a\t1\tWORDS\t57\na\t1\tCLASS\t1\na\t2\tWORDS\t60\na\t2\tCLASS\t2\n',
  'typed.eval.measures.yml': 'measures:\n- {name: WORDS, dtype: int}\n- {name: CLASS, dtype: str}\n',
  'truth.qrels': 't 0 d 1\nt 0 e 0\nu 0 d 1\n',
  'judge.qrels': 't 0 d 1\nt 0 e 0\nv 0 d 1\n',
})
const run = (options: string) => pipe(`jb-agree truth.txt ${options}`, { cwd })
const rows = async (options: string) => lines((await run(options)).stdout)

describe('what one side lacks', () => {
  it('a run that the truth lacks, a topic or a value ends --on-missing error', async () => {
    for (const [file, message] of [
      ['judge.txt', /judge has runs that the truth lacks: z/],
      ['nan.txt', /nan\.txt:2: M is NaN/],
      ['topics.txt', /topics\.txt: run c, topic 2: no value/],
    ] as const) {
      const { code, stderr } = await run(`--on-missing error ${file}`)
      assert.equal(code, 65)
      assert.match(stderr, message)
    }
  })
  it('NaN is a missing value: left out, or the default; "all" is counted from the topics that have one', async () => {
    const [left] = await rows('--truth-measure T nan.txt')
    assert.deepEqual([left.kendall, left.missing_runs], [1, ['b']])
    const [filled] = await rows('--truth-measure T --on-missing default nan.txt')
    assert.deepEqual([filled.kendall, filled.on_missing], [0.3333333333, 'counted as 0'])
    const { stderr } = await run('topics.txt')
    assert.match(stderr, /topics\.txt:4: 2 values are NaN: left out/)
    assert.match(stderr, /run c has no value for topic 2/)
  })
  it('--compat autojudge takes NaN for a value, as the original does', async () => {
    const [row] = await rows('--truth-measure T --compat autojudge nan.txt')
    assert.deepEqual([row.kendall, row.tauap_b, 'missing_runs' in row], [1, null, false])
  })
  it('--compat autojudge: figures of autojudge-evaluate 1.1.0 with an infinity, and with no grade that is relevant', async () => {
    const board = (measure: string, values: (number | string)[]) =>
      values.map((value, i) => `${'abcd'[i]} all ${measure} ${value}\n`).join('')
    const own = folder({
      'truth.txt': board('T', [1, 2, 3, 4]),
      'judge.txt': board('M', [1, 3, 2, 'inf']),
      'truth.qrels': 't 0 d 2\nt 0 e 2\n',
      'judge.qrels': 't 0 d 1\n',
    })
    const methods = ['kendall', 'pearson', 'spearman', 'tauap_b', 'tau_gap']
    const asked = methods.map((name) => `--correlation ${name}`).join(' ')
    const [row] = lines(
      (await pipe(`jb-agree truth.txt judge.txt --compat autojudge ${asked}`, { cwd: own })).stdout,
    )
    assert.deepEqual(
      methods.map((name) => row[name]),
      [0.3333333333, 0.5, 0.5, 0.6666666667, 0.6666666667],
    )
    const grades =
      'jb-agree truth.qrels judge.qrels --compat autojudge --max-grade 2 --relevant 3,1 --on-missing default'
    const [topic] = lines((await pipe(grades, { cwd: own })).stdout)
    assert.deepEqual([topic.Precision, topic.TP, topic.FP, topic.FN], [0, 0, 1, 0])
  })
  it('topics of qrels', async () => {
    const qrels = (options: string) => pipe(`jb-agree truth.qrels ${options} judge.qrels`, { cwd })
    const warned = await qrels('')
    assert.deepEqual(
      lines(warned.stdout).map(({ Topic }) => Topic),
      ['t', 'MEAN'],
    )
    assert.match(warned.stderr, /no grades for topics u; topics that the truth lacks: v: left out/)
    assert.equal((await qrels('--on-missing error')).code, 65)
    const counted = await qrels('--on-missing default')
    assert.equal(lines(counted.stdout).length, 4)
    assert.match(counted.stderr, /topic u: Kappa@1 is undefined|topic u: ARI/)
    assert.match((await qrels('--relevant 2')).stderr, /--relevant 2 is above --max-grade 1/)
  })
})

it('a line that was no JSON is left out under --bad-rows pass, with a note; the grades are written', async () => {
  const row = (text: string, score: number) =>
    JSON.stringify({
      run_id: 'a',
      topic_id: text,
      text,
      sentences: [{ text, citations: [] }],
      jb: { judge: 'relevance', item: text, trial: { n: 0, of: 1 }, verdict: { score, range: [0, 3] } },
    })
  writeFileSync(join(cwd, 'grades.ndjson'), `${row('x', 2)}\n{"run_id":\n${row('y', 1)}\n`)
  const { code, stdout, stderr } = await pipe('jb-write qrels --bad-rows pass grades.ndjson', {
    cwd,
  })
  assert.equal(code, 0, stderr)
  assert.deepEqual(stdout.match(/\d$/gm)?.sort(), ['1', '2'])
  assert.match(stderr, /:2: the row failed and has no "run_id" and "topic_id": it is left out/)
})

describe('measures and pairs', () => {
  it('a measure that is not there is an error', async () => {
    for (const option of ['--measure N', '--truth-measure N', '--run q']) {
      const { code, stderr } = await run(`${option} judge.txt`)
      assert.equal(code, 2, stderr)
    }
  })
  it('--run, --only-shared runs and --aggregate', async () => {
    const [few] = await rows('--run a --run b --run c --truth-measure T judge.txt')
    assert.deepEqual([few.kendall, few.runs_not_in_truth], [1, undefined])
    const [shared] = await rows('--only-shared runs --truth-measure U judge.txt')
    assert.deepEqual([shared.kendall, shared.runs_not_in_truth], [-1, undefined])
    assert.deepEqual(await rows('--aggregate --correlation kendall judge.txt'), [{ Judges: 2, kendall: 0 }])
  })
  it('--diagnostics-dir: what was compared, run by run', async () => {
    await run('--truth-measure T --diagnostics-dir out --correlation kendall@3 judge.txt')
    const made = (name: string) => readFileSync(join(cwd, 'out/judge/T__M', name), 'utf8')
    assert.equal(
      made('kendall@3.jsonl').split('\n')[3],
      '{"run":"d","truth_score":1.0,"eval_score":1.0,"in_top_k":false,"kept":false,"issue":null}',
    )
    assert.equal(
      made('kendall@3.ranking.tsv'),
      'run\teval_score\ttruth_score\na\t4.0\t4.0\nb\t3.0\t3.0\nc\t2.0\t2.0\n',
    )
  })
})

describe('names', () => {
  const response = (run: string, topic: string) => ({
    metadata: { team_id: 'o', run_id: run, topic_id: topic },
    responses: [{ text: 'x' }],
  })
  it('a TAB or a line end in a run or topic is refused with its place', async () => {
    const cwd = folder({
      'topics.jsonl': [{ request_id: 't', title: 'T' }],
      'bad.jsonl': [{ request_id: 't\tu', title: 'T' }],
      'runs/a.jsonl': [response('a', 't'), response('a\nb', 't')],
    })
    const tab = await pipe('jb-read autojudge --topics bad.jsonl', { cwd })
    assert.match(
      tab.stderr,
      /bad\.jsonl:1: "request_id" is "t\\tu": a leaderboard cannot hold a name with U\+0009/,
    )
    const end = await pipe('jb-read autojudge --topics topics.jsonl --responses runs', { cwd })
    assert.match(end.stderr, /a\.jsonl:2: metadata\.run_id is "a\\nb"/)
    assert.deepEqual([tab.code, end.code], [65, 65])
  })
  it('a topic called all is reported', async () => {
    const cwd = folder({
      'topics.jsonl': [{ request_id: 'all', title: 'T' }],
      'runs/a.jsonl': [response('a', 'all')],
    })
    const { stderr, code } = await pipe('jb-read autojudge --topics topics.jsonl --responses runs', { cwd })
    assert.match(stderr, /topics\.jsonl:1: a topic is called "all"/)
    assert.equal(code, 0)
  })
})

describe('folders', () => {
  it('a folder of trec_eval files is a leaderboard, one of nugget documents is qrels', async () => {
    const cwd = folder({
      'runs/a': 'M all 3\n',
      'runs/b': 'M all 2\n',
      'runs/c': 'M all 1\n',
      'judge.txt': 'a all N 1\nb all N 2\nc all N 3\n',
      'docs/nuggets_t.json':
        '{"what?":["OR",{"OPEN_ENDED_ANSWER":["d","e"]}],"why?":["OR",{"OPEN_ENDED_ANSWER":["d"]}]}',
      'judge.qrels': 't 0 d 1\nt 0 f 1\n',
    })
    const compared = async (options: string) => {
      const { stdout, stderr, code } = await pipe(`jb-agree ${options}`, { cwd })
      assert.equal(code, 0, stderr)
      return lines(stdout)[0]
    }
    const row = await compared('runs --from trec_eval, --correlation kendall judge.txt')
    assert.deepEqual([row.TruthMeasure, row.kendall], ['M', -1])
    const { TP, FP, FN } = await compared('docs judge.qrels')
    assert.deepEqual([TP, FP, FN], [1, 1, 1])
  })
})

describe('types and NaN in files', () => {
  it('a bare NaN is read as Python writes it, and is a missing value', async () => {
    const { stdout, code } = await pipe('jb-read jsonl nan.jsonl', { cwd })
    assert.equal(code, 0)
    assert.deepEqual(
      lines(stdout).map(({ run_id, value }) => [run_id, value]),
      [
        ['a', null],
        ['NaN', 1.5],
      ],
    )
  })
  it('.eval.measures.yml: a whole number stays one, a class is no number', async () => {
    const { stdout } = await pipe('jb-read ir_measures typed.eval.txt | jb-write ir_measures', {
      cwd,
    })
    assert.match(stdout, /a\t1\tWORDS\t57\n/)
    assert.match(stdout, /a\tall\tWORDS\t58\.5\n/)
    assert.match(stdout, /a\tall\tCLASS\t1\n/)
  })
})
