import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import { pipe } from '../helpers/run.ts'
import { folder, kiddie, lines } from '../trec/_cli.ts'

describe('jb-write spread', () => {
  const text = 'topic run measure value\n1 b M 2\n1 a M 2\n2 b M 2\n2 a M 2\n1 c M 3\n2 c M 3\n'
  const cwd = folder({ 'board.txt': text })
  it('equal runs by name, whatever their order in the file; a format that columns do not tell is named', async () => {
    const { stderr } = await pipe('jb-read trec board.txt', { cwd })
    assert.match(stderr, /4 columns and no "all" rows: say which format it is \(--from/)
    const named = 'jb-read trec --from rag4reports --header yes board.txt | jb-write spread'
    const runs = lines((await pipe(named, { cwd })).stdout)
    assert.deepEqual(
      runs.map(({ RunID }) => RunID),
      ['c', 'a', 'b'],
    )
  })
})

describe('leaderboards', () => {
  const row = (run_id: string, topic_id: string, value: unknown, measure = 'M') => ({
    run_id,
    topic_id,
    measure,
    value,
  })
  const write = (rows: object[], options: string) =>
    pipe(`jb-write ${options}`, { stdin: rows.map((one) => JSON.stringify(one)).join('\n') })
  it('a misspelt name of --set is refused', async () => {
    const cwd = kiddie()
    const judged = await pipe(
      'jb-read autojudge --topics topics.jsonl --responses runs | jb-render relevance | jb-call -q -m baseline:overlap | jb-parse',
      { cwd },
    )
    const of = (set: string) => pipe(`jb-write trec --set ${set}=1`, { stdin: judged.stdout })
    const { code, stdout, stderr } = await of('match_form')
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /--set match_form=…: relevance has no such value: did you mean match_from\?/)
    assert.equal((await of('match_from')).code, 0)
    assert.equal((await of('tone')).code, 0)
  })
  it('each order of columns', async () => {
    const rows = [row('owls-a', 't7', 0.5, 'COVERAGE')]
    for (const [format, line] of [
      ['trec', 'owls-a t7 COVERAGE 0.5'],
      ['ir_measures', 'owls-a t7 COVERAGE 0.5'],
      ['tot', 'owls-a COVERAGE t7 0.5'],
      ['trec_eval', 'COVERAGE t7 0.5'],
      ['rag4reports', 't7 owls-a COVERAGE 0.5'],
      ['ranking', 't7 Q0 owls-a 0 0.5 COVERAGE'],
    ] as const)
      assert.equal((await write(rows, format)).stdout.split('\n')[0], line.replaceAll(' ', '\t'), format)
    assert.equal(
      (await write(rows, 'jsonl')).stdout.split('\n')[0],
      '{"run_id": "owls-a", "topic_id": "t7", "measure": "COVERAGE", "value": 0.5}',
    )
  })
  it('means are exact, words have the first topic’s', async () => {
    const { stdout } = await write(
      [row('a', '1', 0.8), row('a', '2', 0.01), row('a', '3', 0.4), row('a', '1', 'True', 'B')],
      'tot',
    )
    assert.match(stdout, /a\tM\tall\t0\.4033333333333334\n/)
    assert.match(stdout, /a\tB\tall\tTrue\n$/)
  })
  it('several runs do not fit into trec_eval', async () => {
    const { code, stderr } = await write([row('a', '1', 1), row('b', '1', 1)], 'trec_eval')
    assert.equal(code, 2)
    assert.match(stderr, /it can hold only one run/)
  })
  it('duplicates, a second "all" row, extra and missing topics and measures are told', async () => {
    const cwd = folder({
      'b.txt': 'a t1 M 1\na t1 M 2\na all M 1\na all M 1\na t9 M 1\nb t1 M 1\nb t1 N 1\nb all M 1\n',
      'topics.jsonl': [
        { request_id: 't1', title: 'x' },
        { request_id: 't2', title: 'y' },
      ],
    })
    const read = await pipe('jb-read ir_measures b.txt > rows.ndjson', { cwd })
    assert.match(
      read.stderr,
      /b\.txt:2: a second value for run a, topic t1, measure M \(the first: b\.txt:1\)/,
    )
    assert.match(read.stderr, /b\.txt:4: a second "all" row for run a, measure M/)
    const { stderr } = await pipe('jb-write trec --topics topics.jsonl rows.ndjson', { cwd })
    assert.match(stderr, /topics that are not in --topics: t9/)
    assert.match(stderr, /run a, topic t2: no value \(no response\)/)
    assert.match(stderr, /lacks N/)
  })
  it('which format a file has: from its columns and "all", or as one says', async () => {
    const cwd = folder({
      'x.txt': 'a\tM\tt1\t1\n',
      'y.txt': 'run_id query_id measure value\na t1 M 1\na all M 1\n',
    })
    const ambiguous = await pipe('jb-read trec x.txt', { cwd })
    assert.equal(ambiguous.code, 65)
    assert.match(ambiguous.stderr, /say which format it is/)
    assert.deepEqual(lines((await pipe('jb-read trec --from tot x.txt', { cwd })).stdout), [
      row('a', 't1', 1),
    ])
    const header = await pipe('jb-read trec y.txt', { cwd })
    assert.equal(lines(header.stdout).length, 2)
    assert.match(header.stderr, /y\.txt:1: taken for a header/)
    assert.equal(lines((await pipe('jb-read ir_measures --header no y.txt', { cwd })).stdout).length, 3)
    assert.equal(lines((await pipe('jb-read trec --from tot < x.txt', { cwd })).stdout).length, 1)
    assert.match((await pipe('jb-read ranking x.txt', { cwd })).stderr, /x\.txt:1: 4 columns, ranking has 6/)
  })
})

describe('leaderboards with lines that are none', () => {
  const columns = 'a\tt1\tM\t1\nwhat is this line here\na\tall\tM\t1\nthis too\n'
  const json = '{"run_id":"a","topic_id":"t1","measure":"M","value":1}\n{"run_id":\n{}\n'
  const seen = (out: string) => lines(out).map(({ topic_id, jb }) => topic_id ?? [jb.error.code, jb.raw])
  for (const [format, input, good, bad] of [
    ['ir_measures', columns, ['t1', 'all'], ['what is this line here', 'this too']],
    ['trec', columns, ['t1', 'all'], ['what is this line here', 'this too']],
    ['jsonl', json, ['t1'], ['{"run_id":', '{}']],
    ['trec', json, ['t1'], ['{"run_id":', '{}']],
  ] as const)
    it(`${format}: stop, skip and count, pass (${input.slice(0, 1)})`, async () => {
      assert.equal((await pipe(`jb-read ${format}`, { stdin: input })).code, 65)
      const skipped = await pipe(`jb-read ${format} --bad-rows skip`, { stdin: input })
      assert.deepEqual([skipped.code, seen(skipped.stdout)], [0, good])
      assert.match(skipped.stderr, /\(stdin\):2: /)
      assert.match(skipped.stderr, / 2 failed here \(bad_row 2\)/)
      const passed = await pipe(`jb-read ${format} --bad-rows pass`, { stdin: input })
      assert.equal(passed.code, 0)
      assert.deepEqual(
        seen(passed.stdout).filter((one) => typeof one === 'object'),
        bad.map((raw) => ['bad_row', raw]),
      )
      assert.deepEqual(
        seen(passed.stdout).filter((one) => typeof one === 'string'),
        good,
      )
      // In the order of the file.
      assert.deepEqual(seen(passed.stdout)[1], ['bad_row', bad[0]])
    })
})

/** Judged rows: b/t2 has no verdict. */
async function judged(): Promise<string> {
  const cwd = kiddie()
  await pipe('jb-read autojudge --topics topics.jsonl --responses runs > items.ndjson', { cwd })
  const trials = lines((await pipe('cat items.ndjson', { cwd })).stdout).map((item, i) => ({
    ...item,
    jb: {
      judge: 'relevance',
      item: item.id,
      trial: { n: 0, of: 1 },
      ...(item.id === 'b/t2'
        ? { error: { stage: 'parse', code: 'no_verdict', message: 'none' } }
        : { verdict: { label: String(i % 4), score: i % 4 } }),
    },
  }))
  return folder({
    'verdicts.ndjson': trials,
    'topics.jsonl': (await pipe('cat topics.jsonl', { cwd })).stdout,
  })
}

describe('judged rows become a leaderboard and qrels', () => {
  let cwd: string
  before(async () => {
    cwd = await judged()
  })
  const board = (options: string) =>
    pipe(`jb-write trec --topics topics.jsonl ${options} verdicts.ndjson`, { cwd })
  it('a failure is no value: counted, told, left out of the mean', async () => {
    const { stdout, stderr, code } = await board('--measure GRADE')
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout,
      'a t1 GRADE 0.0\na t2 GRADE 1.0\nb t1 GRADE 2.0\nc t1 GRADE 0.0\nc t2 GRADE 1.0\na all GRADE 0.5\nb all GRADE 2.0\nc all GRADE 0.5\n'.replaceAll(
        ' ',
        '\t',
      ),
    )
    assert.match(stderr, /run b, topic t2: no value \(no_verdict\)/)
    assert.match(stderr, /1 of 6 values missing: left out of the means/)
  })
  it('what it becomes is the user’s choice', async () => {
    assert.match(
      (await board('--measure GRADE --on-missing default')).stdout,
      /\nb\tt2\tGRADE\t0\.0\n[\s\S]*\nb\tall\tGRADE\t1\.0\n/,
    )
    const fixed = (await board('--measure GRADE --on-missing fix_aggregate')).stdout
    assert.doesNotMatch(fixed, /b\tt2/)
    assert.match(fixed, /b\tall\tGRADE\t1\.0/)
    assert.match(
      (await board('--measure GRADE --on-missing default --default 3')).stdout,
      /b\tall\tGRADE\t2\.5/,
    )
    const refused = await board('--on-missing error')
    assert.deepEqual([refused.code, refused.stdout], [65, ''])
    assert.match(refused.stderr, /: run b, topic t2: no value \(no_verdict\) \(--on-missing error\)\n$/)
    const skipped = await board('--measure GRADE --on-missing skip')
    assert.deepEqual([skipped.code, skipped.stderr], [0, ''])
    assert.equal(skipped.stdout, (await board('--measure GRADE --on-missing warn')).stdout)
  })
  it('all of them missing: exit 1', async () => {
    const failed = readFileSync(`${cwd}/verdicts.ndjson`, 'utf8')
      .split('\n')
      .filter((line) => line.includes('no_verdict'))
      .join('\n')
    const none = await pipe('jb-write trec', { cwd, stdin: failed })
    assert.equal(none.code, 1)
    assert.match(none.stderr, /the leaderboard is empty/)
  })
  it('a judge’s measures, all of them, in its order', async () => {
    assert.match((await board('')).stdout, /^a\tt1\tGRADE\t0\.0\na\tt1\tIS_MATCH\t0\.0\n/)
    assert.match((await board('')).stdout, /b\tt1\tIS_MATCH\t1\.0/)
    assert.match((await board('--measure NOPE')).stderr, /--measure NOPE: the rows have GRADE, IS_MATCH/)
  })
  it('qrels: md5 of the text, or the run; sorted; the failed one is missing', async () => {
    const { stdout, stderr } = await pipe(
      'jb-write qrels --measure GRADE --topics topics.jsonl verdicts.ndjson',
      {
        cwd,
      },
    )
    const rows = stdout.split('\n').filter(Boolean)
    assert.equal(rows.length, 5)
    assert.deepEqual(rows, [...rows].sort())
    assert.match(rows[0]!, /^t1 0 [0-9a-f]{32} \d$/)
    assert.match(stderr, /run b, topic t2: no grade \(no_verdict\)/)
    assert.equal(
      (await pipe('jb-write qrels --doc run --measure GRADE verdicts.ndjson', { cwd })).stdout,
      't1 0 a 0\nt1 0 b 2\nt1 0 c 0\nt2 0 a 1\nt2 0 c 1\n',
    )
  })
})
