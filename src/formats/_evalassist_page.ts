/**
 * The files that EvalAssist's web page saves: a test case (JSON: criterion, instances with `contextVariables` and
 * `expectedResult`) and its test data (CSV: the judged field first, or `NAME 1`, `NAME 2`, … where answers are compared,
 * then the context). Names as in IBM/eval-assist, frontend/src/types.ts.
 */

import { isExpected } from '../criteria/_roles.ts'
import { isObject, type Json, type JsonObject, RowFailure } from '../rows/record.ts'
import { BadRow } from '../rows/row.ts'

/**
 * The items of a test case, or of one of its instances; undefined for any other object.
 * @throws BadRow for a test case that cannot be read, RowFailure for an instance without an answer
 */
export function pageItems(value: JsonObject): JsonObject[] | undefined {
  if (Array.isArray(value.contextVariables)) return [itemOf(value, undefined)]
  const content = contentOf(value)
  if (!Array.isArray(content?.instances)) return undefined
  const criterion = isObject(content.criteria) ? criterionOf(content.criteria, content) : undefined
  return content.instances.map((instance, index) => {
    if (!isObject(instance)) throw new BadRow(`instance ${index + 1} of the test case is not an object`)
    return itemOf(instance, criterion)
  })
}

/** The content of a test case: a saved one has it, but for its name, as JSON text in `content`. */
function contentOf(value: JsonObject): JsonObject | undefined {
  if (typeof value.content !== 'string' || !('name' in value)) return value
  try {
    const content = JSON.parse(value.content) as Json
    return isObject(content) ? content : undefined
  } catch {
    return undefined
  }
}

/** An instance as the page's server expects it, without its earlier result. */
function itemOf(instance: JsonObject, criterion: JsonObject | undefined): JsonObject {
  const { id, contextVariables, response, responses, expectedResult, metadata } = instance
  if (response === undefined && !Array.isArray(responses))
    throw new RowFailure('missing_field', 'an instance has neither "response" nor "responses"')
  const variables = Array.isArray(contextVariables) ? contextVariables : []
  const context = Object.fromEntries(
    variables.filter(isObject).map(({ name, value }) => [String(name), value ?? '']),
  )
  return {
    ...(id !== undefined && { id }),
    context,
    ...(Array.isArray(responses) ? { responses } : { response: response ?? '' }),
    ...((expectedResult ?? '') !== '' && { expected_result: expectedResult! }),
    ...(isObject(metadata) && Object.keys(metadata).length > 0 && { metadata }),
    ...(criterion && { criteria: criterion }),
  }
}

/** The criterion under the library's names, for --criteria @criteria. */
function criterionOf(page: JsonObject, content: JsonObject): JsonObject {
  const judged = page.to_evaluate_field ?? page.toEvaluateField ?? page.predictionField
  const context = page.context_fields ?? page.contextFields ?? content.contextVariableNames
  const field = judged ?? content.responseVariableName ?? 'response'
  const examples = Array.isArray(content.examples) ? content.examples.filter(isObject) : []
  return {
    name: page.name ?? '',
    description: page.description ?? '',
    to_evaluate_field: field,
    context_fields: context ?? null,
    options: page.options ?? [],
    ...(examples.length > 0 && { examples: examples.map((one) => exampleOf(one, String(field))) }),
  }
}

/** An example: an instance whose expected result is the option that was chosen; it is shown to the judge. */
function exampleOf(instance: JsonObject, field: string): JsonObject {
  const { context, response, responses, expected_result } = itemOf(instance, undefined)
  const fields = { ...(context as JsonObject), [field]: (responses ?? response)! }
  return { instance: { fields }, selected_option: expected_result ?? null }
}

/**
 * A record of the page's CSV as an instance. Its answers are the numbered columns of the first one's name; a number that the
 * first item lacks comes after the context. The expected result is kept beside the instance.
 */
export function instanceOfRecord(record: JsonObject): JsonObject {
  const names = Object.keys(record).filter((name) => !isExpected(name))
  const expected = Object.entries(record).find(([name, value]) => isExpected(name) && value !== '')
  return { fields: fieldsOf(record, names), ...(expected && { expected_result: expected[1] }) }
}

function fieldsOf(record: JsonObject, names: string[]): JsonObject {
  const valuesOf = (some: string[]) => Object.fromEntries(some.map((name) => [name, record[name]!]))
  const field = /^(.*) 1$/s.exec(names[0] ?? '')?.[1]
  const answers: string[] = []
  while (names.includes(`${field} ${answers.length + 1}`)) answers.push(`${field} ${answers.length + 1}`)
  if (field === undefined || answers.length < 2) return valuesOf(names)
  const values = answers.map((name) => record[name]!)
  // An item with fewer answers than others has empty cells at the end.
  while (values.at(-1) === '') values.pop()
  return { [field]: values, ...valuesOf(names.filter((name) => !answers.includes(name))) }
}
