/** Models that are none: each answers every built-in judge in that judge's own format. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeFolder } from '../helpers/folder.ts'
import { ndjson, rowsOf } from '../helpers/rows.ts'
import { expect, fine, jb, pipe } from '../helpers/run.ts'

const PAIRWISE = [
  'vanilla',
  'arena_hard',
  'auto_j',
  'prometheus_2',
  'skywork_critic',
  'panda_lm',
  'judge_lm',
  'compass_judger',
]

const items = Array.from({ length: 8 }, (_, i) => ({
  pair_id: `p${i}`,
  question: 'Which planet of the solar system is the largest?',
  response_A: i % 2 ? 'Jupiter.' : 'The largest planet of the solar system is Jupiter, by far.',
  response_B: i % 2 ? 'It is, as far as anybody can tell, Saturn with its rings.' : 'Mars',
  label: i % 2 ? 'B>A' : 'A>B',
}))
const pairs = ndjson(items)

/** Both games of every pair, for each of these judges: what jb-call is given. */
async function games(judges: string[], stdin = pairs): Promise<string> {
  const rendered = await Promise.all(
    judges.map((judge) => jb('render', [judge, '--order', 'both'], { stdin })),
  )
  return rendered.map((ran) => fine(ran).stdout).join('')
}

/** Decisions in the item's own terms, by judge, item and order. */
async function decisions(model: string, stdin: string): Promise<Map<string, string | null | undefined>> {
  const ran = fine(await pipe(`jb-call -q -m baseline:${model} | jb-parse`, { stdin }))
  return new Map(
    rowsOf(ran).map(({ jb }) => [`${jb.judge} ${jb.item} ${jb.trial!.order}`, jb.verdict?.decision]),
  )
}

test('every pairwise judge: longer, first, overlap and random are read back as they were meant', async () => {
  const stdin = await games(PAIRWISE)
  const backwards = stdin.trim().split('\n').reverse().join('\n')
  const [longer, first, overlap, random, again] = await Promise.all([
    decisions('longer', stdin),
    decisions('first', stdin),
    decisions('overlap', stdin),
    decisions('random', stdin),
    decisions('random', backwards),
  ])
  assert.equal(longer!.size, PAIRWISE.length * 16)
  for (const [name, decision] of longer!) {
    const odd = Number(/ p(\d+) /.exec(name)![1]) % 2
    assert.equal(decision, odd ? 'B>A' : 'A>B', `${name}: whatever the order they are shown in`)
    assert.equal(first!.get(name), name.endsWith('AB') ? 'A>B' : 'B>A', `${name}: the one shown first`)
    if (!odd) assert.equal(overlap!.get(name), 'A>B', `${name}: more of the question's words`)
    assert.equal(
      again!.get(name),
      random!.get(name),
      `${name}: by item and trial, not by place in the stream`,
    )
  }
  for (const judge of PAIRWISE) {
    const drawn = [...random!]
      .filter(([name]) => name.startsWith(`${judge} `))
      .map(([, decision]) => decision)
    assert.equal(new Set(drawn).size, 2, judge)
  }
})

test('a grade grows with length or overlap within the judge’s range', async (t) => {
  const place = judgeFolder(t, {
    'judge.mjs': `
export const kind = 'grade'
export const fields = { question: 'q', answer: 'a' }
export const range = [0, 1]
export const render = ({ q, a }) => q + a
export const parse = (text) => Number(/Score: ([\\d.]+)/.exec(text)?.[1])
`,
  })
  const stdin = ndjson([{ id: 1, q: 'what is two and two', a: 'two and two is four' }])
  const graded = async (model: string) =>
    rowsOf(
      fine(
        await pipe(`jb-render '${place}/judge.mjs' | jb-call -q -m baseline:${model} | jb-parse`, {
          stdin,
        }),
      ),
    )[0]!.jb.verdict!.score
  assert.equal(await graded('first'), 0)
  assert.equal(await graded('longer'), 0.01)
  assert.equal(await graded('overlap'), 0.75)
})

test('a judge in words of its own: a pattern nobody foresaw', async (t) => {
  const place = judgeFolder(t, {
    'odd.yaml': `about: odd
kind: pairwise
fields: { question: question, answer_a: response_A, answer_b: response_B }
answers: [answer_a, answer_b]
messages: [{ role: user, content: '{{ question }} {{ answer_a }} {{ answer_b }}' }]
verdict: { rule: label, pattern: '<winner>(\\w+)</winner>', labels: { left: A>B, right: B>A }, example: 'Thus <winner>{label}</winner>' }
`,
    'mute.yaml': `about: mute
kind: pairwise
fields: { question: question, answer_a: response_A, answer_b: response_B }
messages: [{ role: user, content: '{{ question }} {{ answer_a }} {{ answer_b }}' }]
verdict: { rule: label, pattern: '<winner>(\\w+)</winner>', labels: { left: A>B, right: B>A } }
`,
  })
  const odd = await decisions('longer', await games([`${place}/odd.yaml`]))
  assert.deepEqual([...odd.values()].slice(0, 4), ['A>B', 'A>B', 'B>A', 'B>A'])
  const mute = await pipe(`jb-render '${place}/mute.yaml' | jb-call -m baseline:longer`, { stdin: pairs })
  expect(mute, {
    code: 78,
    err: /mute\.yaml: a baseline cannot write a reply that this judge reads as .*set verdict\.example/,
  })
})

test('what is missing is said: a judge, a field, a name', async () => {
  const row = (jb: object, item: object = {}) =>
    ndjson([{ ...item, jb: { item: '1', request: { messages: [{ role: 'user', content: 'q' }] }, ...jb } }])
  const run = (model: string, stdin: string) => jb('call', ['-m', model, '--max-error-rate', '1'], { stdin })
  expect(await run('baseline:longer', row({})), { err: /missing_field: no jb\.judge in the row/ })
  expect(await run('baseline:longer', row({ judge: 'arena_hard' }, { question: 'q' })), {
    err: /missing_field: field "response_A" is missing/,
  })
  expect(await run('baseline:lnger', row({ judge: 'arena_hard' })), {
    code: 2,
    err: /did you mean baseline:longer\?/,
  })
  expect(await run('baseline:clever', row({ judge: 'arena_hard' })), {
    code: 2,
    err: /baselines: baseline:first, baseline:longer/,
  })
})

test('fields that --map names are seen: answers, the question, what a criterion judges', async () => {
  const other = ndjson(
    items.map(({ question, response_A, response_B, ...rest }) => ({
      ...rest,
      asked: question,
      left: { text: response_A },
      right: response_B,
    })),
  )
  const map = '--map question=asked --map answer_a=left.text --map answer_b=right'
  const run = async (stdin: string, args: string) => {
    const line = `jb-render arena_hard --order both ${args} | jb-call -q -m baseline:overlap | jb-parse`
    return rowsOf(fine(await pipe(line, { stdin })))
  }
  const [mapped, plain] = await Promise.all([run(other, map), run(pairs, '')])
  assert.equal(mapped.length, 16)
  assert.deepEqual(
    mapped.map(({ jb }) => jb.verdict),
    plain.map(({ jb }) => jb.verdict),
  )
  assert.deepEqual(mapped[0]!.jb.map, { question: 'asked', answer_a: 'left.text', answer_b: 'right' })
  assert.equal(plain[0]!.jb.map, undefined)
  // Rendered once more without it, a row has none.
  const again = await run(ndjson(items.map((item) => ({ ...item, jb: mapped[0]!.jb }))), '')
  assert.equal(again[0]!.jb.map, undefined)
  const grades = await pipe(
    'jb-render rating --map question=asked --map answer=left.text --set criterion=short | jb-call -q -m baseline:overlap | jb-parse',
    { stdin: other },
  )
  assert.ok(new Set(rowsOf(fine(grades)).map(({ jb }) => jb.verdict?.score)).size > 1)
  const criterion = await pipe(
    "jb-render direct --criteria short='Is it short?' --map response=left.text | jb-call -q -m baseline:longer",
    { stdin: other },
  )
  expect(criterion, { err: /fields not shown/ })
})

test('a baseline’s reply is read in the ways of an original, too, where these hold for the row', async () => {
  const stdin = ndjson(items.map(({ pair_id: id, response_A: response }) => ({ id, response })))
  for (const feedback of [false, true]) {
    const ran = await pipe(
      `jb-render direct --compat evalassist --criteria conciseness --set feedback=${feedback} | jb-call -q -m baseline:longer | jb-parse`,
      { stdin },
    )
    for (const { jb } of rowsOf(fine(ran))) assert.match(jb.verdict!.option!, /^(Yes|No)$/)
    assert.equal(rowsOf(ran).filter(({ jb }) => jb.verdict!.failure).length, 0)
  }
})
