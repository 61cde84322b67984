/** A judge file that is right, to be changed. */

export const GOOD = {
  kind: 'pairwise',
  fields: { question: 'question', a: 'response_A', b: 'response_B' },
  answers: ['a', 'b'],
  messages: [{ role: 'user', content: '{{ question }}\n1: {{ a }}\n2: {{ b }}\n' }],
  verdict: { rule: 'label', pattern: '\\[\\[([12])\\]\\]', labels: { 1: 'A>B', 2: 'B>A' } },
}

export const verdict = (change: object) => ({ ...GOOD, verdict: { ...GOOD.verdict, ...change } })
