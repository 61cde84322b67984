/** MT-bench's rating extraction: the document's five steps in jb, in its order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { judgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson, rowOf } from '../helpers/rows.ts'
import { fine, jb, pipe } from '../helpers/run.ts'

const ITEM = { question_id: 81, category: 'writing', question: 'q', answer: 'a', model: 'm' }

/** What the judge's reply comes to, and what was sent. */
async function rated(t: Parameters<typeof judgeServer>[0], say: Parameters<typeof judgeServer>[1]) {
  const { url, asked } = await judgeServer(t, say)
  const line = `jb-render -q mt_bench_rating | jb-call -q -m m --base-url ${url} --repair 2 | jb-parse -q`
  const { verdict, reply, error } = rowOf(fine(await pipe(line, { stdin: ndjson([ITEM]) }))).jb
  return { score: verdict?.score, text: reply!.text, error, asked }
}

test('a judgment without a rating is continued with restricted tokens', async (t) => {
  const { score, text, asked } = await rated(t, ({ messages }) =>
    messages.at(-1)!.role === 'assistant' ? '7' : 'A fine answer.',
  )
  assert.equal(score, 7)
  assert.equal(text, 'A fine answer.\n\nRating: [[7]]')
  const [first, second] = asked
  assert.equal(first!.stop, undefined)
  assert.deepEqual([second!.max_tokens, second!.stop, second!.temperature], [50, [']]', '\n'], 0])
  assert.equal(lastOf(second!), 'A fine answer.\n\nRating: [[')
})

test('a chat server that answers the prefill instead is asked in words', async (t) => {
  const { score, text, asked } = await rated(
    t,
    (_, n) => ['A fine answer.', 'I would say the rating is 7.', 'Rating: [[7]]'][n]!,
  )
  assert.equal(score, 7)
  assert.equal(text, 'A fine answer.\nRating: [[7]]')
  assert.deepEqual(
    asked[2]!.messages.slice(-2).map(({ role, content }) => [role, content]),
    [
      ['assistant', 'A fine answer.'],
      ['user', 'End with your rating, as in "Rating: [[5]]".'],
    ],
  )
  assert.equal(asked[2]!.stop, undefined)
})

test('a question file is known by its content', async (t) => {
  const cwd = folder(t, {
    'q.jsonl': ndjson([{ question_id: 81, category: 'writing', turns: ['a', 'b'] }]),
    'j.jsonl': ndjson([
      {
        question_id: 81,
        model: 'm',
        judge: ['gpt-4', 'single-v1'],
        judgment: 'Rating: [[7]]',
        score: 7,
        turn: 1,
      },
    ]),
  })
  const row = rowOf(fine(await jb('read', ['mt-bench-judgments', 'j.jsonl', 'q.jsonl'], { cwd })))
  assert.equal((row as unknown as { category: string }).category, 'writing')
})
