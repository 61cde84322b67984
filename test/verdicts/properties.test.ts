/** What holds of every reply: swapped answers, prefixes, text and thinking before the verdict, quoted answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { loadJudge } from '../../src/judges/_load.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { said } from './_readings.ts'

/** Statements of each judge, with their mirror where it has two answers. */
const JUDGES: Record<string, [statement: string, mirrored: string][]> = {
  arena_hard: [
    ['My final verdict is: [[A>B]]', 'My final verdict is: [[B>A]]'],
    [
      '**Final verdict: Assistant A is significantly better: [[A>>B]]**.',
      '**Final verdict: Assistant B is significantly better: [[B>>A]]**.',
    ],
    ['Verdict: Tie, relatively the same [[A=B]]', 'Verdict: Tie, relatively the same [[B=A]]'],
    ['[[A>B]], not [[B>A]]', '[[B>A]], not [[A>B]]'],
    ['Correction: **Final Verdict: B>A**', 'Correction: **Final Verdict: A>B**'],
  ],
  mt_bench_pair: [
    ['[[A]]', '[[B]]'],
    ['[[C]] for a tie', '[[C]] for a tie'],
    ['Either [[A]] or [[B]].', 'Either [[B]] or [[A]].'],
  ],
  skywork_critic: [['[[B]].', '[[A]].']],
  llmbar: [
    ['Therefore, Output (a) is better.', 'Therefore, Output (b) is better.'],
    ['Output (b) is better because it is short.', 'Output (a) is better because it is short.'],
  ],
  vanilla: [
    ['Output (a)', 'Output (b)'],
    ['Output (b) is better.', 'Output (a) is better.'],
  ],
  auto_j: [['So, the final decision is Response 1.', 'So, the final decision is Response 2.']],
  prometheus_2: [
    ['[RESULT] A', '[RESULT] B'],
    ['[RESULT]Response B', '[RESULT]Response A'],
  ],
  preference: [
    ['Better: 1', 'Better: 2'],
    ['Better: 0', 'Better: 0'],
  ],
  panda_lm: [
    ['1', '2'],
    ['Tie', 'Tie'],
  ],
  judge_lm: [['8 3', '3 8']],
  mt_bench: [
    ['Rating: [[8]]', 'Rating: [[8]]'],
    ['[[7.5]]', '[[7.5]]'],
    ['Rating: [[7]] to [[8]]', 'Rating: [[7]] to [[8]]'],
  ],
  relevance: [
    ['Grade: 2', 'Grade: 2'],
    ['**Grade:** 3/3', '**Grade:** 3/3'],
  ],
}

const MIRROR: Record<string, string> = { 'A>B': 'B>A', 'B>A': 'A>B' }

/** Text as judges write it, without any verdict. */
const PROSE = [
  ...[
    'Evaluation of Assistant A’s answer:',
    'Assistant A’s answer is correct and',
    'Output (a) is correct, while',
    '# Output (b):',
  ],
  ...[
    'Response 2 is 3 times longer.',
    'I give 8 of the 10 points.',
    'A > B in the second step',
    '**Assistant B**',
    '[1]',
    '\\[ x = 2 \\]',
  ],
  ...[
    '1. The first',
    '- Score of both: high',
    'It should be better,',
    'The rating takes this into account.',
    '[[note]]',
    'verdict',
  ],
]
const prose = fc.array(fc.constantFrom(...PROSE), { maxLength: 6 }).map((lines) => lines.join('\n'))
const quoted = fc.tuple(fc.constantFrom('> ', '```', '~~~'), prose).map(
  ([mark, text]) =>
    (statement: string) =>
      mark === '> '
        ? `> ${text.replaceAll('\n', '\n> ')}\n> ${statement}\n\n`
        : `${mark}\n${text}\n${statement}\n${mark}\n`,
)

for (const [name, statements] of Object.entries(JUDGES))
  test(name, async () => {
    const judge = await loadJudge(name)
    const read = await readerOf(judge)
    const copy = await readerOf({ ...judge, builtin: false })
    for (const [statement, mirrored] of statements) {
      const alone = said(read, statement)
      assert.notEqual(alone, 'no_verdict', statement)
      assert.equal(said(read, mirrored), MIRROR[alone as string] ?? alone, mirrored)
      assert.equal(said(copy, statement.replaceAll(' ', '\u00a0')), alone, 'a copy of the file')
      assert.equal(said(read, `Well.\n${statement}`, 'length'), 'truncated', statement)
    }
    fc.assert(
      fc.property(
        prose,
        quoted,
        fc.constantFrom(...statements),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (text, quote, [statement, other], share) => {
          const alone = said(read, statement)
          const before = text === '' ? '' : `${text}\n`
          assert.equal(said(read, before + statement), alone, 'text before the line of the verdict')
          assert.equal(said(read, `<think>${before}${other}</think>${before}${statement}`), alone, 'thinking')
          assert.equal(said(read, quote(other) + before + statement), alone, 'a quoted answer')
          assert.equal(
            said(read, text.slice(0, Math.floor(text.length * share))),
            'no_verdict',
            'a beginning',
          )
        },
      ),
    )
  })
