/** Judge files that look right and are not, and modules that do what they should not: said, and never a bug. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BUILTIN_JUDGES, loadJudge } from '../../src/judges/_load.ts'
import { folder, judgeFolder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, jbProcess, pipe } from '../helpers/run.ts'

const GOOD = {
  kind: 'pairwise',
  fields: { question: 'question', a: 'response_A', b: 'response_B' },
  answers: ['a', 'b'],
  messages: [{ role: 'user', content: '{{ question }}\n1: {{ a }}\n2: {{ b }}\n' }],
  verdict: { rule: 'label', pattern: '\\[\\[([12])\\]\\]', labels: { 1: 'A>B', 2: 'B>A' } },
}
const verdict = (change: object) => ({ ...GOOD, verdict: { ...GOOD.verdict, ...change } })
const rule = (kind: string, config: object) => ({
  kind,
  prompt: '{{ question }}',
  verdict: config,
})

const WRONG: [what: string, file: object, message: RegExp][] = [
  [
    'request.messages',
    { ...GOOD, request: { messages: [] } },
    /: request\.messages is not a parameter of a request: the prompt is "messages" of the file/,
  ],
  [
    'request.prompt',
    { ...GOOD, request: { prompt: 'x' } },
    /: request\.prompt is not a parameter of a request/,
  ],
  [
    'request.model',
    { ...GOOD, request: { model: 'gpt-4' } },
    /: request\.model is .*: jb-call --model names it/,
  ],
  [
    'request.temperature',
    { ...GOOD, request: { temperature: 'hot' } },
    /: request\.temperature must be a number, not "hot"/,
  ],
  ['request.top_p', { ...GOOD, request: { top_p: null } }, /: request\.top_p must be a number, not null/],
  ['request.max_tokens', { ...GOOD, request: { max_tokens: '9' } }, /: request\.max_tokens must be a number/],
  [
    'syntax',
    { ...GOOD, syntax: 'mustache' },
    /: "syntax" is "mustache", expected one of jinja, format, alpaca, nunjucks/,
  ],
  ['a slip in syntax', { ...GOOD, syntax: 'jinja2' }, /: "syntax" is .*did you mean jinja\?/],
  ['again.times', { ...GOOD, again: { times: -1 } }, /: again\.times must be a whole number from 0, not -1/],
  ['again.tmes', { ...GOOD, again: { tmes: 1 } }, /: unknown key again\.tmes: did you mean times\?/],
  ['again.stop', { ...GOOD, again: { stop: ']]' } }, /: again\.stop must be a list of texts, not "\]\]"/],
  ['no messages', { ...GOOD, messages: [] }, /: "messages" is empty, expected at least one with "role"/],
  [
    'a slip in compat',
    { ...GOOD, compat: { judgbench: GOOD.verdict } },
    /: unknown key compat\.judgbench: did you mean judgebench\?/,
  ],
  [
    'a slip in templates',
    { ...GOOD, templates: { usr: 'x' } },
    /: unknown key templates\.usr: did you mean user\?/,
  ],
  [
    'no user in templates',
    { ...GOOD, templates: { system: 'x' } },
    /: templates\.user is missing: the name of/,
  ],
  [
    'templates.vars',
    { ...GOOD, templates: { user: 'x', vars: ['a'] } },
    /: templates\.vars must be a mapping of each variable to a name of the judge, not \["a"\]/,
  ],
  [
    'half a swap',
    { ...GOOD, swap: [['a']] },
    /: swap\[0\] is \["a"\], expected two different template names/,
  ],
  [
    'swap of texts',
    { ...GOOD, swap: ['a', 'b'] },
    /: swap\[0\] is "a", expected two different template names/,
  ],
  [
    'swap of unknown names',
    { ...GOOD, swap: [['x', 'y']] },
    /: swap: no template uses "x" \(they use a, b, q/,
  ],
  [
    'otherwise',
    verdict({ otherwise: 'banana' }),
    /: verdict\.otherwise is "banana", expected one of A>B, B>A, A=B, /,
  ],
  [
    'otherwise of a pair',
    rule('pairwise', { rule: 'pair', otherwise: 'tie' }),
    /: verdict\.otherwise is "tie", expected/,
  ],
  [
    'any label as it is',
    verdict({ labels: { '*': '*' } }),
    /: verdict\.labels\["\*"\] is "\*", expected A>B, B>A or/,
  ],
  ['compat', { ...GOOD, compat: { judgebench: 7 } }, /: compat\.judgebench needs a "rule"/],
  [
    'a pattern of compat',
    { ...GOOD, compat: { judgebench: { ...GOOD.verdict, pattern: '(?=x)' } } },
    /: verdict\.pattern \(\?=x\): /,
  ],
  ['flags', verdict({ flags: 'z' }), /: verdict\.flags is "z", expected i, m or im/],
  ['line', verdict({ line: 'third' }), /: verdict\.line is "third", expected first or last/],
  ['fold', verdict({ fold: 'maybe' }), /: verdict\.fold is "maybe", expected true or false/],
  ['no labels', verdict({ labels: {} }), /: verdict\.labels is \{\}, expected a mapping of each label/],
  ['labels in a list', verdict({ labels: ['1'] }), /: verdict\.labels is \["1"\], expected a mapping/],
  ['strong', verdict({ strong: ['C'] }), /: verdict\.strong: "C" is not one of the labels \(1, 2\)/],
  ['patterns', verdict({ pattern: undefined, patterns: [] }), /: verdict\.patterns is \[\], expected a list/],
  ['after', verdict({ after: 7 }), /: verdict\.after is 7, expected a text/],
  [
    'tie_within',
    rule('pairwise', { rule: 'pair', tie_within: -1 }),
    /: verdict\.tie_within is -1, expected a number from 0/,
  ],
  [
    'a pair of one group',
    rule('pairwise', { rule: 'pair', pattern: 'Scores: (\\d+) \\d+' }),
    /: verdict\.pattern .*: 2 groups are needed, one for each number, not 1/,
  ],
  [
    'line of a pair',
    rule('pairwise', { rule: 'pair', line: 'last' }),
    /: verdict\.line is "last", expected first/,
  ],
  [
    'brackets',
    rule('grade', { rule: 'number', brackets: 'yes' }),
    /: verdict\.brackets is "yes", expected true or/,
  ],
  [
    'range',
    rule('grade', { rule: 'number', range: ['a', 5] }),
    /: verdict\.range must be \[lowest, highest\]/,
  ],
  ['min', rule('list', { rule: 'list', min: -1 }), /: verdict\.min is -1, expected a whole number from 0/],
  [
    'least',
    rule('choice', { rule: 'option', read: 'closest', least: 60 }),
    /: verdict\.least is 60, expected/,
  ],
  [
    'repair',
    rule('grade', { rule: 'json', repair: 'yes' }),
    /: verdict\.repair is "yes", expected one of true, fa/,
  ],
  [
    'a grade of a pair',
    rule('grade', { rule: 'pair' }),
    /: verdict\.rule "pair" gives no verdict of kind grade \(it is for pairwise\)/,
  ],
  [
    'a decision of a number',
    rule('pairwise', { rule: 'number' }),
    /: verdict\.rule "number" gives no verdict of k/,
  ],
  [
    'a grade of an option',
    rule('grade', { rule: 'option' }),
    /"option" gives .* \(it is for choice, listwise\)/,
  ],
  ['a choice of a list', rule('choice', { rule: 'list' }), /"list" gives no verdict of kind choice/],
]

describe('a value that is wrong is told with file and key: exit 78', { concurrency: 4 }, () => {
  for (const [what, file, err] of WRONG)
    test(what, async (t) => {
      const cwd = judgeFolder(t, { 'j.json': JSON.stringify(file) })
      const ran = await jb('render', ['j.json'], { cwd, stdin: ndjson([pair()]) })
      expect(ran, { code: 78, out: '', err })
      assert.match(ran.stderr, /^jb-render: j\.json: [^\n]*\n$/)
    })
})

test('a label may be the whole match, and strong in any case where labels are', async (t) => {
  const files = {
    'whole.json': verdict({ pattern: '\\b[12]\\b', strong: [1] }),
    'fold.json': verdict({
      pattern: '\\b(a+)\\b',
      flags: 'i',
      fold: true,
      labels: { A: 'A>B', AA: 'A>B' },
      strong: ['AA'],
    }),
  }
  const cwd = judgeFolder(
    t,
    Object.fromEntries(Object.entries(files).map(([name, one]) => [name, JSON.stringify(one)])),
  )
  const rows = [replied('whole.json', 'so 1'), replied('fold.json', 'a'), replied('fold.json', 'Aa')]
  const read = rowsOf(fine(await jb('parse', [], { cwd, stdin: ndjson(rows) })))
  assert.deepEqual(
    read.map(({ jb }) => [jb.verdict?.decision, jb.verdict?.strength]),
    [
      ['A>B', 2],
      ['A>B', 1],
      ['A>B', 2],
    ],
  )
})

test('"*" is any other label, and means what it stands for', async (t) => {
  const cwd = judgeFolder(t, {
    'j.json': JSON.stringify(verdict({ pattern: '\\w+$', labels: { one: 'A>B', '*': 'A=B' } })),
  })
  const rows = ['so one', 'so two'].map((text) => replied('j.json', text))
  const read = rowsOf(fine(await jb('parse', [], { cwd, stdin: ndjson(rows) })))
  assert.deepEqual(
    read.map(({ jb }) => [jb.verdict?.label, jb.verdict?.decision]),
    [
      ['one', 'A>B'],
      ['two', 'A=B'],
    ],
  )
})

test('a module without messages is refused as a file is', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export const messages = []
export const parse = () => 'A>B'`,
  })
  expect(await jb('render', ['j.mjs'], { cwd, stdin: ndjson([pair()]) }), {
    code: 78,
    out: '',
    err: /^jb-render: j\.mjs: "messages" is empty/,
  })
})

test('every judge that comes along can be copied: its prompts, its patterns and those of its originals', async (t) => {
  const names = BUILTIN_JUDGES.names()
  const cwd = judgeFolder(
    t,
    {},
    names.map((name) => `${name}.yaml`),
  )
  fine(await pipe(names.map((name) => `jb-render ${name} --show > ${name}.yaml`).join(' && '), { cwd }))
  const judges = await Promise.all(names.map(loadJudge))
  const renders = judges.map(
    ({ name, criteria }) => `jb-render ${name}.yaml${criteria ? ' --criteria @c' : ''} < /dev/null`,
  )
  fine(await pipe(renders.join(' && '), { cwd }))
  const stdin = ndjson(names.map((name) => replied(`${name}.yaml`, 'x')))
  for (const compat of [
    [],
    ...['judgebench', 'rm-gallery', 'mt-bench', 'evalassist'].map((one) => ['--compat', one]),
  ])
    expect(await jb('parse', ['-q', ...compat], { cwd, stdin }), { err: '' })
})

test('the m_prometheus judges as their original reads them: digits, white space and line ends of Python', async (t) => {
  const cwd = judgeFolder(t, {}, ['m_prometheus.yaml', 'm_prometheus_pairwise.yaml'])
  for (const name of ['m_prometheus', 'm_prometheus_pairwise'])
    fine(await pipe(`jb-render ${name} --show > ${name}.yaml`, { cwd }))
  const cases: [judge: string, text: string, said: unknown][] = [
    ['m_prometheus', '[Result]: ٣', '3'],
    ['m_prometheus', 'Score:\x1f3/5', '3'],
    ['m_prometheus', 'Score:\ufeff3', 'no_verdict'],
    ['m_prometheus_pairwise', '\nResult: A\ufeff', 1],
    ['m_prometheus_pairwise', '\rResult: A', 1],
    ['m_prometheus_pairwise', '[RESULT]\x1cA\x85', 0],
  ]
  for (const ending of ['', '.yaml']) {
    const rows = cases.map(([judge, text]) => replied(`${judge}${ending}`, text))
    const ran = await jb('parse', ['-q', '--compat', 'evalassist'], { cwd, stdin: ndjson(rows) })
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => jb.verdict?.option ?? jb.verdict?.winner ?? jb.error?.code),
      cases.map(([, , said]) => said),
    )
  }
})

test('the m_prometheus judges: what follows a letter or a number may take it back', async (t) => {
  const cwd = judgeFolder(t, {}, ['m_prometheus.yaml', 'm_prometheus_pairwise.yaml'])
  for (const name of ['m_prometheus', 'm_prometheus_pairwise'])
    fine(await pipe(`jb-render ${name} --show > ${name}.yaml`, { cwd }))
  const cases: [judge: string, text: string, said: unknown][] = [
    ['m_prometheus', '[RESULT] 4', '4'],
    ['m_prometheus', '[RESULT] 4. Done.', '4'],
    ['m_prometheus', '[RESULT] 4.5', 'no_verdict'],
    ['m_prometheus', '[RESULT] 4[RESULT] 5', '5'],
    ['m_prometheus', '[RESULT] 3, then [RESULT] 4.5', '3'],
    ['m_prometheus', '[RESULT] 45', 'out_of_range'],
    ['m_prometheus_pairwise', '[RESULT] A', 0],
    ['m_prometheus_pairwise', '[RESULT] A or B', 'no_verdict'],
    ['m_prometheus_pairwise', '[RESULT] B, as in [RESULT] A tie', 1],
    ['m_prometheus_pairwise', '[RESULT] A order', 0],
  ]
  for (const ending of ['', '.yaml']) {
    const rows = cases.map(([judge, text]) => replied(`${judge}${ending}`, text))
    const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin: ndjson(rows) }), {}))
    assert.deepEqual(
      read.map(({ jb }) => jb.verdict?.option ?? jb.verdict?.winner ?? jb.error?.code),
      cases.map(([, , said]) => said),
    )
  }
})

const ASYNC = `
export const kind = 'pairwise'
export const render = async () => 'x'
export async function parse() { throw new Error('later') }
`

test('functions of a module return at once: a promise fails its row and says so', async (t) => {
  const cwd = judgeFolder(t, { 'j.mjs': ASYNC })
  const stdin = ndjson([pair()])
  const asked = rowsOf(expect(await jb('render', ['-q', 'j.mjs'], { cwd, stdin }), {}))
  assert.equal(asked[0]!.jb.error?.code, 'template_error')
  assert.match(
    asked[0]!.jb.error!.message,
    /^j\.mjs: render: returned a promise: the function must not be async/,
  )
  const rows = ndjson([replied('j.mjs', 'x'), replied('vanilla', 'Output (a)')])
  const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin: rows }), {}))
  assert.equal(read[0]!.jb.error?.code, 'no_verdict')
  assert.match(read[0]!.jb.error!.message, /^j\.mjs: parse: returned a promise/)
  assert.equal(read[1]!.jb.verdict?.decision, 'A>B')
})

test('a render that asks nothing, names a model, or gives what is no JSON fails its row', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export const parse = () => 'A>B'
export const render = (item, { fields }) => eval(item.question)`,
  })
  const cases: [made: string, message: RegExp | undefined][] = [
    ['({})', /returned no prompt/],
    ['[]', /returned no prompt/],
    ['({ messages: [] })', /returned no prompt/],
    ['[1]', /returned no prompt/],
    ['({ prompt: "p", model: "m" })', /returned a model/],
    ['({ prompt: "p", n: 5n })', /returned is not JSON/],
    ['(globalThis.o = { prompt: "p" }, o.o = o)', /returned is not JSON/],
    ['null', /returned null, expected a text/],
    ['({ prompt: "p" })', undefined],
    ['"text"', undefined],
  ]
  const stdin = ndjson(cases.map(([question]) => pair({ question })))
  const rows = rowsOf(expect(await jb('render', ['-q', 'j.mjs'], { cwd, stdin }), {}))
  for (const [i, [made, message]] of cases.entries()) {
    const { error, request } = rows[i]!.jb
    if (message) assert.match(error?.message ?? '', message, made)
    else assert.ok(request && !error, made)
  }
})

test('a parse that gives what is no JSON fails its row, and no half row is written', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export function parse(text) {
  const verdict = { decision: 'A>B' }
  if (text === 'circle') verdict.self = verdict
  if (text === 'big') verdict.n = 5n
  return verdict
}
export const render = () => 'x'`,
  })
  const rows = ['circle', 'big', 'good'].map((text) => replied('j.mjs', text))
  const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin: ndjson(rows) }), {}))
  assert.deepEqual(
    read.map(({ jb }) => jb.error?.code ?? jb.verdict?.decision),
    ['no_verdict', 'no_verdict', 'A>B'],
  )
  assert.match(read[0]!.jb.error!.message, /^j\.mjs: parse: the value it returned is not JSON: /)
})

test('what a module prints goes to stderr: stdout holds rows', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `console.log('loaded')
export const kind = 'pairwise'
export const render = () => { console.info('asked'); return 'x' }
export const parse = () => { console.table([1]); console.log('read'); return 'A>B' }`,
  })
  const asked = await jbProcess('render', ['j.mjs'], { cwd, stdin: ndjson([pair()]) })
  assert.equal(rowsOf(expect(asked, { err: 'loaded\nasked\n' })).length, 1)
  const read = await jbProcess('parse', [], { cwd, stdin: ndjson([replied('j.mjs', 'x')]) })
  assert.equal(rowsOf(expect(read, { err: /^loaded\n[\s\S]*read\n$/ }))[0]!.jb.verdict?.decision, 'A>B')
})

test('a forgotten judge, a missing field, a reply without a verdict: what there is, and what to do', async (t) => {
  const cwd = folder(t, { 'pairs.jsonl': ndjson([pair({ question: 'q' })]) })
  for (const file of ['pairs.jsonl', 'pairs.csv', 'pairs.ndjson.gz'])
    expect(await jb('render', [file], { cwd }), {
      code: 78,
      err: /is a file of rows, not a judge: the judge comes first/,
    })
  const items = ndjson([
    { question: 'q', response_a: 'x', response_B: 'y' },
    { q: 1, ['k'.repeat(70_000)]: 2 },
  ])
  const asked = await jb('render', ['vanilla'], { stdin: items })
  assert.match(asked.stderr, /field "response_A" is missing: did you mean "response_a"\?/)
  assert.match(asked.stderr, /field "response_A" is missing: there are q \(the judge/)
  const rows = ndjson([
    replied('vanilla', `${'long '.repeat(40)}\u001b[31m\u202eend`),
    replied('vanilla', ''),
  ])
  const read = await jb('parse', [], { stdin: rows })
  assert.match(
    read.stderr,
    /no_verdict: .* \(item \S+ of vanilla; the reply ends "[ \w]{60,}\\u001b\[31m\\u202eend"\)/,
  )
  assert.match(read.stderr, /of vanilla; the reply is empty\)/)
  // The judge that read it, not the one that asked.
  const other = await jb('parse', ['--judge', 'arena_hard'], { stdin: rows })
  assert.match(other.stderr, /of arena_hard; the reply is empty\)/)
  const direct = ndjson([replied('direct', '')])
  const { stderr } = await jb('parse', ['--compat', 'evalassist'], { stdin: direct })
  assert.equal(stderr.match(/the reply is empty/g)!.length, 1, stderr)
  const files = folder(t, { 'empty.yaml': '' })
  expect(await jb('render', ['empty.yaml'], { cwd: files, stdin: '' }), {
    code: 78,
    err: 'jb-render: empty.yaml: a judge file must be a mapping, this one is empty\n',
  })
  expect(await jb('render', ['vanilla.yaml'], { cwd: files, stdin: '' }), {
    code: 78,
    err: 'jb-render: vanilla.yaml: no such judge file (vanilla alone is the built-in judge)\n',
  })
})
