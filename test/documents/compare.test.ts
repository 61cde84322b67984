/** Recipes of docs/compare.md for the leaderboards' own files: each line, on small files of their shapes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { judgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson } from '../helpers/rows.ts'
import { fine, ROOT, sh } from '../helpers/run.ts'

/** Commands of a block of the page: a line, with those behind it that a pipe or a backslash joins to it. */
function commandsOf(start: string): string[] {
  const page = readFileSync(`${ROOT}docs/compare.md`, 'utf8')
  const [, block] = new RegExp(`^\`\`\`sh norun\\n(${start}[^\`]*)^\`\`\``, 'm').exec(page)!
  return block!.match(/^[^#\n].*(?:(?<=[|\\])\n.*)*/gm)!
}

const QUESTIONS = [1, 2, 3, 4]
const MODELS = ['base', 'm']

const counted = (model_id: string, more: object) => ({
  ...more,
  model_id,
  conv_metadata: {
    token_len: model_id === 'm' ? 20 : 10,
    header_count: { h1: 0 },
    list_count: { ordered: 1, unordered: 0 },
    bold_count: { '**': 2 },
  },
})
const answers = (at: string) =>
  Object.fromEntries(
    MODELS.map((model) => [
      `${at}/${model}.jsonl`,
      ndjson(QUESTIONS.map((question_id) => counted(model, { question_id }))),
    ]),
  )
const judgments = (more: (id: number) => object) =>
  ndjson(
    QUESTIONS.map((id) => ({
      ...more(id),
      model: 'm',
      judge: 'gpt-4',
      games: [{ score: id > 1 ? 'B>>A' : 'A>B' }, { score: id > 2 ? 'A>B' : 'A=B' }],
    })),
  )
const output = (id: number) => ({ instruction: `do ${id}`, output_1: 'GOOD', output_2: 'BAD' })
const annotations = JSON.stringify(
  QUESTIONS.map((id) => ({
    ...output(id),
    generator_1: 'base',
    generator_2: 'm',
    annotator: 'weighted_alpaca_eval_gpt4_turbo',
    preference: id > 1 ? 1.9 : 1.2,
    raw_completion: id > 1 ? 'M' : 'm',
  })),
)
const GAMED = 'instruction_difficulty,std_delta_len,preference,index,instruction'
const battle = (question_id: number) => ({
  ...{ question_id, model_a: 'x', model_b: 'y', winner: question_id > 1 ? 'model_a' : 'tie' },
  ...{ anony: true, language: 'English', turn: 1, judge: 'arena_user', tstamp: question_id },
})
const llmbar = (id: number) => ({
  ...{ input: `do ${id}`, output_1: 'GOOD', output_2: 'BAD', label: 1 },
})
const subsets = ['alpacaeval-easy', 'mt-bench-hard', 'donotanswer', 'math-prm']

const FILES = {
  ...answers('data/arena-hard-v0.1/model_answer'),
  ...answers('model_answer'),
  'data/arena-hard-v0.1/model_judgment/gpt-4/m.jsonl': judgments((question_id) => ({ question_id })),
  'data/arena-hard-v2.0/model_judgment/gpt-4/m.jsonl': judgments((id) => ({
    ...{ uid: String(id), baseline: 'base', category: id > 2 ? 'hard_prompt' : 'creative_writing' },
  })),
  'results/m/weighted_alpaca_eval_gpt4_turbo/annotations.json': annotations,
  'annotations.json': annotations,
  'df_gamed.csv': `${[GAMED, ...QUESTIONS.map((id) => `${id / 10},${id / 5},${id / 8},${id - 1},do ${id}`)].join('\n')}\n`,
  'votes.json': JSON.stringify(QUESTIONS.map(battle)),
  'arena_hard_battles.jsonl': ndjson(
    QUESTIONS.map((id) => ({ ...battle(id), model_a: 'base', model_b: 'm' })),
  ),
  'eval-set-scores/ORG/MODEL.json': JSON.stringify({
    ...{ model: 'ORG/MODEL', subset: subsets, id: [0, 1, 2, 3] },
    ...{ scores_chosen: [2, 2, 2, 1], scores_rejected: [1, 1, 1, 2] },
  }),
  'scores.jsonl': ndjson([{ id: 'a', subset: 'Math', scores: [2, 1, 1, 1] }]),
  'Dataset/LLMBar/Natural/evaluators/GPT-4/Vanilla/result.json': JSON.stringify(
    QUESTIONS.map((id) => ({
      ...llmbar(id),
      results: [{ 'swap = False': { winner: '1' }, 'swap = True': { winner: id > 1 ? '1' : '2' } }],
    })),
  ),
  'dataset.json': JSON.stringify(QUESTIONS.map(llmbar)),
  'outputs.jsonl': ndjson(QUESTIONS.map((id) => ({ ...output(id), generator_1: 'base', generator_2: 'm' }))),
  'evaluators_configs/alpaca_eval_clf/alpaca_eval_clf.txt':
    '<|im_start|>user\n{instruction}: {output_1} or {output_2}?\n<|im_end|>\n',
  'pairs.jsonl': ndjson(
    subsets.map((subset, id) => ({ id, subset, prompt: 'q', chosen: 'GOOD', rejected: 'BAD' })),
  ),
}

/** Runs commands in order, each with the lines of settings before it. @returns what each printed */
async function outputs(commands: string[], cwd: string, env: Record<string, string> = {}): Promise<string[]> {
  const settings = commands.filter((line) => /^\w+=/.test(line))
  const printed: string[] = []
  for (const command of commands.filter((line) => !settings.includes(line)))
    printed.push(
      fine(await sh([...settings, command].join('\n'), { cwd, env: { ...env, JB_QUIET: '1' } })).stdout,
    )
  return printed
}

test('from an original’s files to its published row', async (t) => {
  const found = await outputs(commandsOf('jb-read arena-hard'), folder(t, FILES))
  const rows = [
    /^m +\| score: 85\.7 +\| 95% CI: .*tokens: 20\nbase +\| score: 50\.0 /,
    /Category: creative_writing [\s\S]*m +66\.7 [\s\S]*Category: hard_prompt [\s\S]*m +100\.0 /,
    /^,win_rate,.*\nm,72\.\d+,17\.5,3,1,0,4,75\.0,community,3,[\d.]+,[\d.]+\n$/,
    /^,rating,.*\nx,1169\.\d+,.*\ny,830\.\d+,/,
    /^\{"model":"base","rank":null,.*\n\{"model":"m",.*"score":14\.5.*"avg_tokens":20/,
    /^\{"model":"ORG\/MODEL","Score":0\.75,"Chat":1,"Chat Hard":1,"Safety":1,"Reasoning":0,/,
    /^\{"Score":null,.*"Math":1,/,
    /"items":4,.*"accuracy":0\.75,.*"inconsistent":1,/,
  ]
  assert.equal(found.length, rows.length)
  for (const [i, row] of rows.entries()) assert.match(found[i]!, row)
})

test('new judgements', async (t) => {
  const { url } = await judgeServer(t, (one) => {
    const text = lastOf(one)
    const first = text.indexOf('GOOD') < text.indexOf('BAD')
    if (one.logprobs) {
      const top = ['m', 'M'].map((token) => ({ token, logprob: (token === 'm') === first ? -0.1 : -2.3 }))
      return {
        text: first ? 'm' : 'M',
        logprobs: { content: [{ ...top[first ? 0 : 1], top_logprobs: top }] },
      }
    }
    return text.includes('Output (a)')
      ? `Output (${first ? 'a' : 'b'}) is better.`
      : `[[${first ? 'A' : 'B'}]]`
  })
  const env = { JB_BASE_URL: url, OPENAI_API_KEY: 'none' }
  const found = await outputs(commandsOf('# alpaca_eval'), folder(t, FILES), env)
  const rows = [
    // exp(-2.3) of the probability of both letters is for the model's output.
    /\nm,9\.97\d+,0\.0,0,4,0,4,0\.0,community,3,,\n$/,
    /"preference":1\.2,.*"verdict":\{"label":"m","decision":"A>B"/,
    /"messages":\[\{"role":"user","content":"do 1: GOOD or BAD\?"\}\]/,
    /"items":4,.*"accuracy":1,.*"inconsistent":0,/,
    /^\{"alpacaeval-easy":1,.*"donotanswer":1,"math-prm":1,.*"model":"gpt-6-luna",/,
  ]
  assert.equal(found.length, rows.length)
  for (const [i, row] of rows.entries()) assert.match(found[i]!, row)
})

test('these, RewardBench 2’s and two loops that ask a model are all recipes of the page that no test runs from the page', () => {
  const page = readFileSync(`${ROOT}docs/compare.md`, 'utf8')
  const starts = [...page.matchAll(/^```sh norun\n(.*?)[ :]/gm)].map(([, start]) => start)
  assert.deepEqual(starts, ['touch', 'jb-read', '#', 'jb-read', 'jb-render'])
  assert.ok(commandsOf('jb-read parquet').length > 0)
})
