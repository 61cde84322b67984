/** Recognises NDJSON files of other programs by their keys, without loading the formats themselves. */
import { type Rows, seenFirst } from '../rows/reader.ts'
import { EXIT, Fatal, isObject } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'

/** By format, lists of keys: a row that has all keys of a list is of that format. */
const MARKS: Record<string, string[][]> = {
  alpaca_eval: [
    ['instruction', 'generator_2', 'preference'],
    ['instruction', 'output', 'generator'],
  ],
  'arena-battles': [['model_a', 'model_b', 'winner']],
  'arena-hard': [
    ['question_id', 'model', 'judge', 'games'],
    ['uid', 'model', 'judge', 'games'],
  ],
  deepeval: [['testRunData'], ['testCases', 'metricsScores']],
  autojudge: ['responses', 'answer'].map((list) => ['metadata', list]),
  evalassist: [['contextVariables']],
  'judgebench-outputs': [['judge_name', 'judgments']],
  'rewardbench-scores': [['subset', 'scores_chosen', 'scores_rejected']],
  llmbar: [['input', 'output_1', 'output_2', 'label']],
  inspect: [['version', 'eval', 'plan']],
  langfuse: [
    ['traceId', 'type', 'startTime'],
    ['trace_id', 'type', 'start_time'],
    ['name', 'source', 'dataType'],
    ['name', 'source', 'data_type'],
  ],
  'lm-eval': [['doc', 'resps', 'filtered_resps']],
  mlflow: [
    ['info.trace_id', 'data'],
    ['trace_id', 'trace', 'assessments'],
  ],
  'mt-bench-judgments': [
    ['question_id', 'judge', 'judgment'],
    ['question_id', 'judge', 'g1_judgment'],
  ],
  'openai-batch': ['body', 'response'].map((part) => ['custom_id', part]),
  otel: [['resourceSpans'], ['resourceLogs']],
  phoenix: [
    ['context.trace_id', 'span_kind'],
    ['annotator_kind', 'span_id'],
    ['annotator_kind', 'trace_id'],
  ],
  promptfoo: [['testIdx', 'promptIdx', 'success']],
}

/** Lists of records in the answers of APIs and programs. */
const LISTS = ['data', 'traces']

/** The format of a row, or of the first record in its list of them; undefined if its keys tell none. */
export function markedFormat(row: Row): string | undefined {
  const [first] = LISTS.map((key) => row.field(key)).find(Array.isArray) ?? []
  const record = isObject(first) ? Row.make(first, row.file, row.line) : row
  return Object.keys(MARKS).find((format) => MARKS[format]!.some((keys) => hasKeys(record, keys)))
}

/** Keys of each `jb` that jb-render began. */
const JB_ALONE = ['judge', 'judge_digest', 'item', 'trial']

/** Keys of each of jb-aggregate's reports. */
const REPORT = ['items', 'valid', 'failures', 'made']

const hasKeys = (row: Row, keys: readonly string[]) => keys.every((key) => row.fieldText(key) !== undefined)

/**
 * The same rows. If the first has no `jb` but the keys of a format, a note says so.
 * @throws Fatal (data), when the rows are read, if it is a report
 */
export function noteUnread(rows: Rows, { note }: Context): Rows {
  return seenFirst(rows, (row) => {
    if (row.keys.length > 0) return
    const format = markedFormat(row)
    if (hasKeys(row, REPORT))
      throw new Fatal(
        EXIT.data,
        `${row.file} is a report of jb-aggregate: give the rows that it was made of, those of jb-parse or jb-score`,
      )
    if (hasKeys(row, JB_ALONE))
      note(
        `${row.file} has what stands in jb, and no jb: rows are whole lines (jq .jb took this out of them?)`,
      )
    if (format) note(`${row.file} looks like a file of ${format}: read it with jb-read ${format} first`)
  })
}

/** The same rows. If the first is `jb` alone, a note says what that takes from a report. */
export function noteBare(rows: Rows, { note }: Context): Rows {
  return seenFirst(rows, (row) => {
    if (row.has('judge') && /^\{\s*\}$/.test(row.itemText()))
      note(
        `${row.place} has jb and nothing else: the item's own fields were taken away (jq '{jb}'?), and with them its label and groups`,
      )
  })
}
