/** The JSON schema that a reply must meet: that of the request, else that of the judge's rule. */
import { isObject, type JsonObject, type Request } from '../rows/record.ts'
import type { Judge } from './_judge.ts'

export function replySchema(judge: Judge, request: Request | undefined): JsonObject | undefined {
  const format = request?.response_format
  const requested = isObject(format) && isObject(format.json_schema) ? format.json_schema.schema : undefined
  const schema = requested ?? judge.verdict?.schema
  return isObject(schema) ? schema : undefined
}
