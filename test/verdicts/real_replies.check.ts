/** Real replies of real judges: read as recorded, and no verdict in their beginnings. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { loadJudge } from '../../src/judges/_load.ts'
import { readerOf } from '../../src/verdicts/_read.ts'
import { folder, sharedData } from '../helpers/folder.ts'
import { fine, jb, pipe } from '../helpers/run.ts'
import { said } from './_readings.ts'

const rowsIn = <T>(path: string): T[] => {
  const bytes = readFileSync(path)
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes
  return text
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Each reply as recorded, and its beginnings: 30, 60 and 90 % of what stands before its first label. */
async function check(judge: string, replies: [text: string, recorded: unknown][]): Promise<void> {
  const read = await readerOf(await loadJudge(judge))
  for (const [text, recorded] of replies) {
    assert.equal(said(read, text, 'stop'), recorded, text.slice(-200))
    const first = text.indexOf('[[')
    for (const share of [0.3, 0.6, 0.9]) {
      const beginning = text.slice(0, Math.floor(first * share))
      assert.equal(said(read, beginning, 'stop'), 'no_verdict', beginning.slice(-200))
      assert.equal(said(read, beginning, 'length'), 'truncated')
    }
  }
}

test('o1-mini on JudgeBench, 700 replies', async (t) => {
  const path = sharedData(t, 'judgebench/recorded-arena_hard-o1-mini.jsonl')
  if (!path) return
  const rows = rowsIn<{ judgments: { judgment: { response: string }; decision: string }[] }>(path)
  const replies = rows.flatMap(({ judgments }) =>
    judgments.map(({ judgment, decision }): [string, string] => [judgment.response, decision]),
  )
  assert.equal(replies.length, 700)
  await check('arena_hard', replies)
})

test('GPT-4 on MT-bench, 480 replies', async (t) => {
  const path = sharedData(t, 'mt_bench/vanbujm_gpt-4_single.jsonl')
  if (!path) return
  const rows = rowsIn<{ judgment: string; score: number }>(path)
  assert.equal(rows.length, 480)
  await check(
    'mt_bench',
    rows.map(({ judgment, score }) => [judgment, score]),
  )
})

test('gpt-4o and gpt-3.5 in arena-hard, the ends of 468 replies', async (t) => {
  const files = [
    'gpt-3.5-turbo-0125__Nexusflow__Athene-V2-Chat.jsonl.gz',
    'gpt-4o__krikri-annealing-dpo_max-length-norm-fixes-checkpoint-1560-wit.jsonl.gz',
  ].map((file) => sharedData(t, `leaderboards/arena_hard_v0.1/with_text/${file}`))
  if (files.some((file) => !file)) return
  type Games = { games: { judgment: string; score: string | null }[] }
  const games = files.flatMap((file) => rowsIn<Games>(file!).flatMap((row) => row.games))
  assert.equal(games.length, 468)
  const read = await readerOf(await loadJudge('arena_hard'))
  for (const { judgment, score } of games)
    assert.equal(said(read, judgment, 'stop'), score?.replace('>>', '>') ?? 'no_verdict', judgment)
})

test('replies that were read wrongly: each as it should be', async (t) => {
  const path = sharedData(t, 'cases/reading/cut_replies.ndjson')
  if (!path) return
  const cases = path.replace('/reading/cut_replies.ndjson', '')
  for (const name of [
    'llmbar-headings',
    'tie-in-words-pair',
    'tie-relatively-the-same',
    'zero-width-stale',
    'not-better-and',
    'sentence-ends-after-number',
    'vanilla-on-the-other-hand',
  ]) {
    const cmd = readFileSync(`${cases}/${name}/cmd`, 'utf8')
    const ran = fine(await pipe(cmd, { cwd: `${cases}/${name}` }))
    assert.equal(ran.stdout, readFileSync(`${cases}/${name}/expected`, 'utf8'), name)
  }
  const codes = async (file: string, ...args: string[]) => {
    const stdin = readFileSync(`${cases}/reading/${file}`, 'utf8')
    const ran = await jb('parse', ['-q', ...args], { stdin, cwd: folder(t, {}) })
    return ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).jb)
      .map(({ verdict, error }) => verdict?.decision ?? error.code)
  }
  assert.deepEqual(await codes('cut_min.ndjson'), ['truncated', 'truncated'])
  assert.deepEqual(await codes('cut_replies.ndjson'), ['truncated', 'truncated', 'no_verdict'])
  const own = ['--judge', 'arena_hard', '--text']
  assert.deepEqual(await codes('mixed_correction.jsonl', ...own, 't'), ['B>A', 'A>B'])
  const restated = await codes('restated_options.jsonl', ...own, 'judgment')
  assert.deepEqual(
    [restated.length, restated.filter((one) => one === 'A>B').length],
    [40, restated.filter((one) => one === 'B>A').length],
  )
  const rmGallery = ['--judge', 'prometheus_2', '--compat', 'rm-gallery', '--text', 't']
  assert.deepEqual(await codes('prom_nospace.jsonl', ...rmGallery), ['B>A'])
})
