/**
 * What each judge makes of a reply: by its own rule, as JudgeBench's code reads it (--compat judgebench), and
 * as RM-Gallery's does (--compat rm-gallery). A row of a table is a reply and three decisions; `x` is a reply
 * without a verdict, `=` stands for "as in the column before".
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadJudge } from '../../src/judges/_load.ts'
import { RowFailure } from '../../src/rows/record.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

/** No verdict under an original's rule: null in JudgeBench's files, an empty string in RM-Gallery's. */
const NONE: Record<string, unknown> = { own: 'x', judgebench: null, 'rm-gallery': '' }

type Line = [reply: string, own: string, judgebench?: string, rmGallery?: string]

const THINK = (inside: string, after: string) => `<think>${inside}</think>${after}`

const TABLES: Record<string, Line[]> = {
  arena_hard: [
    ['My final verdict is: [[A>B]]', 'A>B', '=', '='],
    ['[[A>>B]]', 'A>B', '=', '='],
    ['[[B>A]]', 'B>A', '=', '='],
    ['[[B>>A]]', 'B>A', '=', '='],
    ['[[A=B]]', 'A=B', '=', '='],
    ['', 'x', 'x', 'x'],
    ['Assistant A is better.', 'A>B', 'x', 'x'],
    // Repeats of one label are one verdict.
    ['[[A>B]] … so [[A>B]]', 'A>B', '=', '='],
    // Two labels: the last counts here (in one breath none) and in RM-Gallery; JudgeBench gives up, also where they mean the same.
    ['[[A>B]], no: [[B>A]]', 'B>A', 'x', 'B>A'],
    ['[[A>>B]], or rather [[A>B]]', 'A>B', 'x', 'A>B'],
    ['[[A=B]] [[B>A]] [[A=B]]', 'x', 'x', 'A=B'],
    ['[[A>B]] [[B>A]]', 'x', 'x', 'B>A'],
    ['[[A>>B]] / [[A>B]]', 'A>B', 'x', 'A>B'],
    // Mirrored labels are no decision for the originals, and survive as they are; here they mean what they say.
    ['[[A<B]]', 'B>A', 'A<B', 'A<B'],
    ['[[B<<A]]', 'A>B', 'B<<A', 'B<<A'],
    ['[[B=A]]', 'A=B', 'B=A', 'B=A'],
    // What no scale has.
    ['[[A>B>A]]', 'x', 'A>B>A', 'A>B>A'],
    ['[[>]]', 'x', '>', '>'],
    ['[[A]]', 'A>B', 'A', 'A'],
    // `>>` becomes `>` once.
    ['[[A>>>B]]', 'x', 'A>>B', 'A>>B'],
    ['[[A>>>>B]]', 'x', 'A>>B', 'A>>B'],
    // Case and spaces.
    ['[[a>b]]', 'x', 'x', 'x'],
    ['[[ A>B ]]', 'A>B', 'x', 'x'],
    ['[[A > B]]', 'A>B', 'x', 'x'],
    ['[A>B]', 'A>B', 'x', 'x'],
    ['[[[A>B]]]', 'A>B', '=', '='],
    // Words of an answer, quoted before the verdict.
    ['Assistant B wrote "[[B>>A]]", which I ignore. [[A>B]]', 'A>B', 'x', 'A>B'],
    // Thinking aloud counts for the originals, not here.
    [THINK('first I thought [[B>A]]', '[[A>B]]'), 'A>B', 'x', 'A>B'],
    [THINK('[[B>A]]', 'none'), 'x', 'B>A', 'B>A'],
    ['<think>[[B>A]] and on and on', 'x', 'B>A', 'B>A'],
    ['opened in the prompt [[B>A]]</think>[[A>B]]', 'A>B', 'x', 'A>B'],
    // A second attempt's text stands behind the first.
    ['\nI compared both.\nMy verdict: [[B>A]]', 'B>A', '=', '='],
  ],
  compass_judger: [
    ['[[A>>B]]', 'A>B', '='],
    ['[[A>B]] [[B>A]]', 'x', 'x'],
    ['neither', 'x', 'x'],
  ],
  vanilla: [
    ['Output (a)', 'A>B', '=', '='],
    ['Output (b)', 'B>A', '=', '='],
    ['  \n\tOutput (a)\n ', 'A>B', '=', '='],
    ['Output (a).', 'A>B', 'x', 'x'],
    ['I prefer Output (b)', 'B>A', 'x', 'x'],
    ['output (a)', 'A>B', 'x', 'x'],
    ['Output (A)', 'A>B', 'x', 'x'],
    ['Output (a) is worse than Output (b)', 'B>A', 'x', 'x'],
    ['Output (a)\nOutput (a)', 'A>B', 'x', 'x'],
    ['"Output (a)"', 'A>B', 'x', 'x'],
    ['Output(a)', 'A>B', 'x', 'x'],
    // A sentence about both: what it says of them, or nothing.
    ['Output (a) is better than Output (b).', 'A>B', 'x', 'x'],
    ['Output (b) is clearly better than Output (a).', 'B>A', 'x', 'x'],
    ['Output (a) over Output (b)', 'A>B', 'x', 'x'],
    ['Output (b), not Output (a)', 'B>A', 'x', 'x'],
    ['Neither Output (a) nor Output (b)', 'x', 'x', 'x'],
    ['Output (a) or Output (b)', 'x', 'x', 'x'],
    ['Output (a) and Output (b) are equal.', 'x', 'x', 'x'],
    ['Output (a) outdoes Output (b)', 'x', 'x', 'x'],
    ['I prefer Output (a) to Output (b)', 'A>B', 'x', 'x'],
    ['Of Output (a) and Output (b), the better is Output (a)', 'A>B', 'x', 'x'],
    ['Output (a) is right. Output (b) is wrong.', 'A>B', 'x', 'x'],
    ['a', 'A>B', 'x', 'x'],
    ['', 'x', 'x', 'x'],
    [THINK('hm', 'Output (a)'), 'A>B', 'x', 'x'],
    // What Python's strip takes away and JavaScript's does not, and the other way round.
    ['\u001cOutput (a)\u0085', 'A>B', '=', '='],
    ['\ufeffOutput (a)', 'A>B', 'x', 'x'],
  ],
  auto_j: [
    ['So, the final decision is Response 1', 'A>B', '=', '='],
    ['So, the final decision is Response 2.', 'B>A', '=', '='],
    ['So, the final decision is Tie', 'A=B', '=', '='],
    ['final decision is   RESPONSE 2, clearly', 'B>A', '=', '='],
    ['final decision is tied', 'A=B', '=', '='],
    ['final decision is Response 12', 'x', 'A>B', 'A>B'],
    ['final decision is Response 1. No: the final decision is Response 2', 'B>A', '=', '='],
    // The words must be written small, a space behind them.
    ['Final Decision is Response 1', 'A>B', 'x', 'x'],
    ['final decision is: Response 1', 'A>B', 'x', 'x'],
    ['final decision is\nResponse 1', 'A>B', 'x', 'x'],
    ['final decision is \nResponse 1', 'A>B', '=', '='],
    ['final decision is **Response 1**', 'A>B', 'x', 'x'],
    // Only what follows the last of them is read.
    ['final decision is Response 1. In short, my final decision is clear.', 'A>B', 'x', 'x'],
    ['final decision is the first', 'x', 'x', 'x'],
    // What Python’s strip() takes away, and its lower() makes no other letter of.
    ['final decision is \x1cTie', 'x', 'A=B', 'A=B'],
    ['final decision is \ufeffTie', 'A=B', 'x', 'x'],
    ['final decision is re\u017fponse 1', 'A>B', 'x', 'x'],
    // White space at the end is gone before the words are looked for.
    ['final decision is Response 1. So the final decision is ', 'A>B', '=', '='],
    ['final decision is Response 1 or Response 2', 'x', 'A>B', 'A>B'],
    ['final decision is Response 1 and Response 2 are equal', 'x', 'A>B', 'A>B'],
    ['final decision is Response 2, and clearly', 'B>A', '=', '='],
    ['Response 1', 'A>B', 'x', 'x'],
    ['', 'x', 'x', 'x'],
  ],
  prometheus_2: [
    ['Feedback: both fine. [RESULT] A', 'A>B', '=', '='],
    ['Feedback: both fine. [RESULT] B', 'B>A', '=', '='],
    ['[result] b', 'B>A', '=', '='],
    ['[RESULT]\nA\n', 'A>B', '=', '='],
    // No terminator is asked for by RM-Gallery: the first letter of a word decides.
    ['[RESULT] Assistant B', 'B>A', 'x', 'A>B'],
    ['[RESULT] Both', 'x', 'x', 'B>A'],
    ['[RESULT]A.', 'A>B', 'x', 'A>B'],
    // First match in the text, or first pattern that hits.
    ['[Response A] then [RESULT] B', 'B>A', 'A>B', 'B>A'],
    ['[RESULT: B ]', 'B>A', 'B>A', 'x'],
    ['[RESULT: B]', 'B>A', '=', '='],
    ['[Response B]', 'B>A', '=', '='],
    ['[Result] Response A', 'A>B', '=', '='],
    ['[Result: A]', 'A>B', '=', '='],
    ['so:\nResult: A', 'A>B', '=', '='],
    ['so:\nresult B\n', 'B>A', '=', '='],
    ['so the Result: A', 'A>B', 'x', 'x'],
    ['[RESULT] A [RESULT] B', 'x', 'A>B', 'A>B'],
    ['[RESULT] **A**', 'A>B', 'x', 'x'],
    ['[RESULT] (A)', 'A>B', 'x', 'x'],
    ['[RESULT] C', 'x', 'x', 'x'],
    ['[RESULT] Tie', 'x', 'x', 'x'],
    // A letter that is an article, or that what follows takes back.
    ['[RESULT] A tie', 'x', 'A>B', 'A>B'],
    ['Result: a tie', 'x', 'A>B', 'A>B'],
    ['Result: A good answer', 'x', 'A>B', 'A>B'],
    ['Result: a close call, but B.', 'x', 'A>B', 'A>B'],
    ['[RESULT] A or B', 'x', 'A>B', 'A>B'],
    ['[RESULT] A and B are equal', 'x', 'A>B', 'A>B'],
    ['[RESULT] A=B', 'x', 'x', 'A>B'],
    ['[RESULT] A/B', 'x', 'x', 'A>B'],
    ['[RESULT] B\n\nResult: a good answer', 'B>A', 'B>A', 'B>A'],
    ['[RESULT] B is better, for it is right', 'B>A', '=', '='],
    ['[RESULT] B because it is right', 'B>A', '=', '='],
    ['[RESULT] A. It is right.', 'A>B', 'x', 'A>B'],
    ['[RESULT] A\nIt is right.', 'A>B', '=', '='],
    ['[RESULT] B</s>', 'B>A', 'x', 'B>A'],
    ['[RESULT] A [END]', 'A>B', '=', '='],
    // Python’s white space and line ends.
    ['[RESULT]\x1cB\x85', 'x', 'B>A', '='],
    ['[RESULT]\ufeffB', 'B>A', 'x', 'x'],
    ['so\rResult: B\rx', 'B>A', 'x', 'x'],
    ['A', 'A>B', 'x', 'x'],
    ['', 'x', 'x', 'x'],
  ],
  skywork_critic: [
    ['[[A]]', 'A>B', '=', '='],
    ['[[B]]', 'B>A', '=', '='],
    // Any capital A anywhere is A for JudgeBench.
    ['[[B]]. Assistant B is better', 'B>A', 'A>B', 'B>A'],
    ['B', 'B>A', 'B>A', 'x'],
    ['Both are weak', 'x', 'B>A', 'x'],
    ['An answer', 'x', 'A>B', 'x'],
    ['neither', 'x', 'x', 'x'],
    ['[[a]]', 'A>B', 'x', 'x'],
    ['', 'x', 'x', 'x'],
    // Both: A first for RM-Gallery, wherever it stands.
    ['[[B]] and not [[A]]', 'B>A', 'A>B', 'A>B'],
    ['[[A]], no, [[B]]', 'B>A', 'A>B', 'A>B'],
  ],
  panda_lm: [
    ['1\n### Reason: …', 'A>B', '='],
    ['2', 'B>A', '='],
    ['Tie\n### Reason', 'A=B', '='],
    ['tie', 'A=B', '='],
    ['\n\n 1\nbecause', 'A>B', '='],
    // Whatever else stands in the first line is a tie for the original, and counted as unread.
    ['1.', 'A>B', 'A=B'],
    ['1 ', 'A>B', '='],
    ['1 \nbecause', 'A>B', 'A=B'],
    ['Response 1', 'A>B', 'A=B'],
    ['12', 'x', 'A=B'],
    ['1 and 2 are equal', 'x', 'A=B'],
    ['1 or 2', 'x', 'A=B'],
    ['1/2', 'x', 'A=B'],
    ['1, 2', 'x', 'A=B'],
    ['1.5', 'x', 'A=B'],
    ['1. Response 1 is right.', 'x', 'A=B'],
    ['2</s>', 'B>A', 'A=B'],
    ['2 ### Reason: …', 'B>A', 'A=B'],
    // Python's strip leaves a byte order mark where it is.
    ['\ufeff1', 'A>B', 'A=B'],
    ['\u001c1', 'x', 'A>B'],
    ['because\n2', 'x', 'A=B'],
    ['', 'x', 'A=B'],
  ],
  preference: [
    ['One has more. Better: 1', 'A>B'],
    ['**Better:** 2', 'B>A'],
    ['Better: **0**', 'A=B'],
    ['better: 2.', 'B>A'],
    ['Better: 2\nIt has more.', 'B>A'],
    ['Better: 0 (no difference)', 'A=B'],
    ['Better: 1 - it has more', 'A>B'],
    ['Better: 1, because it has more', 'A>B'],
    ['Better: 1<|im_end|>', 'A>B'],
    ['Better: 1 Better: 2', 'x'],
    ['Better: 1 or 2', 'x'],
    ['Better: 1/2', 'x'],
    ['Better: 1 and 2', 'x'],
    ['Better: 1, 2', 'x'],
    ['Better: 1 - 2', 'x'],
    ['Better: 1.5', 'x'],
    ['Better: -1', 'x'],
    ['Better: 12', 'x'],
    ['Better: neither', 'x'],
  ],
  judge_lm: [
    ['8 3\nThe first …', 'A>B', '='],
    ['2 7', 'B>A', '='],
    ['5 5', 'A=B', '='],
    ['8.5 8', 'A>B', '='],
    ['8,9', 'B>A', '='],
    // A comma and a space make three pieces: a tie for the original.
    ['8, 9', 'B>A', 'A=B'],
    ['8  9', 'B>A', 'A=B'],
    ['8 9 ', 'B>A', 'A=B'],
    [' 8 9', 'B>A', 'A=B'],
    ['\n8 9', 'B>A', 'A=B'],
    ['8 9 10', 'x', 'A=B'],
    ['8\t9', 'B>A', 'A=B'],
    ['Scores: 8 9', 'B>A', 'A=B'],
    ['8 nine', 'x', 'A=B'],
    ['8', 'x', 'A=B'],
    ['', 'x', 'A=B'],
    // Numbers as Python reads them.
    ['1_0 9', 'x', 'A>B'],
    ['inf 9', 'x', 'A>B'],
    ['nan 9', 'x', 'A=B'],
    ['0x10 9', 'x', 'A=B'],
    ['\u0668 \uff19', 'x', 'B>A'],
    ['\u30009 8', 'A>B', '='],
    ['\x1c9 8', 'x', 'A=B'],
    ['1e1 9', 'A>B', '='],
    ['inf inf', 'x', 'A=B'],
    ['1e400 1e400', 'x', 'A=B'],
    ['1e400 9', 'x', 'A>B'],
    // A scale, a label or a place in a list is no score.
    ['9/10 8/10', 'A>B', 'A=B'],
    ['9 / 10, 8 / 10', 'A>B', 'A=B'],
    ['9 out of 10 8 out of 10', 'A>B', 'A=B'],
    ['90% 80%', 'x', 'A=B'],
    ['9/10 8/9', 'x', 'A=B'],
    ['9/10', 'x', 'A=B'],
    ['Assistant 1: 9, Assistant 2: 3', 'A>B', 'A=B'],
    ['Assistant 2: 3, Assistant 1: 9', 'A>B', 'A=B'],
    ['**Assistant 1**: 9/10 **Assistant 2**: 3/10', 'A>B', 'A=B'],
    ['Score 1: 9 Score 2: 3', 'A>B', 'A=B'],
    ["Assistant A's score: 9; Assistant B's score: 3", 'A>B', 'A=B'],
    ['A: 3, B: 9', 'B>A', 'A=B'],
    ['A: 3', 'x', 'A=B'],
    ['1: 9 3', 'x', 'A=B'],
    ['1. 9 3', 'x', 'A=B'],
    ['1. 9', 'x', 'B>A'],
    ['1) 9, 2) 3', 'x', 'A=B'],
    ['9-3', 'x', 'A=B'],
    ['3-9', 'x', 'A=B'],
    ['9 - 3', 'x', 'A=B'],
    ['Scores: 9/10, 3/10', 'A>B', 'A=B'],
    ['Scores (first, second): 9 and 3, respectively.', 'A>B', 'A=B'],
    ['**9** **3**', 'A>B', 'A=B'],
    ['(9, 3)', 'A>B', 'A=B'],
    ['9 3</s>', 'A>B', 'A=B'],
    ['[9] [3]', 'A>B', 'A=B'],
    ['9 3. The first is right.', 'A>B', 'A=B'],
    ['9 3 - the first of the 2 is right', 'A>B', 'A=B'],
    ['1 and 2 are equal', 'x', 'A=B'],
    ['Assistants 1 and 2 gave 3 reasons', 'x', 'A=B'],
    ['1, 2 are both bad', 'x', 'A=B'],
  ],
}

for (const [name, lines] of Object.entries(TABLES)) {
  describe(name, () => {
    const rules = ['own', 'judgebench', 'rm-gallery'].slice(
      0,
      Math.max(...lines.map((line) => line.length - 1)),
    )
    const loaded = loadJudge(name).then((judge) =>
      Promise.all(rules.map((rule) => readerOf(judge, rule === 'own' ? {} : { compat: rule }))),
    )
    for (const [reply, ...wanted] of lines) {
      test(JSON.stringify(reply), async () => {
        const readers = await loaded
        const texts = wanted as string[]
        const said = rules.map((rule, i) => {
          try {
            const { decision, failure } = readers[i]!(reply, { item: () => ({}) })
            // An original's stand-in for a verdict is counted as what it is.
            if (decision === NONE[rule]) assert.ok(failure, `${rule}: no failure is named`)
            return decision
          } catch (error) {
            assert.ok(error instanceof RowFailure, String(error))
            assert.equal(rule, 'own', `${rule}: an original always gives a value`)
            return 'x'
          }
        })
        const expected: unknown[] = []
        for (const [i, text] of texts.entries())
          expected.push(text === '=' ? expected[i - 1] : text === 'x' ? NONE[rules[i]!] : text)
        assert.deepEqual(
          Object.fromEntries(rules.map((rule, i) => [rule, said[i]])),
          Object.fromEntries(rules.map((rule, i) => [rule, expected[i]])),
        )
      })
    }
  })
}

test('strength and label are kept beside the decision, in shown terms', async () => {
  const rows = [
    replied('arena_hard', '[[A>>B]]'),
    replied('arena_hard', '[[A>>B]]', { trial: { n: 1, of: 2, order: 'BA' } }),
    replied('arena_hard', '[[B>A]]'),
    replied('judge_lm', '8 3', { trial: { n: 1, of: 2, order: 'BA' } }),
  ]
  const ran = expect(await jb('parse', [], { stdin: ndjson(rows) }), { err: '' })
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.verdict),
    [
      { label: 'A>>B', decision: 'A>B', strength: 2 },
      { label: 'A>>B', decision: 'B>A', strength: 2 },
      { label: 'B>A', decision: 'B>A', strength: 1 },
      { label: '8 3', decision: 'B>A', scores: [3, 8] },
    ],
  )
})

test('--pick: the last, the first, or none where they differ', async () => {
  const text = '[[A>B]] first, then [[B>>A]], then [[B>A]]'
  const said = async (args: string[], reply = text) => {
    const ran = expect(
      await jb('parse', ['-q', ...args], { stdin: ndjson([replied('arena_hard', reply)]) }),
      {},
    )
    const { verdict, error } = rowsOf(ran)[0]!.jb
    return verdict?.label ?? error?.code
  }
  assert.equal(await said([]), 'B>A')
  assert.equal(await said(['--pick', 'last']), 'B>A')
  assert.equal(await said(['--pick', 'first']), 'A>B')
  assert.equal(await said(['--pick', 'only']), 'conflict')
  // Labels of one meaning are no conflict.
  assert.equal(await said(['--pick', 'only'], '[[A>>B]] [[A>B]]'), 'A>>B')
})

test('scores beyond the scale are out of range, not clamped', async () => {
  const ran = expect(
    await jb('parse', ['-q'], { stdin: ndjson([replied('judge_lm', '8 11'), replied('judge_lm', '0 5')]) }),
    {},
  )
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.error?.code),
    ['out_of_range', 'out_of_range'],
  )
})

test('a recorded reply is parsed without a render before it: --judge and --text', async () => {
  const rows = [
    { id: 7, said: { judgment: 'so [[B>A]]' }, label: 'B>A' },
    { id: 8, said: { judgment: 'so [[A=B]]' }, label: 'B>A' },
  ]
  const args = ['--judge', 'arena_hard', '--text', 'said.judgment']
  const ran = expect(await jb('parse', args, { stdin: ndjson(rows) }), { err: '' })
  const [first] = rowsOf(ran)
  assert.deepEqual(first, {
    ...rows[0],
    jb: {
      judge: 'arena_hard',
      item: '7',
      trial: { n: 0, of: 1 },
      verdict: { label: 'B>A', decision: 'B>A', strength: 1 },
    },
  })
  const report = JSON.parse(expect(await jb('aggregate', [], { stdin: ran.stdout }), {}).stdout)
  assert.deepEqual([report.accuracy, report.correct, report.tie], [0.5, 1, 1])
})

test('the grades of relevance and rubric: a sign or a point belongs to the number, here and in a copy', async (t) => {
  const cwd = judgeFolder(t, {}, ['relevance.yaml', 'rubric.yaml'])
  for (const name of ['relevance', 'rubric'])
    fine(await pipe(`jb-render ${name} --show > ${name}.yaml`, { cwd }))
  const cases: [text: string, said: unknown][] = [
    ['Grade: 2', 2],
    ['**Grade:** 2', 2],
    ['Grade: **2**', 2],
    ['Grade:2', 2],
    ['Grade: - 2', 2],
    ['Grade: [2.5]', 2.5],
    ['Grade: 1, no: Grade: 3', 3],
    ['Grade: .5', 0.5],
    ['Grade: -1', 'out_of_range'],
    ['Grade:-1', 'out_of_range'],
    ['Grade: **-1**', 'out_of_range'],
    ['Grade: −1', 'out_of_range'],
    ['Grade: two', 'no_verdict'],
  ]
  for (const judge of ['relevance', 'rubric', 'relevance.yaml', 'rubric.yaml']) {
    const stdin = ndjson(cases.map(([text]) => replied(judge, text)))
    const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin }), {}))
    assert.deepEqual(
      cases.map(([text], i) => [text, read[i]!.jb.verdict?.score ?? read[i]!.jb.error?.code]),
      cases,
      judge,
    )
  }
})
