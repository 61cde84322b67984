/** A folder with topics, runs and a workflow. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kiddie } from '../../trec/_cli.ts'

export const WORKFLOW = `create_nuggets: true
create_qrels: true
judge: true
judge_class: rubric
qrels_class: relevance
settings:
  filebase: "{_name}"
judge_settings:
  grade_threshold: 3
variants:
  strict:
    grade_threshold: 5
`

export const INPUT = '--rag-topics topics.jsonl --rag-responses runs -m baseline:overlap'

/** A folder with two topics, three runs and a workflow. */
export function prepared(workflow = WORKFLOW): string {
  const cwd = kiddie()
  writeFileSync(join(cwd, 'workflow.yml'), workflow)
  return cwd
}
