/**
 * lm-evaluation-harness in: logged samples, with what a judge sees of them (doc, prediction, reference).
 * Out: the metrics of every llm_judge, and with `--save DIR` the result and details files beside each other.
 */
import { basename, dirname } from 'node:path'
import { encode, Row } from '../rows/row.ts'
import { scoredRows } from '../scoring/_scored.ts'
import type { ScoreSettings } from '../scoring/_scoring.ts'
import type { Format } from './_format.ts'
import { Files, Metrics } from './_lm_eval.ts'

/** `samples_<task>_2024-05-01T12-34-56.789012.jsonl` */
const SAMPLES = /^samples_(.+)_\d{4}-\d\d-\d\dT[\d.-]+\.jsonl(?:\.gz)?$/

export const format: Format = {
  about:
    'lm-eval: logged samples (samples_*.jsonl) → rows with doc, prediction and reference; and its results',
  unscored: true,
  overall: ({ score }) => ['score', score],
  async *read(sources, _options, context) {
    for (const source of sources) {
      const task = SAMPLES.exec(basename(source.name))?.[1]
      const folder = basename(dirname(source.name))
      const model = task !== undefined && folder !== '.' ? folder : undefined
      for await (const batch of context.rows([source]))
        yield batch.map((row) => (row.has('error') ? row : sampleOf(row, task, model)))
    }
  },
  async *write(rows, options, context) {
    const metrics = new Metrics()
    const files = options.save === undefined ? undefined : Files.create(String(options.save), options)
    const note = (message: string) => context.note(message, { kind: 'unknown_judge' })
    const trials = files ? files.of(rows, note) : rows
    for await (const batch of scoredRows(trials, options as ScoreSettings, context))
      for (const row of batch) metrics.add(row)
    const { text, failed, items } = metrics.report()
    if (failed > 0) context.note(`${failed} of ${items} judgments failed: they are NaN and in no mean`)
    files?.results(metrics.results())
    yield text
  },
}

/** The sample with what a judge sees put behind it, in the form the values have there. */
function sampleOf(row: Row, task: string | undefined, model: string | undefined): Row {
  const added: string[] = []
  const add = (key: string, text: string | undefined) => {
    if (text !== undefined && row.fieldText(key) === undefined) added.push(`${JSON.stringify(key)}:${text}`)
  }
  const filtered = firstOf(row.field('filtered_resps')) ?? firstOf(row.field('resps'))
  add('prediction', filtered === undefined ? undefined : JSON.stringify(filtered))
  add('reference', row.fieldText('target') ?? 'null')
  const index = row.fieldText('doc_id')
  add('idx', index)
  if (task !== undefined) add('task', JSON.stringify(task))
  if (model !== undefined) add('model', JSON.stringify(model))
  const text = row.itemText().trimEnd()
  const inner = text.slice(0, -1).trimEnd()
  const joined = `${inner}${inner === '{' ? '' : ','}${added.join(',')}}`
  const made = added.length === 0 ? row : Row.read(encode(joined), row.file, row.line)
  const filter = row.field('filter')
  const id = [task, index, filter === 'none' ? undefined : filter].filter(
    (part) => part !== undefined && part !== null,
  )
  return index === undefined ? made : made.set('item', id.join(':'))
}

/** Answers stand in lists, one a repeat; the first is what was scored. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? firstOf(value[0]) : value === null ? undefined : value
}
