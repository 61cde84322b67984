/**
 * A test run of DeepEval (deepeval/test_run/api.py): `.deepeval/.latest_test_run.json`, or a file of its results folder. A row is a
 * test case, with its metrics as annotations.
 */
import { isObject, type Json, type JsonObject } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import { type Annotation, annotation } from './_annotations.ts'
import { lacking, rowsMade } from './_bad_rows.ts'
import { eitherRows } from './_either.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'DeepEval: .deepeval/.latest_test_run.json → a row a test case, with its metrics',
  async *read(sources, options, context) {
    for await (const batch of eitherRows(sources, options, context))
      yield batch.flatMap((row) => rowsMade(row, (one) => casesIn(one, row)))
  },
}

function casesIn({ item }: Row, row: Row): Row[] {
  const run = isObject(item.testRunData) ? item.testRunData : item
  const { testCases, conversationalTestCases } = run
  if (!Array.isArray(testCases) && !Array.isArray(conversationalTestCases))
    return [lacking(row, 'deepeval', 'no "testCases": this is no test run of DeepEval')]
  return [testCases, conversationalTestCases]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .flatMap((one) => rowsMade(Row.make(Object(one) as object, row.file, row.line), caseRow))
}

function caseRow({ item, file, line }: Row): Row {
  const { input, actualOutput, turns, toolsCalled, expectedTools, metricsData } = item
  const said = Array.isArray(turns)
    ? turns.filter(isObject).map(({ role = null, content = null, toolsCalled: calls }) => ({
        ...{ role, content },
        ...(calls && { tools_called: callsIn(calls) }),
      }))
    : [
        ...('input' in item ? [{ role: 'user', content: input! }] : []),
        ...('actualOutput' in item
          ? [
              {
                role: 'assistant',
                content: actualOutput!,
                ...(toolsCalled && { tools_called: callsIn(toolsCalled) }),
              },
            ]
          : []),
      ]
  const fields: { [name: string]: Json | undefined } = {
    id: item.name ?? item.order ?? null,
    question: input,
    answer: actualOutput,
    reference: item.expectedOutput ?? item.expectedOutcome,
    contexts: item.retrievalContext ?? item.context,
    messages: said as Json,
    reference_calls: expectedTools && callsIn(expectedTools),
    pass: item.success,
    annotations: (Array.isArray(metricsData) ? metricsData : []).filter(isObject).map(annotationOf),
  }
  const made = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Row.make(Object.fromEntries(made) as JsonObject, file, line)
}

/** Calls of tools, by the names of DeepEval's own classes. */
const callsIn = (calls: Json): Json =>
  (Array.isArray(calls) ? calls : []).filter(isObject).map(({ inputParameters, ...call }) => ({
    ...call,
    ...(inputParameters !== undefined && { input_parameters: inputParameters }),
  }))

/** A metric's score. DeepEval says which model judged; a metric without one is code. */
function annotationOf({
  name,
  score,
  reason,
  success,
  threshold,
  evaluationModel,
  error,
}: JsonObject): Annotation {
  return annotation(name, score, evaluationModel ? 'LLM' : 'CODE', evaluationModel, {
    ...{ note: reason, pass: success, threshold, error },
  })
}
