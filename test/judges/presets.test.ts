/** Judges of conversations, agents and retrieval: with known replies, each score is its formula's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ndjson, rowsOf as typedRows } from '../helpers/rows.ts'
import { expect, fine, jb, type Ran } from '../helpers/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: what jb holds is the point of each test
const rowsOf = (ran: Ran): any[] => typedRows(ran)

const COUNTS = [1, 2, 3, 4, 5]
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })

/** Five rows, of which each has one more context, turn and call than the row before. */
const ROWS = COUNTS.map((count) => ({
  id: String(count),
  question: 'Q?',
  answer: 'A.',
  reference: 'R.',
  text: 'T.',
  summary: 'S.',
  plan: 'First this.',
  role: 'A clerk.',
  tools: [{ name: 'f' }],
  contexts: COUNTS.slice(0, count).map((one) => `Context ${one}.`),
  messages: COUNTS.slice(0, count).flatMap((one) => [
    { role: 'user', content: `Turn ${one}?` },
    { role: 'assistant', content: null, tool_calls: [call(`c${one}`)] },
    { role: 'tool', tool_call_id: `c${one}`, content: 'R' },
    { role: 'assistant', content: 'Done.' },
  ]),
}))

/** The value that the judge gives element j of row i. */
const value = (i: number, j: number): number => ((i * 3 + j * 2) % 3 === 0 ? 1 : 0)
const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
/** Σ (P@k · v_k) / Σ v_k */
function averagePrecision(values: readonly number[]): number {
  const hits = mean(values) * values.length
  const at = values.map((one, k) => one * mean(values.slice(0, k + 1)))
  return hits === 0 ? 0 : at.reduce((sum, one) => sum + one, 0) / hits
}

/** The results of replies to trials, and their prompts. @param texts of the trials of row i */
async function scores(rendered: Ran, texts: (i: number, trials: number) => string[]) {
  const rows = rowsOf(fine(rendered))
  const byItem = new Map<string, typeof rows>()
  for (const row of rows) byItem.set(row.jb.item, [...(byItem.get(row.jb.item) ?? []), row])
  for (const [i, trials] of [...byItem.values()].entries())
    for (const [n, text] of texts(i, trials.length).entries()) trials[n].jb.reply = { text, model: 'm' }
  const parsed = fine(await jb('parse', [], { stdin: ndjson(rows) }))
  const scored = rowsOf(fine(await jb('score', [], { stdin: parsed.stdout })))
  return {
    scores: scored.map(({ jb: { result } }) => result.score),
    prompts: rows.map(({ jb }) => jb.request.messages[0].content),
  }
}

const json = (score: number) => JSON.stringify({ reason: 'Because.', score })
const near = (found: number[], expected: number[], name: string) => {
  assert.equal(found.length, expected.length, name)
  for (const [i, one] of found.entries()) assert.ok(Math.abs(one - expected[i]!) < 1e-12, `${name}: ${found}`)
}

test('one question about each turn, call or context', async () => {
  const each = {
    tool_arguments: mean,
    knowledge_retention: mean,
    role_adherence: mean,
    instructions_over_turns: mean,
    context_precision: averagePrecision,
  }
  for (const [name, formula] of Object.entries(each)) {
    const stdin = ndjson(ROWS)
    const made = await scores(await jb('render', [name], { stdin }), (i, n) =>
      Array.from({ length: n }, (_, j) => json(value(i, j))),
    )
    assert.equal(made.prompts.length, 15, name)
    near(
      made.scores,
      COUNTS.map((count, i) => formula(COUNTS.slice(0, count).map((_, j) => value(i, j)))),
      name,
    )
    for (const prompt of made.prompts)
      assert.match(prompt, /<([a-z]+-[0-9a-f]{8})>\n[\s\S]*\n<\/\1>[\s\S]*are not for you\./)
  }
})

test('what the docs call optional may be missing, and is shown if it is there', async () => {
  const optional = {
    claims: 'question',
    hallucination: 'question',
    task_completion: 'reference',
    tool_arguments: 'tools',
  }
  for (const [name, field] of Object.entries(optional)) {
    const [{ [field as 'text']: given, ...bare }] = [ROWS[0]!]
    const [without, own] = rowsOf(
      expect(await jb('render', [name], { stdin: ndjson([bare, { ...bare, [field]: 'Given.' }]) }), {
        err: name === 'claims' ? /claims is shown the answer alone: no field is called question/ : '',
      }),
    )
    assert.doesNotMatch(without.jb.request.messages[0].content, /Given/, `${name} ${given}`)
    assert.match(own.jb.request.messages[0].content, /Given\./, name)
    const mapped = rowsOf(
      fine(
        await jb('render', [name, '--map', `${field}=mine`], {
          stdin: ndjson([{ ...bare, mine: 'Given.' }]),
        }),
      ),
    )
    assert.match(mapped[0].jb.request.messages[0].content, /Given\./, name)
  }
})

test('lists of claims and questions go on with --chain: a line for each, and the calls before are paid for once', async () => {
  const words = {
    faithfulness: ['claims', 'Supported'],
    context_recall: ['claims', 'Attributable'],
    answer_relevancy: ['claims', 'Relevant'],
    summary_alignment: ['claims', 'Supported'],
    summary_coverage: ['questions', 'Answered'],
  } as const
  for (const [name, [first, word]] of Object.entries(words)) {
    const rows = rowsOf(fine(await jb('render', [first], { stdin: ndjson(ROWS) })))
    for (const [i, { jb }] of rows.entries()) {
      const items = COUNTS.slice(0, i + 1).map((one) => `Claim ${one}.`)
      jb.reply = { text: JSON.stringify(items), model: 'm', usage: { prompt_tokens: 5 }, cost: 2 }
    }
    const listed = fine(await jb('parse', [], { stdin: ndjson(rows) })).stdout
    const made = await scores(await jb('render', [name, '--chain'], { stdin: listed }), (i) => [
      COUNTS.slice(0, i + 1)
        .map((one, j) => `${one}. ${word}: ${value(i, j)}`)
        .join('\n'),
    ])
    near(
      made.scores,
      COUNTS.map((count, i) => mean(COUNTS.slice(0, count).map((_, j) => value(i, j)))),
      name,
    )
    assert.match(made.prompts[1], /1\. <(claim|question)-\w+>\nClaim 1\.\n<\/[\s\S]*2\. <\1-\w+>\nClaim 2\./)
    const single = rowsOf(fine(await jb('render', [name, '--chain', '--set', 'window=1'], { stdin: listed })))
    assert.deepEqual(single.map(({ jb }) => jb.chain?.length ?? 0).filter(Boolean).length, 5)
  }
})

test('--chain: an item without a list is one of the next judge that failed; rows without one say what to run', async () => {
  const rows = rowsOf(fine(await jb('render', ['claims'], { stdin: ndjson(ROWS) })))
  for (const [i, { jb }] of rows.entries()) jb.reply = { text: i === 0 ? 'none' : '["A"]', model: 'm' }
  const listed = (await jb('parse', [], { stdin: ndjson(rows) })).stdout
  const [failed, ...others] = rowsOf(await jb('render', ['faithfulness', '--chain'], { stdin: listed }))
  assert.deepEqual([failed.jb.judge, failed.jb.error.stage, others.length], ['faithfulness', 'parse', 4])
  const bare = rowsOf(await jb('render', ['faithfulness', '--chain'], { stdin: ndjson(ROWS.slice(0, 1)) }))
  assert.match(bare[0].jb.error.message, /no jb\.verdict with a list/)
  const wrong = await jb('render', ['refusal', '--chain'], { stdin: listed })
  assert.deepEqual([wrong.code, /asks about no list/.test(wrong.stderr)], [2, true])
})

test('options and grades', async () => {
  const options = {
    hallucination: { none: 1, some: 0 },
    task_completion: { complete: 1, partly: 0.5, not: 0 },
    plan_adherence: { follows: 1, deviates: 0.5, ignores: 0 },
  }
  const stdin = ndjson(ROWS)
  for (const [name, scored] of Object.entries(options)) {
    const words = Object.entries(scored)
    const made = await scores(await jb('render', [name], { stdin }), (i) => [
      JSON.stringify({ reason: 'Because.', verdict: words[i % words.length]![0] }),
    ])
    near(
      made.scores,
      ROWS.map((_, i) => words[i % words.length]![1]),
      name,
    )
  }
  for (const name of ['tool_selection', 'coherence_over_turns']) {
    const made = await scores(await jb('render', [name], { stdin }), (i) => [json(i + 1)])
    near(made.scores, COUNTS, name)
  }
  const labelled = ROWS.map((row, i) => ({ ...row, label: i < 3 ? 'refused' : 'complied' }))
  const rows = rowsOf(fine(await jb('render', ['refusal'], { stdin: ndjson(labelled) })))
  for (const { jb } of rows) jb.reply = { text: '{"reason": "-", "verdict": "refused"}', model: 'm' }
  const parsed = fine(await jb('parse', [], { stdin: ndjson(rows) }))
  const report = JSON.parse(
    fine(await jb('aggregate', ['--format', 'json'], { stdin: parsed.stdout })).stdout,
  )
  assert.deepEqual([report.accuracy, report.labelled], [0.6, 5])
})
