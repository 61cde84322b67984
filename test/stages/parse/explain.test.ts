/** --explain: how a reply is read, as text; and what the summary says where many replies have no verdict. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../../helpers/folder.ts'
import { ndjson, replied } from '../../helpers/rows.ts'
import { expect, fine, jb } from '../../helpers/run.ts'

const REPLY = '<think>[[A]]</think>My own answer.\n> B says [[A]]\n\nFirst [[A]].\n\u001bSo **[[\u200bB]]**.'

test('of a long id, such as a question, a message has the beginning', async () => {
  const long = 'Why? '.repeat(200)
  const { stderr } = await jb('parse', [], {
    stdin: ndjson([replied('skywork_critic', 'No.', { item: long })]),
  })
  assert.match(stderr, /\(item (Why\? ){12}… of skywork_critic; the reply: "No\."\)\n/)
})

test('what was left out, which pattern matched where, what counts: the first row, or the first N', async () => {
  const stdin = ndjson([REPLY, 'No idea.'].map((text) => replied('skywork_critic', text)))
  assert.equal(
    expect(await jb('parse', ['--explain'], { stdin }), { err: '' }).stdout,
    String.raw`item i1, judge skywork_critic
left out: 20 characters of thinking, 1 unseen character
other people's words: the lines with ¦ (searched only if nothing is found elsewhere)
pattern \[\[\s*([AB])\s*\]\]: [[A]] in line 4, [[B]] in line 5
counts: B in line 5, column 9
verdict: {"label":"B","decision":"B>A"}
1 │ My own answer.
2 ¦ > B says [[A]]
3 │ 
4 │ First [[A]].
5 │ \u001bSo **[[B]]**.
                 ^

`,
  )
  const wide = replied('skywork_critic', '評価\t[[A]]')
  const below = fine(await jb('parse', ['--explain'], { stdin: ndjson([wide]) })).stdout
  assert.ok(below.endsWith('1 │ 評価\t[[A]]\n        \t  ^\n\n'), below)
  const both = fine(await jb('parse', ['--explain', '2'], { stdin })).stdout
  assert.match(both, /pattern .*: nothing\nfailed: no_verdict: looked for one of A, B, and found none/)
  const marked = fine(await jb('parse', ['--explain=1', '--color', 'always'], { stdin })).stdout
  assert.ok(marked.includes('[[\u001b[1;7mB\u001b[0m]]'), marked)
})

test('JSON, a window, a reply that was cut short, a file of the user’s own, a row without a reply', async (t) => {
  const cwd = judgeFolder(t, {
    'j.json': JSON.stringify({
      kind: 'grade',
      messages: [{ role: 'user', content: 'x' }],
      verdict: { rule: 'json', range: [1, 5] },
    }),
  })
  const rows = [
    replied('j.json', 'So: {"score": 9}'),
    replied('nugget_assign', '1. Verdict: support\n2. perhaps', {
      trial: { n: 0, of: 1, nuggets: ['a', 'b'] },
    }),
    replied('vanilla', 'x', { reply: { text: 'Output (a)', model: 'm', finish_reason: 'length' } }),
    { jb: { judge: 'vanilla', item: 'none' } },
  ]
  const told = fine(await jb('parse', ['--explain', '9'], { cwd, stdin: ndjson(rows) })).stdout
  assert.match(
    told,
    /found: \{"score":9\}\nfailed: out_of_range: the score 9 is not within 1 to 5 .*\n1 │ So: /,
  )
  assert.match(told, /line: Verdict: support\npattern .*: Verdict: support in line 1\n/)
  assert.match(told, /line: Verdict: perhaps\npattern .*: nothing\nverdict: /)
  assert.match(told, /finish_reason length\n.*\nfailed: truncated: .*\n1 │ Output \(a\)\n/)
  assert.match(told, /item none, judge vanilla\nfailed: missing_field: no jb\.reply/)
})

test('more than 5 % of the replies without a verdict: the summary says so, by code, and what to do', async () => {
  const run = async (unread: number) => {
    const rows = Array.from({ length: 40 }, (_, i) => replied('vanilla', i < unread ? 'x' : 'Output (a)'))
    const cut = { reply: { text: 'Output', model: 'm', finish_reason: 'length' } }
    if (unread > 0) rows[0] = replied('vanilla', 'x', cut)
    return (await jb('parse', [], { stdin: ndjson(rows) })).stderr
  }
  assert.equal(await run(0), '')
  assert.match(await run(2), /jb-parse: 40 rows, 2 failed here \(truncated 1, no_verdict 1\)\n$/)
  assert.match(
    await run(3),
    /40 rows, 3 failed here .*, 7\.5 % of the replies have no verdict \(truncated 1, no_verdict 2\): jb-call --repair 1 asks again for the form, a larger max_tokens leaves room for it\n$/,
  )
  // A value that an original gives in place of a verdict is none.
  const original = await jb('parse', ['--compat', 'rm-gallery'], { stdin: ndjson([replied('vanilla', 'x')]) })
  assert.match(original.stderr, /100\.0 % of the replies have no verdict \(no_verdict 1\)/)
})
