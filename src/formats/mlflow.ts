/**
 * Traces of MLflow 3 with their assessments (mlflow/entities/trace.py, assessment.py): what `mlflow traces search --output json`
 * prints, a row of `mlflow.search_traces` or a trace as JSON. Written: an assessment a line, as `Assessment.from_dictionary`
 * reads it.
 */
import { exactJson, writtenJson } from '../rows/exact_json.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { identityOf } from '../scoring/run_identity.ts'
import { type Annotation, annotation } from './_annotations.ts'
import { lacking, recordedRow, rowsMade } from './_bad_rows.ts'
import { reasonOf } from './_checks.ts'
import { recordRows } from './_either.ts'
import type { Format } from './_format.ts'
import { conversationOf, parsedText, type Step, saidIn } from './_threads.ts'

export const format: Format = {
  about: {
    read: 'MLflow: traces with their assessments (JSON, JSONL, CSV) → a row a trace',
    write: 'MLflow: an assessment a line, of source LLM_JUDGE, for the trace that it is of',
  },
  fields: ['id'],
  async *read(sources, options, context) {
    for await (const batch of recordRows(sources, options, context, 'traces'))
      yield batch.flatMap((row) => rowsMade(row, traceRow))
  },
  async *write(rows, _options, { note }) {
    const time = new Date().toISOString()
    for await (const batch of rows) {
      const lines: string[] = []
      for (const row of batch) {
        if (typeof row.field('id') === 'string') lines.push(`${JSON.stringify(assessmentOf(row, time))}\n`)
        else
          note(`${row.place}: no text "id" names its trace, as jb-read mlflow gives it: left out`, {
            kind: 'no trace',
          })
      }
      yield lines.join('')
    }
  },
}

/** @throws RowFailure */
function traceRow(row: Row): Row {
  const { item } = row
  const trace = isObject(item.info) ? item : parsedText(item.trace)
  if (!isObject(trace) || !isObject(trace.info))
    return lacking(row, 'mlflow', 'neither "info" and "data" nor "trace": this is no trace of MLflow')
  const { info } = trace
  const spans = isObject(trace.data) && Array.isArray(trace.data.spans) ? trace.data.spans : []
  const steps = spans.filter(isObject).map(stepOf)
  const { messages, others, own, outermost } = conversationOf(steps.map(({ step }) => step))
  const recorded = (step: Step | undefined) => steps.find((one) => one.step === step)
  const root = recorded(outermost)
  const [metadata, tags] = [info.trace_metadata, info.tags].map((one) => (isObject(one) ? one : {}))
  const assessments = (Array.isArray(info.assessments) ? info.assessments : []).filter(isObject)
  const made = {
    id: info.trace_id ?? null,
    conversation: metadata!['mlflow.trace.session'] ?? null,
    name: tags!['mlflow.traceName'] ?? root?.name ?? null,
    model: recorded(own)?.model ?? null,
    request: root?.request ?? null,
    response: root?.response ?? null,
    messages,
    others,
    expectations: expectationsIn(assessments),
    annotations: assessments.flatMap(annotationIn),
  }
  const error = info.state === 'ERROR' ? (root?.failed ?? 'state ERROR') : undefined
  const told = recordedRow(made, error, row)
  return messages.length > 0 || told.failure
    ? told
    : told.fail('read', new RowFailure('missing_field', 'the trace has no spans with inputs or outputs'))
}

/** Of a span, whose attributes are JSON texts. */
function stepOf(span: JsonObject) {
  const attributes = isObject(span.attributes) ? span.attributes : {}
  const attribute = (name: string) => jsonIn(attributes[`mlflow.${name}`])
  const [request, response] = [attribute('spanInputs'), attribute('spanOutputs')]
  const status = isObject(span.status) ? span.status : {}
  const step: Step = {
    id: String(span.span_id),
    parent: typeof span.parent_span_id === 'string' ? span.parent_span_id : undefined,
    isCall: ['CHAT_MODEL', 'LLM'].includes(String(attribute('spanType'))),
    start: nanos(span.start_time_unix_nano),
    input: saidIn(asked(request), 'user'),
    output: saidIn(answered(response), 'assistant'),
  }
  const isFailed = status.code === 'STATUS_CODE_ERROR'
  return {
    ...{ step, request, response, name: span.name ?? null },
    model: attribute('llm.model') ?? (isObject(request) ? request.model : null) ?? null,
    failed: isFailed ? status.message || exceptionIn(span.events) : undefined,
  }
}

const jsonIn = (value: Json | undefined): Json | undefined => {
  if (typeof value !== 'string') return value
  try {
    return exactJson(value)
  } catch {
    return value
  }
}

const nanos = (time: Json | undefined): bigint => (/^\d+$/.test(String(time)) ? BigInt(String(time)) : 0n)

function exceptionIn(events: Json | undefined): Json | undefined {
  const found = (Array.isArray(events) ? events : []).find((one) => isObject(one) && one.name === 'exception')
  return isObject(found) && isObject(found.attributes) ? found.attributes['exception.message'] : undefined
}

/** What a model's API was asked: the Responses API calls it `input`; LangChain has a list of conversations. */
function asked(request: Json | undefined): Json | undefined {
  if (!isObject(request)) return request
  const { messages, input } = request
  return inner(messages) ?? input ?? request
}

/** What a model's API answered: of Chat Completions the first choice, of LangChain the first generation. */
function answered(response: Json | undefined): Json | undefined {
  if (!isObject(response)) return response
  const { choices, generations, output } = response
  const [first] = [inner(choices), inner(generations)].find(Array.isArray) ?? []
  if (isObject(first)) return first.message ?? first.text
  return Array.isArray(output) ? output : response
}

const inner = (list: Json | undefined): Json | undefined =>
  Array.isArray(list) && Array.isArray(list[0]) ? list[0] : list

/** People's answers to what would be right, by name. */
const expectationsIn = (assessments: readonly JsonObject[]): JsonObject =>
  Object.fromEntries(
    assessments
      .filter(({ expectation, valid }) => isObject(expectation) && valid !== false)
      .map((one) => [String(one.assessment_name), valueIn(one.expectation as JsonObject)]),
  )

const valueIn = ({ value, serialized_value: text }: JsonObject): Json =>
  (isObject(text) ? jsonIn(text.value) : value) ?? null

/** An assessment that no other overrides. An issue is none: it has no value. */
function annotationIn(assessment: JsonObject): Annotation[] {
  const { assessment_name: name, feedback, expectation, rationale, span_id: span, valid } = assessment
  const given = isObject(feedback) ? feedback : expectation
  if (!isObject(given) || valid === false) return []
  const source = isObject(assessment.source) ? assessment.source : {}
  const error = isObject(given.error) ? (given.error.error_message ?? given.error.error_code) : undefined
  return [
    annotation(name, valueIn(given), source.source_type, source.source_id, { note: rationale, span, error }),
  ]
}

/** A result as an assessment. @param time of its making, which MLflow asks for */
function assessmentOf(row: Row, time: string): JsonObject {
  const { score, range, option, decision, winner } = row.get('result') ?? {}
  const { judge, judge_digest, name = judge, model } = identityOf(row)
  const error = row.get('error')
  const rationale = reasonOf(row)
  const metadata = {
    ...{ 'jb.judge': judge, 'jb.judge_digest': judge_digest, 'jb.judge.model': model },
    'jb.score.range': range && writtenJson(range as Json),
  }
  return {
    assessment_name: name ?? 'judge',
    trace_id: row.field('id')!,
    source: {
      source_type: model?.startsWith('baseline:') ? 'CODE' : 'LLM_JUDGE',
      source_id: model ?? judge ?? 'jb',
    },
    create_time: time,
    last_update_time: time,
    feedback: error
      ? { value: null, error: { error_code: error.code, error_message: error.message } }
      : { value: (option ?? decision ?? winner ?? score ?? null) as Json },
    ...(rationale !== '' && { rationale }),
    metadata: Object.fromEntries(
      Object.entries(metadata).filter(([, one]) => one !== undefined),
    ) as JsonObject,
  }
}
