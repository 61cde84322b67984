/**
 * lm-evaluation-harness. Read: logged samples, with the fields that a judge sees (doc, prediction, reference).
 * Written: the metrics of every llm_judge, and with `--save DIR` lm-eval's result and details files.
 */
import { basename, dirname } from 'node:path'
import { EXIT } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import type { Format } from './_format.ts'
import { DetailFiles, Judges, Metrics, tooManyFailed } from './_lm_eval.ts'

/** `samples_<task>_2024-05-01T12-34-56.789012.jsonl` */
const SAMPLES = /^samples_(.+)_(\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl(?:\.gz)?$/

/** What the name of a samples file tells. */
interface SampleFile {
  task: string | undefined
  /** The model that was evaluated. */
  model: string | undefined
  time: string | undefined
}

function fileOf(path: string): SampleFile {
  const [, task, time] = SAMPLES.exec(basename(path)) ?? []
  const folder = basename(dirname(path))
  return { task, model: task !== undefined && folder !== '.' ? folder : undefined, time }
}

export const format: Format = {
  about: {
    read: 'lm-eval: logged samples (samples_*.jsonl) → rows with doc, prediction and reference',
    write: 'lm-eval: the metrics of every llm_judge; with --save its results and details files',
  },
  writeOptions: [
    {
      name: 'save',
      type: 'string',
      value: 'DIR',
      about: 'also write results_*.json and llm_judge_*.jsonl there, named as lm-eval names them',
    },
    {
      name: 'max-error-rate',
      type: 'number',
      value: 'R',
      about:
        'exit 1, without results, if a larger share of calls failed (default: max_error_rate of the task file, else 0.1)',
    },
  ],
  async *read(sources, _options, context) {
    const files = sources.map((source) => fileOf(source.name))
    const several = (of: (file: SampleFile) => string | undefined) => new Set(files.map(of)).size > 1
    const models = several(({ model }) => model)
    for (const [i, source] of sources.entries()) {
      const file = files[i]!
      // Only the time tells two runs of one model on one task apart.
      const runs = files.filter(({ task, model }) => task === file.task && model === file.model).length > 1
      const apart = [models ? file.model : undefined, runs ? file.time : undefined]
      for await (const batch of context.rows([source]))
        yield batch.flatMap((row) => rowsMade(row, () => sampleOf(row, file, apart)))
    }
  },
  fields: ['model'],
  async *write(rows, options, context) {
    const metrics = new Metrics()
    const judges = new Judges(options, context)
    const files =
      options.save === undefined ? undefined : new DetailFiles(String(options.save), judges, options)
    const note = (message: string) => context.note(message, { kind: 'unknown_judge' })
    for await (const batch of rows)
      for (const row of batch) {
        metrics.add(row)
        await files?.add(row, note)
      }
    const { text, failed, unscored, items } = metrics.report()
    if (failed > 0) context.note(`${failed} of ${items} judgments failed: they are NaN and in no mean`)
    if (unscored > 0 && failed === items)
      context.finish(EXIT.gate, 'nothing was measured: no judgment has a score')
    const tooMany = await tooManyFailed(metrics, judges, options.maxErrorRate as number | undefined)
    if (tooMany)
      context.finish(EXIT.gate, `${tooMany}${files ? ': no results file is written, the details are' : ''}`)
    else files?.results(metrics)
    files?.close()
    const unwritten = [...(files?.failed ?? [])]
    for (const [path, why] of unwritten) context.note(`cannot write ${path}: ${why}`, { kind: 'unwritten' })
    if (unwritten.length > 0) context.finish(EXIT.io, `${unwritten.length} files could not be written`)
    yield text
  },
}

/**
 * The sample with the fields that a judge sees appended, whose values keep their form.
 * @param apart what distinguishes it from the same sample in another file
 */
function sampleOf(row: Row, { task, model }: SampleFile, apart: (string | undefined)[]): Row {
  const added: string[] = []
  const add = (key: string, text: string | undefined) => {
    if (text !== undefined && row.fieldText(key) === undefined) added.push(`${JSON.stringify(key)}:${text}`)
  }
  const answers = row.field('filtered_resps') ?? row.field('resps')
  if ((answers ?? row.field('prediction') ?? null) === null)
    return lacking(
      row,
      'lm-eval',
      'neither "filtered_resps" nor "resps": this is not a sample logged by lm-eval',
    )
  if (isLikelihood(answers))
    return lacking(
      row,
      'lm-eval',
      'log likelihoods of given answers, and no answer that the model wrote: there is nothing to judge',
    )
  const filtered = firstOf(row.field('filtered_resps')) ?? firstOf(row.field('resps'))
  add('prediction', filtered === undefined ? undefined : JSON.stringify(filtered))
  add('reference', row.fieldText('target') ?? 'null')
  const index = row.field('doc_id') === null ? undefined : row.fieldText('doc_id')
  add('idx', index)
  if (task !== undefined) add('task', JSON.stringify(task))
  if (model !== undefined) add('model', JSON.stringify(model))
  const text = row.itemText().trimEnd()
  const inner = text.slice(0, -1).trimEnd()
  const joined = `${inner}${inner === '{' ? '' : ','}${added.join(',')}}`
  const made = added.length === 0 ? row : Row.read(joined, row.file, row.line)
  const filter = row.field('filter')
  const given = (parts: unknown[]) => parts.filter((part) => typeof part === 'string' && part !== '')
  const variant = given([...apart, filter === 'none' ? undefined : filter])
  if (variant.length > 0) made.set('variant', variant.join(' '))
  return index === undefined ? made : made.set('item', given([task, index, ...variant]).join(':'))
}

/** Whether responses are pairs of a log likelihood and whether the text is the likeliest: as logged, numbers or texts. */
function isLikelihood(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const [first, second] = value as unknown[]
  return /^(?:true|false)$/i.test(String(second)) ? Number.isFinite(Number(first)) : isLikelihood(first)
}

/** Responses are nested lists, one entry per repeat; lm-eval scores the first. */
function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? firstOf(value[0]) : value === null ? undefined : value
}
