/**
 * Published runs, read and scored again: the figures are those of JudgeBench's own code on the same files.
 * The data stands beside the project; without it these tests say that they did not run.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder, sharedData } from './helpers/folder.ts'
import { judgeServer } from './helpers/judge_server.ts'
import { type AnyRow, ndjson, rowsOf } from './helpers/rows.ts'
import { expect, fine, pipe, ROOT } from './helpers/run.ts'

const RUN = 'judgebench/recorded-arena_hard-o1-mini.jsonl'
const REWARD = 'judgebench/recorded-reward-skywork-llama-8b.jsonl'
const PAIRS = 'judgebench/pairs-gpt-4o.jsonl'

interface Pair {
  pair_id: string
  question: string
  response_A: string
  response_B: string
}
interface Recorded extends Pair {
  judgments: { judgment: { response: string }; decision: string }[]
}
const read = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The lines JudgeBench prints: four source groups and all. */
const lines = (...shares: string[]) =>
  ['mmlu-pro', 'livebench-reasoning', 'livebench-math', 'livecodebench', 'Overall']
    .map((bucket, i) => `${bucket}: ${shares[i]}%.\n`)
    .join('')

/** What a filter says where the rows follow an original. */
const FOLLOWS = /^(?:jb-(?:aggregate|write): adds up as (?:judgebench|rm-gallery) does[^\n]*\n)?$/

const O1_MINI = lines('58.44', '62.24', '82.14', '78.57', '65.71')

function checkO1Mini(report: Record<string, unknown>): void {
  const names = ['items', 'failed', 'accuracy', 'correct', 'incorrect', 'tie', 'inconsistent', 'nulls']
  const more = ['all_correct', 'all_incorrect', 'some_correct', 'first_slot', 'decisive', 'same_slot']
  assert.deepEqual(
    [...names, ...more].map((name) => report[name]),
    [350, 0, 230 / 350, 230, 39, 81, 110, 0, 203, 44, 103, 367, 656, 76],
  )
  assert.equal(((report.accuracy as number) * 100).toFixed(2), '65.71')
}

test('the recorded o1-mini run: 65.71 %, every counter, every source group', async (t) => {
  const path = sharedData(t, RUN)
  if (!path) return
  const cwd = folder(t)
  fine(await pipe(`jb-read judgebench-outputs '${path}' > trials`, { cwd }))
  // The originals' readers and our own agree on all of its 700 replies.
  for (const rule of ['--compat judgebench', '--compat rm-gallery', '']) {
    const report = expect(await pipe(`jb-parse ${rule} trials | tee verdicts | jb-aggregate`, { cwd }), {
      err: FOLLOWS,
    })
    checkO1Mini(JSON.parse(report.stdout))
  }
  assert.equal(fine(await pipe('jb-write judgebench verdicts', { cwd })).stdout, O1_MINI)
  const half = fine(await pipe('jb-aggregate --tie 0.5 verdicts', { cwd }))
  assert.equal((JSON.parse(half.stdout).accuracy * 100).toFixed(2), '77.29')
  // What the README shows.
  const table = fine(await pipe('jb-aggregate --format table verdicts', { cwd })).stdout.split('\n')
  const readme = readFileSync(`${ROOT}README.md`, 'utf8')
  const shown = /<!-- recorded -->\n```text\n([\s\S]*?)```/.exec(readme)![1]!.trimEnd().split('\n')
  for (const line of shown) if (line !== '…') assert.ok(table.includes(line), line)
  // The first game alone.
  const games = read<AnyRow>(`${cwd}/verdicts`).filter(({ jb }) => jb.trial!.n === 0)
  for (const { jb } of games) jb.trial!.of = 1
  const first = await pipe('jb-write judgebench', { cwd, stdin: ndjson(games) })
  assert.equal(fine(first).stdout, lines('65.58', '71.43', '80.36', '76.19', '70.86'))
  // A report in the form of RM-Gallery's.
  const gallery = JSON.parse(fine(await pipe('jb-write rm-gallery verdicts', { cwd })).stdout)
  assert.deepEqual(gallery.overall_accuracy, {
    accuracy: 230 / 350,
    correct_count: 230,
    incorrect_count: 39,
    tie_count: 81,
    valid_samples: 350,
    total_samples: 350,
    all_correct: 203,
    all_incorrect: 44,
    some_correct: 103,
    n_inconsistent: 110,
    n_nulls: 0,
  })
})

test('each recorded reply is read as the decision recorded with it, 700 of 700', async (t) => {
  const path = sharedData(t, RUN)
  if (!path) return
  const ran = fine(await pipe(`jb-read judgebench-outputs '${path}' | jb-parse --compat judgebench`))
  const flip = { 'A>B': 'B>A', 'B>A': 'A>B' } as Record<string, string>
  const found = rowsOf(ran).map(({ jb: { trial, verdict } }) => {
    const decision = verdict!.decision!
    // Recorded in the terms of what that game was shown.
    return trial!.order === 'BA' ? (flip[decision] ?? decision) : decision
  })
  const wanted = read<Recorded>(path).flatMap(({ judgments }) => judgments.map(({ decision }) => decision))
  assert.equal(found.length, 700)
  assert.deepEqual(found, wanted)
})

test('the recorded reward model: 62.29 %, its scores come through as verdicts', async (t) => {
  const path = sharedData(t, REWARD)
  if (!path) return
  const cwd = folder(t)
  const line = `jb-read judgebench-outputs '${path}' | jb-parse --compat judgebench | tee verdicts | jb-aggregate`
  const report = JSON.parse(expect(await pipe(line, { cwd }), { err: FOLLOWS }).stdout)
  const { items, correct, incorrect, tie, inconsistent, failed } = report
  assert.deepEqual([items, correct, incorrect, tie, inconsistent, failed], [350, 218, 131, 1, 1, 0])
  const printed = expect(await pipe('jb-write judgebench verdicts', { cwd }), { err: FOLLOWS }).stdout
  assert.equal(printed, lines('59.09', '64.29', '76.79', '50.00', '62.29'))
  const [row] = rowsOf(fine(await pipe('cat verdicts', { cwd })))
  assert.equal(row?.jb.verdict?.scores?.length, 2)
})

/** Finds the recorded reply a prompt asks for: by its question, and its answers in the order shown. */
function replyTo(pairs: Recorded[]) {
  return (prompt: string): string | undefined => {
    for (const { question, response_A, response_B, judgments } of pairs) {
      const from = prompt.indexOf(question)
      if (from < 0) continue
      const shown = (first: string, second: string) => {
        const at = prompt.indexOf(first, from + question.length)
        return at >= 0 && prompt.indexOf(second, at + first.length) >= 0
      }
      if (shown(response_A, response_B)) return judgments[0]!.judgment.response
      if (shown(response_B, response_A)) return judgments[1]!.judgment.response
    }
    return undefined
  }
}

test('end to end through a server that replays the recorded replies: the same figures', async (t) => {
  const recorded = sharedData(t, RUN)
  const pairs = sharedData(t, PAIRS)
  if (!recorded || !pairs) return
  const reply = replyTo(read<Recorded>(recorded))
  const { url, asked } = await judgeServer(t, ({ messages }) => {
    return reply(messages.at(-1)!.content) ?? { status: 400, message: 'a prompt that no recorded game had' }
  })
  const cwd = folder(t)
  const line = `jb-render arena_hard --order both '${pairs}' |
    jb-call -m o1-mini --base-url ${url} --no-cache --progress never | jb-parse | tee verdicts | jb-aggregate`
  const ran = await pipe(line, { cwd })
  const report = JSON.parse(ran.stdout)
  checkO1Mini(report)
  assert.equal(report.model, 'o1-mini')
  assert.equal(asked.length, 700)
  assert.equal(fine(await pipe('jb-write judgebench verdicts', { cwd })).stdout, O1_MINI)
  // One game in random order: what each pair was asked is what its recorded game of that order said.
  const random = `jb-render arena_hard --order random --limit 100 '${pairs}' |
    jb-call -q -m o1-mini --base-url ${url} --no-cache | jb-parse`
  const byGame = new Map(
    rowsOf(fine(await pipe('cat verdicts', { cwd }))).map(({ pair_id, jb }) => [
      `${pair_id} ${jb.trial!.order}`,
      jb.verdict,
    ]),
  )
  const rows = rowsOf(await pipe(random, { cwd }))
  assert.equal(rows.length, 100)
  for (const { pair_id, jb } of rows)
    assert.deepEqual(jb.verdict, byGame.get(`${pair_id} ${jb.trial!.order}`), pair_id)
  const orders = new Set(rows.map(({ jb }) => jb.trial!.order))
  assert.deepEqual(orders, new Set(['AB', 'BA']))
})
