/** A judge file of the user's: what is wrong in it is said with the file, the key and what was expected. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadJudge } from '../../src/judges/_load.ts'
import { Fatal } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, pair, replied, rowOf, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

const GOOD = {
  about: 'Two answers.',
  kind: 'pairwise',
  fields: { question: 'question', a: 'response_A', b: 'response_B' },
  answers: ['a', 'b'],
  messages: [{ role: 'user', content: '{{ question }}\n1: {{ a }}\n2: {{ b }}\n' }],
  request: { temperature: 0 },
  verdict: { rule: 'label', pattern: '\\[\\[([12])\\]\\]', labels: { 1: 'A>B', 2: 'B>A' } },
}

const without = (key: keyof typeof GOOD) => {
  const { [key]: _, ...rest } = GOOD
  return rest
}

const verdict = (change: object) => ({ ...GOOD, verdict: { ...GOOD.verdict, ...change } })

/** What the file holds, and what the message must say behind the file's name. */
const WRONG: [what: string, content: unknown, message: RegExp][] = [
  [
    'an unknown key',
    { ...without('messages'), mesages: GOOD.messages },
    /: unknown key "mesages": did you mean messages\?/,
  ],
  ['a key like none', { ...GOOD, zzzzzzzz: 1 }, /: unknown key "zzzzzzzz" \(known: about, kind, /],
  ['no kind', without('kind'), /: "kind" is missing \(one of pairwise, /],
  [
    'an unknown kind',
    { ...GOOD, kind: 'pairwse' },
    /: "kind" is "pairwse", expected one of .*: did you mean pairwise\?/,
  ],
  [
    'no prompt',
    without('messages'),
    /: exactly one of "messages", "prompt" and a render function is needed, not 0/,
  ],
  ['two prompts', { ...GOOD, prompt: 'x' }, /is needed, not 2/],
  [
    'a role that is none',
    { ...GOOD, messages: [{ role: 'judge', content: 'x' }] },
    /: messages\[0\] needs "role"/,
  ],
  [
    'a message without content',
    { ...GOOD, messages: [GOOD.messages[0], { role: 'user' }] },
    /: messages\[1\] needs/,
  ],
  ['messages as a text', { ...GOOD, messages: 'x' }, /: "messages" must be an array, not a string/],
  ['fields as a list', { ...GOOD, fields: ['question'] }, /: "fields" must be an object, not an array/],
  [
    'a field that is a number',
    { ...GOOD, fields: { question: 7 } },
    /: fields\.question must name an item's field/,
  ],
  [
    'answers that are no fields',
    { ...GOOD, answers: ['a', 'c'] },
    /: answers: no template uses "c" \(they use a, b, question\)/,
  ],
  [
    'an answer twice',
    { ...GOOD, answers: ['a', 'a'] },
    /: "answers" is \["a","a"\], expected two different template names/,
  ],
  [
    'three answers of two',
    { ...GOOD, answers: ['a', 'b', 'c'] },
    /: "answers" is .*, expected two different/,
  ],
  ['answers that are no texts', { ...GOOD, answers: ['a', 7] }, /: "answers" is \["a",7\], expected two/],
  ['no verdict', without('verdict'), /: "verdict" needs a "rule", or the file a parse function/],
  ['an unknown rule', verdict({ rule: 'lable' }), /: verdict\.rule is "lable": did you mean label\?/],
  [
    'a key its rule does not know',
    verdict({ patern: 'x' }),
    /: unknown key verdict\.patern of rule "label": did you mean pattern\?/,
  ],
  ['no labels', verdict({ labels: undefined }), /: verdict\.labels must map each label to what it means/],
  [
    'a label that means nothing',
    verdict({ labels: { 1: 'first' } }),
    /: verdict\.labels\["1"\] is "first", expected A>B, B>A or A=B/,
  ],
  [
    'a pattern that is none',
    verdict({ pattern: '([12]' }),
    /: verdict\.pattern \(\[12\]: .*patterns are RE2/,
  ],
  ['a pattern that is no text', verdict({ pattern: 7 }), /: verdict\.pattern/],
  ['a pattern RE2 does not have', verdict({ pattern: '(?<=x)([12])' }), /: verdict\.pattern .*no lookaround/],
  [
    'a pick that is none',
    verdict({ pick: 'best' }),
    /: verdict\.pick is "best", expected one of last, first, only/,
  ],
  [
    'a template that is wrong',
    { ...GOOD, messages: [{ role: 'user', content: 'a\nb {{ x' }] },
    /: messages\[0\]:2:\d+: /,
  ],
  ['a list', [GOOD], /: a judge file must be a mapping, not an array/],
  ['a text', 'judge', /: a judge file must be a mapping, not a string/],
  ['nothing', '', /: /],
]

/** Kinds of mistakes that are seen in different places; of the others the place alone is asked. */
const BY_PROCESS = [
  'an unknown key',
  'answers that are no fields',
  'an unknown rule',
  'a template that is wrong',
  'nothing',
]

describe('a mistake is found before a row is asked about: exit 78', { concurrency: 2 }, () => {
  for (const [what, content, message] of WRONG) {
    test(what, async (t) => {
      const cwd = judgeFolder(t, { 'mine.yaml': content === '' ? '' : JSON.stringify(content) })
      if (BY_PROCESS.includes(what)) {
        const ran = await jb('render', ['mine.yaml'], { cwd, stdin: ndjson([pair()]) })
        expect(ran, { code: 78, out: '', err: message })
        assert.match(ran.stderr, /^jb-render: mine\.yaml: [^\n]*\n$/)
        return
      }
      await assert.rejects(
        async () => readerOf(await loadJudge(`${cwd}/mine.yaml`)),
        (error) => {
          assert.ok(error instanceof Fatal && error.exitCode === 78, String(error))
          assert.match(error.message, message)
          return error.message.startsWith(`${cwd}/mine.yaml: `)
        },
      )
    })
  }
})

test('text that is no YAML, no JSON, no module: file and place', async (t) => {
  const path = judgeFolder(t, {
    'bad.yaml': 'kind: pairwise\nfields: { question: [\n',
    'tabs.yaml': 'kind: pairwise\n\tfields: 1\n',
    'unquoted.yaml': 'kind: pairwise\nprompt: {{ question }}\n',
    'deep.yaml': `kind: ${'['.repeat(3000)}${']'.repeat(3000)}\n`,
    'bad.json': '{"kind": "pairwise",}',
    'syntax.mjs': 'export const kind = ',
    'throws.mjs': 'throw new Error("not today")',
    'empty.mjs': '',
    'no-parse.mjs': 'export const kind = "pairwise"; export const render = () => "x"',
    'number.mjs': 'export const kind = "pairwise"; export const parse = 7; export const prompt = "x"',
  })
  const cases: [string, RegExp][] = [
    ['bad.yaml', /^jb-render: bad\.yaml:3:\d+: /],
    ['tabs.yaml', /^jb-render: tabs\.yaml:2:\d+: /i],
    [
      'unquoted.yaml',
      /^jb-render: unquoted\.yaml:2:10: a key is a list or an object \(a value that begins with/,
    ],
    ['deep.yaml', /^jb-render: deep\.yaml:1:\d+: values are nested too deeply/],
    ['bad.json', /^jb-render: bad\.json: .*/],
    ['syntax.mjs', /^jb-render: syntax\.mjs: Unexpected end of input/],
    ['throws.mjs', /^jb-render: throws\.mjs: not today/],
    ['empty.mjs', /^jb-render: empty\.mjs: "kind" is missing/],
    ['no-parse.mjs', /^jb-render: no-parse\.mjs: "verdict" needs a "rule", or the file a parse function/],
    ['number.mjs', /^jb-render: number\.mjs: "parse" must be a function, not a number/],
    ['.', /^jb-render: \.: /],
  ]
  for (const [file, err] of cases) {
    const ran = await jb('render', [file], { cwd: path, stdin: ndjson([pair()]) })
    expect(ran, { code: 78, out: '', err })
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1, ran.stderr)
  }
})

test('a pairwise judge that does not say which its answers are cannot be asked in the other order', async (t) => {
  const path = judgeFolder(t, {
    'j.json': JSON.stringify(without('answers')),
    'j.mjs': `export const kind = 'pairwise'
export const render = (item) => item.response_A + item.response_B
export const parse = () => 'A>B'`,
  })
  const stdin = ndjson([pair()])
  for (const file of ['j.json', 'j.mjs']) {
    expect(await jb('render', [file], { stdin, cwd: path }), { err: '' })
    for (const order of ['both', 'ba', 'random'])
      expect(await jb('render', [file, '--order', order], { stdin, cwd: path }), {
        code: 78,
        out: '',
        err: new RegExp(`^jb-render: ${file}: "answers" is missing: the two template names`),
      })
  }
})

const known = { stdin: ndjson([pair({ pair_id: 'x' })]) }

test('the same judge as YAML, as JSON and as a module asks and reads the same', async (t) => {
  const { verdict: _, messages: __, ...rest } = GOOD
  const module = `
export default ${JSON.stringify(rest)}
export const render = (item, { fields, order }) => \`\${fields.question}\\n1: \${fields.a}\\n2: \${fields.b}\`
export function parse(text, item) {
  const found = /\\[\\[([12])\\]\\]/.exec(text)
  return found ? { decision: found[1] === '1' ? 'A>B' : 'B>A', label: found[1] } : { decision: '', reason: 'no number' }
}
`
  const { stringify } = await import('yaml')
  const path = judgeFolder(t, { 'j.yaml': stringify(GOOD), 'j.json': JSON.stringify(GOOD), 'j.mjs': module })
  const ask = async (file: string) => {
    const rows = rowsOf(fine(await jb('render', [file, '--order', 'both'], { ...known, cwd: path })))
    return rows.map(({ jb }) => ({ ...jb, judge: 0, judge_digest: 0 }))
  }
  const yaml = await ask('j.yaml')
  assert.deepEqual(
    yaml.map(({ request }) => request),
    [
      {
        messages: [{ role: 'user', content: 'What is 2 + 2?\n1: 4, because two and two are four.\n2: 5' }],
        temperature: 0,
      },
      {
        messages: [{ role: 'user', content: 'What is 2 + 2?\n1: 5\n2: 4, because two and two are four.' }],
        temperature: 0,
      },
    ],
  )
  assert.deepEqual(await ask('j.json'), yaml)
  assert.deepEqual(await ask('j.mjs'), yaml)

  for (const file of ['j.yaml', 'j.json', 'j.mjs']) {
    const rows = [
      replied(file, 'I say [[1]]'),
      replied(file, 'I say [[1]]', { trial: { n: 1, of: 2, order: 'BA' } }),
      replied(file, 'nothing'),
    ]
    const ran = expect(await jb('parse', ['-q'], { stdin: ndjson(rows), cwd: path }), {})
    assert.deepEqual(
      rowsOf(ran).map(({ jb }) => [jb.verdict?.decision, jb.verdict?.label ?? jb.error?.code]),
      [
        ['A>B', '1'],
        ['B>A', '1'],
        [undefined, 'no_verdict'],
      ],
      file,
    )
  }
})

test('a judge by path: the row names it as it was named, from the folder where it was asked', async (t) => {
  const path = judgeFolder(t, { 'deep/er/j.json': JSON.stringify(GOOD) })
  const ran = fine(
    await pipe('jb-render deep/er/j.json | jb-call -m baseline:longer --no-cache | jb-parse | jb-score', {
      ...known,
      cwd: path,
    }),
  )
  const { judge, result } = rowOf(ran).jb
  assert.deepEqual([judge, result?.decision], ['deep/er/j.json', 'A>B'])
})

test('a reply that would stall a backtracking pattern is read in linear time', async (t) => {
  const judge = verdict({ pattern: '(?:a+)+(b)', labels: { b: 'A>B' } })
  const path = judgeFolder(t, { 'j.json': JSON.stringify(judge) })
  const stdin = ndjson([replied('j.json', 'a'.repeat(50_000))])
  const ran = expect(await jb('parse', ['-q'], { stdin, cwd: path }), {})
  assert.equal(rowOf(ran).jb.error?.code, 'no_verdict')
})
