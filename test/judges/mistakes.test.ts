/** Judge files that look right and are not, and labels: said with file and key, and never a bug. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asksNothing } from '../../src/judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge } from '../../src/judges/_load.ts'
import { folder, judgeFolder } from '../helpers/folder.ts'
import { ndjson, pair, replied } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'
import { GOOD, verdict } from './_mistakes.ts'

const rule = (kind: string, config: object) => ({
  kind,
  prompt: '{{ question }}',
  verdict: config,
})

const WRONG: [what: string, file: object, message: RegExp][] = [
  [
    'keep of the verdict’s own',
    { ...GOOD, keep: { score: '(.*)' } },
    /: keep\.score: the verdict has a "score" of its own: choose another name/,
  ],
  [
    'keep’s name',
    { ...GOOD, keep: { 'a b': '(.*)' } },
    /: keep\.a b: expected a name of letters, digits and _/,
  ],
  ['keep’s pattern', { ...GOOD, keep: { why: '(' } }, /: keep\.why \(: .*\(patterns are RE2/],
  ['keep without a pattern', { ...GOOD, keep: { why: 3 } }, /: keep\.why 3: must be a string/],
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
  [
    'again.times',
    { ...GOOD, again: { times: -1 } },
    /: again\.times is -1, expected a whole number of at least 0/,
  ],
  ['again.tmes', { ...GOOD, again: { tmes: 1 } }, /: unknown key again\.tmes: did you mean times\?/],
  [
    'again.request',
    { ...GOOD, again: { request: ']]' } },
    /: again\.request is "\]\]", expected a mapping of parameters/,
  ],
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
    /: templates\.vars is \["a"\], expected a mapping of each variable to a name of the judge/,
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
    'compat of earlier versions',
    { ...GOOD, compat: { judgebench: { rule: 'label', pattern: 'x' } } },
    /: compat\.judgebench must name a reading of that original, as in \{ judgebench: arena_hard \}/,
  ],
  [
    'a reading that no original has',
    { ...GOOD, compat: { judgebench: 'vanila' } },
    /: compat\.judgebench is "vanila": did you mean vanilla\?/,
  ],
  [
    'the closest option',
    rule('choice', { rule: 'option', read: 'closest' }),
    /: verdict\.read is "closest", expected json or place/,
  ],
  ['flags', verdict({ flags: 'z' }), /: verdict\.flags is "z", expected i, m or im/],
  ['fold', verdict({ fold: 'maybe' }), /: verdict\.fold is "maybe", expected true or false/],
  ['no labels', verdict({ labels: {} }), /: verdict\.labels is \{\}, expected a mapping of each label/],
  [
    'labels of one meaning',
    verdict({ labels: { 1: 'A>B', 2: 'A>B' } }),
    /: verdict\.labels: all of them mean A>B\n/,
  ],
  ['labels in a list', verdict({ labels: ['1'] }), /: verdict\.labels is \["1"\], expected a mapping/],
  ['strong', verdict({ strong: ['C'] }), /: verdict\.strong: "C" is not one of the labels \(1, 2\)/],
  ['patterns', verdict({ pattern: undefined, patterns: [] }), /: verdict\.patterns is \[\], expected a list/],
  ['first', verdict({ first: 'yes' }), /: verdict\.first is "yes", expected true or false/],
  [
    'tie_within',
    rule('pairwise', { rule: 'pair', tie_within: -1 }),
    /: verdict\.tie_within is -1, expected a number of at least 0/,
  ],
  [
    'a pair of one group',
    rule('pairwise', { rule: 'pair', pattern: 'Scores: (\\d+) \\d+' }),
    /: verdict\.pattern .*: expected 2 groups, one for each number, not 1/,
  ],
  [
    'range',
    rule('grade', { rule: 'number', range: ['a', 5] }),
    /: verdict\.range must be \[lowest, highest\]/,
  ],
  [
    'min',
    rule('list', { rule: 'list', min: -1 }),
    /: verdict\.min is -1, expected a whole number of at least 0/,
  ],
  [
    'a grade of a pair',
    rule('grade', { rule: 'pair' }),
    /: verdict\.rule "pair" is for judges of kind pairwise, not grade/,
  ],
  [
    'a decision of a number',
    rule('pairwise', { rule: 'number' }),
    /: verdict\.rule "number" is for judges of kind/,
  ],
  [
    'a grade of an option',
    rule('grade', { rule: 'option' }),
    /"option" is for judges of kind choice or listwise, not grade/,
  ],
  ['a choice of a list', rule('choice', { rule: 'list' }), /"list" is for judges of kind list, not choice/],
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

test('every judge that comes along can be copied: its prompts, its patterns and those of its originals', async (t) => {
  const names = BUILTIN_JUDGES.names()
  const cwd = judgeFolder(
    t,
    {},
    names.map((name) => `${name}.yaml`),
  )
  fine(await pipe(names.map((name) => `jb-render ${name} --show > ${name}.yaml`).join(' && '), { cwd }))
  const judges = await Promise.all(names.map(loadJudge))
  const asking = judges.filter((judge) => !asksNothing(judge))
  const renders = asking.map(
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

test('a forgotten judge, a missing field, a reply without a verdict: what there is, and what to do', async (t) => {
  const cwd = folder(t, { 'pairs.jsonl': ndjson([pair({ question: 'q' })]) })
  for (const file of ['pairs.jsonl', 'pairs.csv', 'pairs.ndjson.gz'])
    expect(await jb('render', [file], { cwd }), {
      code: 78,
      err: /is a file of rows, not a judge: the judge comes first/,
    })
  expect(await jb('render', ['pairs.jsonl', 'vanilla'], { cwd }), {
    code: 2,
    err: 'jb-render: vanilla: no such file, but pairs.jsonl is one: the order is jb-render JUDGE [FILE…]\n',
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

test('a template without quotes, and labels of one meaning, are told', async (t) => {
  const cwd = folder(t, {
    'bare.yaml': 'kind: grade\nmessages:\n  - role: user\n    content: {{ question }} {{ answer }}\n',
    'one.json': JSON.stringify({ ...GOOD, verdict: { ...GOOD.verdict, labels: { A: 'A>B', B: 'A>B' } } }),
  })
  for (const [file, err] of [
    ['bare.yaml', /^jb-render: bare\.yaml:4:\d+: .*\(a value that begins with \{\{ needs quotes\)\n$/],
    ['one.json', /^jb-render: one\.json: verdict\.labels: all of them mean A>B\n$/],
  ] as const)
    expect(await jb('render', [file], { cwd, stdin: ndjson([pair()]) }), { code: 78, err })
})
