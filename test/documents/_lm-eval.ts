/** lm-eval’s document: its command in jb, samples that it logs, a judge, and what is written. */
import { readFileSync } from 'node:fs'
import { type Asked, type JudgeServer, lastOf } from '../helpers/judge_server.ts'
import { ndjson } from '../helpers/rows.ts'
import { timeless } from '../helpers/timeless.ts'

/** The document's command; the samples that it logs with --log_samples are the items. */
export const COMMAND =
  'lm-eval run --model hf --model_args pretrained=gpt2 --tasks my_task --run_llm_judge --output_path ./results'
export const SAMPLES = 'results/gpt2/samples_my_task_2026-01-01T00-00-00.000000.jsonl'
/** The same in jb. */
export const inJb = (task: string) =>
  `jb-read -q lm-eval ${SAMPLES} | jb-render -q ${task} | jb-call -q | jb-parse -q | jb-write -q lm-eval --save results`

const doc = {
  question: 'Why?',
  sentence_eng_Latn: 'Hello.',
  sentence_ara_Arab: 'مرحبا',
  source_lang: 'English',
  source_text: 'Hello.',
}
export const sample = (doc_id: number, answer: string) => ({
  ...{ doc_id, doc, target: `gold ${doc_id}`, arguments: {}, filter: 'none' },
  ...{ resps: [[answer]], filtered_resps: [answer], metrics: ['llm_judge'] },
})
export const logged = { [SAMPLES]: ndjson([sample(0, 'p0'), sample(1, 'p1')]) }
export const envOf = ({ url }: JudgeServer) => ({
  JB_JUDGE: 'my_task.yaml',
  JB_BASE_URL: url,
  LLM_JUDGE_API_KEY: 'none',
})

/** A judge that does as it is told: a JSON object where it is sent a schema. */
export const judgment = (asked: Asked) =>
  asked.response_format
    ? JSON.stringify({ ...exampleOf(asked), score: 7.5 })
    : `Score: ${lastOf(asked).includes('p1') ? 9 : 8}\n\nIt is accurate.`
const exampleOf = ({ response_format }: Asked) => {
  const { properties } = (response_format as { json_schema: { schema: { properties: object } } }).json_schema
    .schema
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, type === 'string' ? 'So.' : 1]),
  )
}

export function resultsIn(cwd: string) {
  timeless(`${cwd}/results`)
  return JSON.parse(readFileSync(`${cwd}/results/gpt2/results_now.json`, 'utf8')).results.my_task
}
export function detailsIn(cwd: string, name: string): Record<string, unknown>[] {
  timeless(`${cwd}/results`)
  return readFileSync(`${cwd}/results/gpt2/llm_judge_my_task_${name}_now.jsonl`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
