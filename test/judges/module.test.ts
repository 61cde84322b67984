/** What a `.mjs` judge's parse may give, by the kind of the judge, and what it is given. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutThinking } from '../../src/verdicts/_text.ts'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, replied, rowsOf } from '../helpers/rows.ts'
import { expect, jb } from '../helpers/run.ts'

/** A judge whose parse gives what the reply says, as JavaScript. */
const file = (kind: string, more = '') => `export const kind = '${kind}'
${more}
export const render = () => 'x'
export const parse = (text) => (0, eval)('(' + text + ')')`

type Case = [given: string, said: unknown]

const CASES: Record<string, { more?: string; jb?: object; cases: Case[] }> = {
  grade: {
    more: 'export const range = [1, 5]',
    cases: [
      ['3', 3],
      ['"4"', 4],
      ['({ score: "5", reason: "r" })', 5],
      ['({ score: 2 })', 2],
      ['null', 'no_verdict'],
      ['undefined', 'no_verdict'],
      ['""', 'no_verdict'],
      ['" "', 'no_verdict'],
      ['true', 'no_verdict'],
      ['[4]', 'no_verdict'],
      ['NaN', 'no_verdict'],
      ['"four"', 'no_verdict'],
      ['({ score: null, reason: "none" })', 'no_verdict'],
      ['({ score: "4/5" })', 'no_verdict'],
      ['({ score: [4] })', 'no_verdict'],
      ['({ winner: 4 })', 'no_verdict'],
      ['0', 'out_of_range'],
      ['99', 'out_of_range'],
      ['({ score: "99" })', 'out_of_range'],
    ],
  },
  listwise: {
    jb: { trial: { n: 0, of: 1, order: 'AB', answers: 3 } },
    cases: [
      ['1', 1],
      ['"2"', 2],
      ['"tie"', 'tie'],
      ['({ winner: "0" })', 0],
      ['({ ranking: [2, 0, 1] })', '2,0,1'],
      ['3', 'out_of_range'],
      ['"first"', 'no_verdict'],
      ['null', 'no_verdict'],
    ],
  },
  choice: {
    cases: [
      ['"good"', 'good'],
      ['5', '5'],
      ['({ option: 5 })', '5'],
      ['({ option: true })', 'no_verdict'],
      ['""', 'no_verdict'],
    ],
  },
  pairwise: {
    cases: [
      ['"A=B"', 'A=B'],
      ['({ decision: "B>A" })', 'B>A'],
      ['1', 'no_verdict'],
      ['null', 'no_verdict'],
    ],
  },
  list: {
    cases: [
      ['["a", "b"]', 'a,b'],
      ['({ items: ["a"] })', 'a'],
      ['"a"', 'no_verdict'],
    ],
  },
}

describe('parse: a verdict of the judge’s kind, or none', { concurrency: 3 }, () => {
  for (const [kind, { more, jb: jbMore, cases }] of Object.entries(CASES))
    test(kind, async (t) => {
      const cwd = judgeFolder(t, { 'j.mjs': file(kind, more) })
      const stdin = ndjson(cases.map(([given]) => replied('j.mjs', given, jbMore)))
      const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin }), {}))
      const said = read.map(({ jb: { verdict = {}, error } }) => {
        const { decision, winner, score, option, items, ranking } = verdict as Record<string, unknown>
        const listed = items ?? ranking
        return error?.code ?? decision ?? winner ?? option ?? score ?? (listed && String(listed))
      })
      assert.deepEqual(
        cases.map(([given], i) => [given, said[i]]),
        cases,
      )
      assert.ok(kind !== 'listwise' || read.every(({ jb }) => jb.verdict?.decision === undefined))
    })
})

test('parse sees the reply without its thinking', async (t) => {
  const cwd = judgeFolder(t, {
    'j.mjs': `export const kind = 'pairwise'
export const render = () => 'x'
export const parse = (text) => /A>B|B>A/.exec(text)?.[0]`,
  })
  const rows = ['<think>A>B?</think>B>A', '<think>A>B, for'].map((text) => replied('j.mjs', text))
  const read = rowsOf(expect(await jb('parse', ['-q'], { cwd, stdin: ndjson(rows) }), {}))
  assert.deepEqual(
    read.map(({ jb }) => jb.verdict?.decision ?? jb.error?.code),
    ['B>A', 'no_verdict'],
  )
})

test('thinking is left out', () => {
  const cases: [text: string, rest: string][] = [
    ['<think>a</think>b', 'b'],
    ['a</think>b', 'b'],
    ['a<think>b', 'a'],
    ['<think>a<think>b</think>c', 'c'],
    ['<thinking>a</think>b</thinking>c', 'c'],
    ['<think>a</thinking>b', 'b'],
    ['a<thinking>b</think>c<think>d', 'c'],
    ['I think so', 'I think so'],
    // A tag in quotes is a word of the reply.
    ['it has `<think>` in it', 'it has `<think>` in it'],
    ['<think>a "</think>" b</think>c', 'c'],
    ['a "</think>" b', 'a "</think>" b'],
    ['<think>"no"</think>c', 'c'],
  ]
  for (const [text, rest] of cases) assert.equal(withoutThinking(text), rest, text)
})
