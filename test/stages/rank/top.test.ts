/** jb-rank --top and --next through the command: the figures of an independent program, the loop, what is refused. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { seededBytes } from '../../../src/rows/seed.ts'
import { folder } from '../../helpers/folder.ts'
import { jb, pipe } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'
import { casesOf, close } from '../../statistics/_cases.ts'

interface RankingCase {
  battles: [question: string, a: string, b: string, winner: string | null][]
  answers: Record<string, string[]>
  seed: string
  top?: number
  margin: number
  next?: number
  expect: { next?: unknown[]; report?: { decided: boolean; models: Record<string, unknown>[] } }
}

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const answerRows = (answers: RankingCase['answers']) =>
  Object.entries(answers).flatMap(([model, questions]) =>
    questions.map((question_id) => ({
      question_id,
      question: `What of ${question_id}?`,
      model,
      answer: `${model} on ${question_id}`,
    })),
  )

const NAMED = ['second round, some failed', 'close to the end', 'few questions: pairs run out', 'strict']

for (const { name, battles, answers, seed, top, margin, next, expect } of casesOf<RankingCase>(
  'ranking',
).filter((one) => NAMED.includes(one.name)))
  test(`--next and --top, in any order of rows: ${name}`, async (t) => {
    const at = folder(t)
    const rows = battles.map(([question_id, model_a, model_b, winner]) => ({
      question_id,
      model_a,
      model_b,
      winner,
    }))
    const best = ['--top', `${top},${margin}`]
    const texts: string[] = []
    for (const turn of [false, true]) {
      const given = answerRows(answers)
      writeFileSync(`${at}/answers.jsonl`, lines(turn ? given.toReversed() : given))
      const input = lines(turn ? rows.toReversed() : rows)
      const args = [...best, '--next', String(next), '--seed', seed, '--answers', `${at}/answers.jsonl`]
      const chosen = await jb('rank', args, { stdin: input })
      const report = await jb('rank', best, { stdin: input })
      texts.push(chosen.stdout + report.stdout)
      if (turn) continue
      const found = objects(chosen.stdout).map((row) => [row.question_id, row.model_a, row.model_b])
      assert.deepEqual(found, expect.next)
      assert.equal(chosen.code, found.length > 0 ? 0 : 1)
      assert.equal(report.code, expect.report!.decided ? 0 : 1)
      close(
        objects(report.stdout).map(({ model, rating, rating_ci, top: place, rank, ranks, groups }) => ({
          ...{ model, rating, rating_ci, rank, ranks, groups },
          in: (place as { in: boolean }).in,
          settled: (place as { settled: boolean }).settled,
        })),
        expect.report!.models.map(({ battles: _, ...one }) => ({ ...one, ranks: null, groups: null })),
      )
    }
    assert.equal(texts[0], texts[1])
  })

const MODELS = ['tiny', 'small', 'large']
/** Longer ones mostly from larger models. */
const answerOf = (model: string, question: string) =>
  'word '.repeat(1 + 12 * MODELS.indexOf(model) + (seededBytes(`${model} ${question}`)[0]! % 30))

test('the loop asks nothing twice, goes on after failures, and ends', async (t) => {
  const at = folder(t)
  const questions = Array.from({ length: 90 }, (_, i) => `q${i}`)
  const given = MODELS.flatMap((model) =>
    questions.map((question_id) => ({
      question_id,
      question: question_id,
      model,
      answer: answerOf(model, question_id),
    })),
  )
  writeFileSync(`${at}/answers.jsonl`, lines(given))
  writeFileSync(`${at}/battles.ndjson`, '')
  const best = ['--top', '1', '--next', '24', '--answers', `${at}/answers.jsonl`, `${at}/battles.ndjson`]
  const asked = new Set<string>()
  for (let round = 0; ; round++) {
    assert.ok(round < 12, 'the loop does not end')
    const next = await jb('rank', best, {})
    if (next.code === 1) {
      assert.match(next.stderr, /nothing to ask: top 1 known/)
      break
    }
    assert.equal(next.code, 0, next.stderr)
    for (const { question_id, model_a, model_b } of objects(next.stdout)) {
      const battle = [question_id, ...[String(model_a), String(model_b)].sort()].join(' ')
      assert.ok(!asked.has(battle), `${battle} is asked twice`)
      asked.add(battle)
    }
    const judged = await pipe('jb-render vanilla --order both | jb-call -q -m baseline:longer | jb-parse', {
      stdin: next.stdout,
    })
    // In the second round a reply is lost.
    const rows =
      round === 1
        ? judged.stdout.replace(
            /"verdict":\{[^}]*\}/,
            '"error":{"stage":"call","code":"timeout","message":"x"}',
          )
        : judged.stdout
    writeFileSync(`${at}/battles.ndjson`, readFileSync(`${at}/battles.ndjson`, 'utf8') + rows)
  }
  const board = await jb('rank', ['--top', '1', '--format', 'table', `${at}/battles.ndjson`], {})
  assert.equal(board.code, 0, board.stderr)
  assert.match(board.stdout, /^large +1 +in /m)
  assert.match(board.stdout, /^top 1 known after \d+ battles: large \(no other would win more than 55 %/m)
})

const answered = (rows: object[]) => lines(rows.map((row) => ({ question: 'Why?', answer: 'So.', ...row })))

test('what does not go together, and answers that cannot be', async (t) => {
  const at = folder(t)
  const file = `${at}/answers.jsonl`
  const input = lines([{ question_id: 'q', model_a: 'a', model_b: 'b', winner: 'model_a' }])
  const refused = async (args: string[], code: number, words: RegExp) => {
    const ran = await jb('rank', args, { stdin: input })
    assert.equal(ran.code, code, ran.stderr)
    assert.match(ran.stderr, words)
    assert.equal(ran.stdout, '')
  }
  await refused(['--next', '4'], 2, /--answers FILE/)
  await refused(['--answers', file], 2, /--answers goes with --next/)
  await refused(['--top', '1', '--by', 'x'], 2, /--top does not go with --by/)
  await refused(['--top', '1', '--method', 'mean'], 2, /--top does not go with --method mean/)
  await refused(['--top', '0'], 2, /--top 0: expected K or K,D/)
  await refused(['--top', '1,0.5'], 2, /--top 1,0\.5: expected/)
  await refused(['--top', '2'], 65, /--top 2: there are 2 models/)
  writeFileSync(
    file,
    answered([
      { id: 'q', model: 'a' },
      { id: 'r', model: 'a' },
      { id: 'q', model: 'a' },
    ]),
  )
  await refused(
    ['--next', '4', '--answers', file],
    65,
    /answers\.jsonl:3: a has answered q in line 1 already/,
  )
  writeFileSync(
    file,
    answered([
      { id: 'q', model: 'a' },
      { id: 'q', model: 'b', question: 'How?' },
    ]),
  )
  await refused(
    ['--next', '4', '--answers', file],
    65,
    /answers\.jsonl:2: question of q is another than at .*:1/,
  )
  writeFileSync(file, answered([{ id: 'q' }]))
  await refused(['--next', '4', '--answers', file], 65, /no model, model_id or generator/)
})

test('a model whose calls all fail: it has no valid battle, and nothing is known', async (t) => {
  const at = folder(t)
  const questions = Array.from({ length: 60 }, (_, i) => `q${i}`)
  const file = `${at}/answers.jsonl`
  writeFileSync(file, lines(answerRows({ a: questions, b: questions, bad: questions })))
  const judge = (rows: string) =>
    lines(
      objects(rows).map(({ question_id, model_a, model_b }) => ({
        ...{ question_id, model_a, model_b },
        winner: [model_a, model_b].includes('bad') ? null : model_a === 'a' ? 'model_a' : 'model_b',
      })),
    )
  const first = await jb('rank', ['--top', '1', '--next', '60', '--answers', file], { stdin: '' })
  const board = await jb('rank', ['--top', '1', '--format', 'table'], { stdin: judge(first.stdout) })
  assert.equal(board.code, 1)
  assert.match(board.stdout, /top 1 not known after .*bad has 0 valid battles, 20 are needed/)
})
