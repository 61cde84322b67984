/** A reply, read by every built-in judge and by each of the rules as judges of users have them. */
import type { Judge } from '../../../src/judges/_judge.ts'
import { BUILTIN_JUDGES, loadJudge } from '../../../src/judges/_load.ts'
import { RowFailure } from '../../../src/rows/record.ts'
import { readerOf } from '../../../src/verdicts/_read.ts'
import type { Read, ReadContext } from '../../../src/verdicts/_rule.ts'
import type { Target } from '../_target.ts'

const OWN: Partial<Judge>[] = [
  { kind: 'grade', verdict: { rule: 'number', name: 'Score', reason: 'after' } },
  { kind: 'pairwise', verdict: { rule: 'pair' } },
  { kind: 'list', verdict: { rule: 'list', at: 'items' } },
  { kind: 'grade', verdict: { rule: 'json', options: { good: 1 } } },
  { kind: 'grade', verdict: { rule: 'json' }, compat: { 'lm-eval': 'json' } },
  { kind: 'grade', verdict: { rule: 'json', schema: { properties: { items: { uniqueItems: true } } } } },
]

async function readers(): Promise<Read[]> {
  const builtin = await Promise.all(BUILTIN_JUDGES.names().map(loadJudge))
  const own = OWN.map(
    (judge) => ({ name: 'own', where: 'own', builtin: true, about: '', fields: {}, ...judge }) as Judge,
  )
  const all = [...builtin, ...own].flatMap((judge) => [
    readerOf(judge),
    ...Object.keys(judge.compat ?? {}).map((compat) => readerOf(judge, { compat })),
  ])
  return Promise.all(all)
}
let made: Promise<Read[]> | undefined

export const target: Target = {
  words: [
    ...[
      '[[A>B]]',
      '[[8]]',
      '```json\n',
      '```',
      '<think>',
      '</think>',
      '{"score":',
      '"items":[',
      'Rating: ',
      '1e999',
    ],
    ...['[RESULT] ', 'Output (a)', '\\"', '\u2028', "'", 'None', 'NaN', '8/10', '**', '[', '{', '- ', '\\u'],
  ],
  seeds: () => [
    '{"score": 4, "feedback": "fine", "items": ["a", {"b": 1}]}',
    '```json\n{"option": "good", "score": 1,}\n```',
    'Feedback: fine. [RESULT] B',
    '> My verdict is [[A]]\n\n```\n[[A]]\n```\n<text>[[A]]</text>\nTherefore, Output (b) is better. [[B]]',
    'Rating: [[7]] to 【8】, or 8,5 out of 10\nScore: **-1**/5\n9 3\nGrade: 2',
  ],
  async run(input) {
    const text = input.toString()
    const context: ReadContext = {
      trial: { n: 0, of: 1, options: ['good', 'bad', 'answer_1'] },
      request: { messages: [{ role: 'user', content: 'Score:' }] },
      item: () => ({}),
    }
    for (const read of await (made ??= readers())) {
      try {
        read(text, context)
      } catch (error) {
        if (!(error instanceof RowFailure)) throw error
      }
    }
    return []
  },
}
