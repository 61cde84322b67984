/** What users do by mistake, each time through the filters: a message says it, and no figure is made of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from './helpers/folder.ts'
import { ndjson, rowsOf } from './helpers/rows.ts'
import { expect, jb } from './helpers/run.ts'

const graded = (scores: number[], range: [number, number] = [1, 5], judge = 'grader') =>
  ndjson(
    scores.map((score, i) => ({
      id: `i${i}`,
      human: score,
      jb: { judge, item: `i${i}`, trial: { n: 0, of: 1 }, verdict: { label: `${score}`, score, range } },
    })),
  )

const battles = (more: (i: number) => object) =>
  ndjson(Array.from({ length: 4 }, (_, i) => ({ model_a: 'x', model_b: 'y', ...more(i) })))

test('the same file twice is refused by all filters: rows without ids would count twice', async (t) => {
  const dir = folder(t, { 'b.jsonl': battles(() => ({ winner: 'model_a' })), 'g.ndjson': graded([1, 5]) })
  for (const [filter, file] of [
    ['rank', `${dir}/b.jsonl`],
    ['score', `${dir}/g.ndjson`],
    ['view', `${dir}/g.ndjson`],
  ] as const)
    expect(await jb(filter, [file, file]), {
      code: 2,
      out: '',
      err: `jb-${filter}: ${file} is given twice\n`,
    })
})

test('jb-audit: other rows that are the input itself are refused', async (t) => {
  const dir = folder(t, { 'g.ndjson': graded([1, 5, 3]) })
  const file = `${dir}/g.ndjson`
  for (const option of ['--since', '--bridge', '--calibration'])
    expect(await jb('audit', [option, file, '--truth', 'human', file]), {
      code: 2,
      err: `jb-audit: ${file} is the input as well: --since, --bridge and --calibration take other rows\n`,
    })
})

test('jb-score --pass: a threshold that no grade, or every grade, reaches is of another scale', async () => {
  for (const [pass, all] of [
    ['80', 'fail'],
    ['0.5', 'pass'],
    ['1', 'pass'],
  ])
    expect(await jb('score', ['--pass', pass!], { stdin: graded([1, 5]) }), {
      code: 2,
      err: new RegExp(`--pass ${pass}: the scores of grader are from 1 to 5, and all would ${all}`),
    })
  const { stdout } = await jb('score', ['--pass', '5'], { stdin: graded([1, 5]) })
  assert.match(stdout, /"option":"fail".*\n.*"option":"pass"/)
})

test('jb-compare: scores of options are not subtracted from grades of another scale', async (t) => {
  const options = { PASS: 1, FAIL: 0 }
  const passes = ['PASS', 'FAIL'].map((option, i) => ({
    id: `i${i}`,
    jb: {
      judge: 'passer',
      item: `i${i}`,
      trial: { n: 0, of: 1 },
      verdict: { label: option, option, score: 1 - i, options },
    },
  }))
  const dir = folder(t, { 'p.ndjson': ndjson(passes), 'g.ndjson': graded([1, 5]) })
  expect(await jb('compare', [`${dir}/p.ndjson`, `${dir}/g.ndjson`]), {
    code: 65,
    out: '',
    err: /p\.ndjson are from 0 to 1, those of .*g\.ndjson from 1 to 5: they cannot be subtracted/,
  })
})

test('jb-rank: preferences from 0 to 1 are not alpaca_eval’s, whose 0 is a tie', async () => {
  const asShares = await jb('rank', [], { stdin: battles((i) => ({ preference: i % 2 })) })
  assert.match(asShares.stderr, /preferences are from 0 to 1 and none is above: .* 0 is a tie/)
  const alpaca = await jb('rank', [], { stdin: battles((i) => ({ preference: i % 3 })) })
  assert.doesNotMatch(alpaca.stderr, /preferences are/)
})

test('jb-aggregate --labels: labels of items that are in no row are said', async (t) => {
  const dir = folder(t, { 'l.csv': 'item,label\ni0 ,1\ni1,5\n' })
  const ran = await jb('aggregate', ['--labels', `${dir}/l.csv`], { stdin: graded([1, 5]) })
  expect(ran, { code: 0, err: /--labels: 1 of 2 items with labels are in no row, such as i0 \n/ })
  assert.deepEqual(
    rowsOf(ran).map(({ compared, missing }) => [compared, missing]),
    [[1, 1]],
  )
})

test('--label-map takes 1.0 for the 1 that it names', async () => {
  const stdin = graded([1, 5]).replace('"human":1', '"human":"5.0"').replace('"human":5', '"human":1')
  const { stdout } = await jb('aggregate', ['--label', 'human', '--label-map', '1=5,5=1'], { stdin })
  assert.ok(JSON.parse(stdout).pearson > 0.99)
})

test('jb-agree: an input without a run of the truth, such as qrels or names in other letters, misses the gate', async (t) => {
  const board = (runs: string[]) => runs.map((run, i) => `${run} all ndcg 0.${i + 1}\n`).join('')
  const dir = folder(t, {
    truth: board(['a', 'b', 'c']),
    large: board(['A', 'B', 'C']),
    qrels: '1 0 d1 1\n1 0 d2 0\n',
  })
  for (const [file, runs] of [
    ['large', 'A, B, C'],
    ['qrels', 'd1, d2'],
  ])
    expect(await jb('agree', [`${dir}/truth`, `${dir}/${file}`]), {
      code: 1,
      err: new RegExp(`${file} has no run of truth: there are ${runs}, and in the truth a, b, c`),
    })
})

test('jb-score --criteria: criteria that are not the judge’s are said, and those that are count', async (t) => {
  const criterion = (name: string, options: object) =>
    JSON.stringify({ name, description: 'Is it?', to_evaluate_field: 'response', options })
  const verdict = { label: 'PASS', option: 'PASS', score: 1, options: { PASS: 1, FAIL: 0 } }
  const row = (trial: object) =>
    ndjson([{ id: 'a', jb: { judge: 'j', item: 'a', trial: { n: 0, of: 1, ...trial }, verdict } }])
  const dir = folder(t, {
    'other.json': criterion('polite', { Great: 1, Bad: 0 }),
    'own.json': criterion('polite', { PASS: 10, FAIL: 0 }),
  })
  const scored = (file: string, trial = {}) =>
    jb('score', ['--criteria', `${dir}/${file}`], { stdin: row(trial) })
  expect(await scored('other.json'), {
    err: /the judge chose "PASS", which is no option of criterion "polite" in --criteria \(there: Great, Bad\)/,
  })
  expect(await scored('own.json', { criterion: 'kind' }), { err: /no trial asked about criterion "polite"/ })
  assert.equal(rowsOf(await scored('own.json'))[0]!.jb.result!.score, 10)
})

test('words of labels that no verdict has, beside verdicts that no label has, are said by all that join them', async (t) => {
  const dir = folder(t, { 'l.csv': 'item,label\na,PASS\nb,N/A\nc,FAIL\n' })
  const rows = (verdicts: string[], more: object = {}) =>
    ndjson(
      verdicts.map((option, i) => ({
        id: 'abc'[i],
        human: ['PASS', 'N/A', 'FAIL'][i],
        jb: {
          judge: 'j',
          item: 'abc'[i],
          trial: { n: 0, of: 1 },
          verdict: { label: option, option, score: null, ...more },
        },
      })),
    )
  const warnings = async (
    stdin: string,
    [filter, ...args]: readonly [Parameters<typeof jb>[0], ...string[]],
  ) =>
    rowsOf(await jb(filter, args, { stdin }))[0]!.warnings as unknown as { code: string; sentence: string }[]
  const joins = [
    ['aggregate', '--label', 'human'],
    ['aggregate', '--labels', `${dir}/l.csv`],
    ['audit', '--truth', 'human'],
    ['audit', '--truth', `${dir}/l.csv`],
  ] as const
  for (const join of joins) {
    const found = await warnings(rows(['PASS', 'NA', 'FAIL']), join)
    const said = found.find(({ code }) => code === 'words_apart')
    assert.match(said!.sentence, /^no verdict is N\/A, as labels are, and no label is NA, as verdicts are/)
    // A word that the judge never said is none of another spelling.
    const same = (await warnings(rows(['PASS', 'PASS', 'FAIL']), join)) ?? []
    assert.ok(!same.some(({ code }) => code === 'words_apart'))
  }
  const mapped = await warnings(rows(['PASS', 'NA', 'FAIL']), [...joins[0], '--label-map', 'N/A=NA'])
  assert.ok(!mapped.some(({ code }) => code === 'words_apart'))
  const unused = await warnings(rows(['PASS', 'NA', 'FAIL']), [...joins[0], '--label-map', 'NN=NA'])
  assert.ok(unused.some(({ code }) => code === 'words_apart'))
})

test('jb-aggregate --label none: of labelled items the gate is on the rate of PASS', async () => {
  const stdin = ndjson(
    ['PASS', 'FAIL', 'PASS', 'PASS'].map((option, i) => ({
      id: `i${i}`,
      label: option,
      jb: {
        judge: 'j',
        item: `i${i}`,
        trial: { n: 0, of: 1 },
        verdict: { label: option, option, score: Number(option === 'PASS'), options: { PASS: 1, FAIL: 0 } },
      },
    })),
  )
  const gate = (...args: string[]) => jb('aggregate', ['--fail-under', '0.8', ...args], { stdin })
  expect(await gate(), { code: 0 })
  expect(await gate('--label', 'none'), { code: 1, err: /score 0\.75 is below --fail-under 0\.8/ })
  const scored = await jb('score', ['--label', 'none'], { stdin })
  expect(await jb('aggregate', ['--fail-under', '0.8'], { stdin: scored.stdout }), {
    code: 1,
    err: /score 0\.75/,
  })
})

test('jb-read: a JSON document of another program is one row, and said to be that program’s', async () => {
  expect(await jb('read', ['fixtures/traces/inspect.json']), {
    code: 0,
    err: /inspect\.json:1: the document looks like a file of inspect: jb-read inspect reads what is in it\n/,
  })
})

test('jb-parse --judge: rows of another judge, whether it reads them or not, are said', async (t) => {
  const prompt = { messages: [{ role: 'user', content: 'Is it good? {{ answer }}' }] }
  const verdict = { rule: 'label', pattern: '(PASS|FAIL)', labels: { PASS: 1, FAIL: 0 } }
  const judge = JSON.stringify({ kind: 'choice', ...prompt, verdict })
  const cwd = folder(t, { 'one.json': judge, 'other.json': judge })
  const rows = (own: string) =>
    ndjson([
      {
        jb: {
          ...{ judge: own, judge_digest: '0123456789ab', item: 'a', trial: { n: 0, of: 1 } },
          reply: { text: 'PASS', model: 'm' },
        },
      },
    ])
  const parsed = (own: string, ...judges: string[]) =>
    jb(
      'parse',
      judges.map((name) => `--judge=${name}`),
      { cwd, stdin: rows(own) },
    )
  expect(await parsed('one.json', 'one.json', 'other.json'), {
    err: 'jb-parse: --judge other.json: no row is of this judge, and all were read by their own, one.json\n',
  })
  expect(await parsed('one.json', 'pass_fail'), {
    err: 'jb-parse: --judge pass_fail: it reads replies that one.json asked for\n',
  })
  expect(await parsed('one.json', 'one.json'), { err: '' })
})

test('names that differ in capital letters or blanks alone are said, and a header that is a record', async () => {
  const rows = ndjson(
    ['x', 'X ', 'x'].map((model_a) => ({ model_a, model_b: 'y', winner: 'model_a', source: model_a })),
  )
  const alike = '"X " and "x" are 2'
  expect(await jb('rank', [], { stdin: rows }), {
    err: new RegExp(`${alike} models: they differ in capital`),
  })
  const graded = ndjson(
    ['math', 'Math'].map((source, i) => ({
      source,
      jb: {
        judge: 'j',
        item: `${i}`,
        trial: { n: 0, of: 1 },
        verdict: { label: '1', score: 1, range: [1, 5] },
      },
    })),
  )
  expect(await jb('aggregate', [], { stdin: graded }), {
    err: /"Math" and "math" are 2 groups of source: they/,
  })
  expect(await jb('read', ['csv'], { stdin: '1,What?,PASS\n2,Why?,FAIL\n' }), {
    err: 'jb-read: (stdin):1: a column is called "1": the first line has to name the columns\n',
  })
})

test('an endpoint that is not there: the variable or option that names it is in the message', async () => {
  const url = 'http://127.0.0.1:9/v1'
  const stdin = ndjson([
    {
      jb: {
        judge: 'j',
        item: 'a',
        trial: { n: 0, of: 1 },
        request: { messages: [{ role: 'user', content: 'x' }] },
      },
    },
  ])
  const call = (args: string[], env = {}) =>
    jb('call', ['-m', 'm', '--no-cache', '--retries', '0', ...args], { stdin, env })
  for (const name of ['OPENAI_BASE_URL', 'LLM_JUDGE_API_BASE'])
    expect(await call([], { [name]: url }), {
      code: 69,
      err: new RegExp(`cannot reach .*\\(${name} names it\\)`),
    })
  expect(await call(['--base-url', url]), { code: 69, err: /cannot reach .*\(--base-url names it\)/ })
})

test('an option that is given twice with one value is refused: it would count twice', async (t) => {
  const cwd = folder(t, { 'g.ndjson': graded([1, 5]) })
  for (const [filter, option, ...values] of [
    ['audit', 'truth', 'human', 'human'],
    ['aggregate', 'by', 'human', 'human'],
  ] as const) {
    const args = [...values.map((value) => `--${option}=${value}`), 'g.ndjson']
    expect(await jb(filter, args, { cwd }), { code: 2, err: new RegExp(`--${option} \\w+ is given twice\n`) })
  }
})

test('jb-render --set of a name that shows a field: all items are judged with one text, which is said', async () => {
  const args = ['pass_fail', '--set', 'criterion=short', '--set', 'answer=text']
  expect(await jb('render', args, { stdin: ndjson([{ answer: 'one' }]) }), {
    code: 0,
    err: /^jb-render: --set answer=…: this text is judged in every item, and not the item's own \(--map answer=FIELD names its field\)\n/,
  })
})

test('--label-map: capital letters and blanks at the ends tell no labels apart', async () => {
  const stdin = graded([1, 5]).replace('"human":1', '"human":"Bad "').replace('"human":5', '"human":"GOOD"')
  const { stdout } = await jb('aggregate', ['--label', 'human', '--label-map', 'good=5,bad=1'], { stdin })
  assert.ok(JSON.parse(stdout).pearson > 0.99)
})

test('jb-read: one column with commas in its name, as of a CSV file called .tsv, is said', async (t) => {
  const cwd = folder(t, { 'x.tsv': 'id,answer\na,4\n' })
  expect(await jb('read', ['x.tsv'], { cwd }), {
    code: 0,
    err: `jb-read: x.tsv:1: one column, "id,answer": is --delimiter ',' meant?\n`,
  })
})

test('jb-score, jb-aggregate --criteria: of grades it has no effect, which is said', async (t) => {
  const criterion = { name: 'c', description: 'd', to_evaluate_field: 'r', options: { yes: 1, no: 0 } }
  const cwd = folder(t, { 'c.json': JSON.stringify(criterion) })
  for (const filter of ['score', 'aggregate'] as const)
    expect(await jb(filter, ['--criteria', 'c.json'], { cwd, stdin: graded([1]) }), {
      code: 0,
      err: new RegExp(
        `jb-${filter}: .stdin.:1: --criteria has no effect: the verdict is no option of a criterion\n`,
      ),
    })
})
