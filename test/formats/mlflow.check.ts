/** MLflow's own package reads what `jb-write mlflow` writes, and jb-read what MLflow then says of its traces. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { rowsOf } from '../helpers/rows.ts'
import { fine, jb, pipe, ROOT, sh } from '../helpers/run.ts'

/** MLFLOW_PYTHON has mlflow or mlflow-skinny 3 with sqlalchemy and alembic, as `make annotations` installs them. */
const PYTHON = process.env.MLFLOW_PYTHON ?? '.annotations/bin/python'

const STORE =
  'import json, mlflow; mlflow.set_tracking_uri("sqlite:///traces.db"); mlflow.set_experiment("shop")'

const TRACES = `${STORE}
for question in ("Was order 7 sent?", "And order 8?", "And order 9?"):
    with mlflow.start_span(name="chat", span_type="CHAT_MODEL") as span:
        span.set_inputs({"messages": [{"role": "user", "content": question}]})
        span.set_outputs({"choices": [{"message": {"role": "assistant", "content": "It was."}}]})
mlflow.flush_trace_async_logging()
`

const LOG = `${STORE}
from mlflow.entities import Assessment
for line in open("assessments.jsonl"):
    one = Assessment.from_dictionary(json.loads(line))
    mlflow.log_assessment(trace_id=one.trace_id, assessment=one)
`

const EXPORT = 'MLFLOW_TRACKING_URI=sqlite:///traces.db mlflow traces search --experiment-id 1 --output json'

test('assessments of a judge, logged by MLflow, are on its traces', async (t) => {
  const cwd = folder(t, { 'traces.py': TRACES, 'log.py': LOG })
  const python = resolve(ROOT, PYTHON)
  const version = await sh(`${python} -c 'import mlflow; print(mlflow.__version__)'`, { cwd })
  if (version.code !== 0 || !version.stdout.startsWith('3.'))
    return t.diagnostic(`NOT RUN: ${python} has no mlflow 3 (MLFLOW_PYTHON=path names one)`)
  const ran = async (line: string) => {
    const { code, stderr } = await sh(
      `export MLFLOW_DISABLE_TELEMETRY=true PATH=${python.replace(/[^/]*$/, '')}:$PATH; ${line}`,
      { cwd },
    )
    assert.equal(code, 0, stderr)
  }
  await ran(`${python} traces.py && ${EXPORT} > traces.json`)
  const judge = (name: string, model: string) =>
    `jb-render ${name} rows.jsonl | jb-call -q -m ${model} | jb-parse -q --bad-rows skip`
  fine(await pipe('jb-read mlflow traces.json -o rows.jsonl', { cwd }))
  fine(
    await pipe(
      `${judge('pass_fail --set criterion=short --map answer=messages --name short', 'baseline:first')} > a.ndjson`,
      { cwd },
    ),
  )
  fine(await pipe(`${judge('coherence_over_turns', 'baseline:random')} > b.ndjson`, { cwd }))
  // As if a model had judged.
  const judged = readFileSync(`${cwd}/b.ndjson`, 'utf8').replaceAll('baseline:random', 'gpt-6-luna')
  writeFileSync(`${cwd}/b.ndjson`, judged)
  fine(await pipe('jb-write mlflow a.ndjson b.ndjson -o assessments.jsonl', { cwd }))
  await ran(`${python} log.py && ${EXPORT} > traces.json`)
  const verdicts = rowsOf(fine(await jb('score', ['b.ndjson'], { cwd })))
  // biome-ignore lint/suspicious/noExplicitAny: rows of jb-read
  const rows: any[] = rowsOf(fine(await jb('read', ['mlflow', 'traces.json'], { cwd })))
  assert.equal(rows.length, 3)
  for (const { id, annotations } of rows) {
    const note = 'A baseline, which does not read.'
    // biome-ignore lint/suspicious/noExplicitAny: a row of jb-score
    const { score } = (verdicts.find((row: any) => row.id === id) as any).jb.result
    assert.deepEqual(annotations, [
      { name: 'short', value: 'PASS', source: 'CODE', by: 'baseline:first' },
      { name: 'coherence_over_turns', value: score, source: 'LLM_JUDGE', by: 'gpt-6-luna', note },
    ])
  }
})
