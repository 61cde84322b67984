/**
 * The JSON Schema of a judge's replies, and their `response_format`: endpoints that have it then give JSON that fits.
 */
import { inferSchema } from '../judges/_example_schema.ts'
import type { Judge, VerdictConfig } from '../judges/_judge.ts'
import { isObject, type Json, type JsonObject, type Request, type Trial } from '../rows/record.ts'
import { schemaOf } from './_options.ts'

/** OpenAI's form of a schema; undefined if the rule has none, a completion is asked for, or the request has its own form. */
export function replyFormat(judge: Judge, trial: Pick<Trial, 'options'> = {}): JsonObject | undefined {
  const { prompt, request, verdict } = judge
  if (prompt !== undefined || request?.response_format !== undefined) return undefined
  // Without `read` the rule also takes an option alone, in its own words.
  if (verdict?.rule === 'option' && verdict.read === undefined) return undefined
  const schema = ruleSchema(judge, trial)
  const strict = schema && isStrict(schema)
  return (
    schema && { type: 'json_schema', json_schema: { name: 'verdict', ...(strict && { strict }), schema } }
  )
}

/** The schema that a reply must meet: that of the request, else that of the judge's rule; undefined if there is none. */
export function replySchema(
  judge: Judge,
  trial: Pick<Trial, 'options'> | undefined,
  request: Request | undefined,
): JsonObject | undefined {
  const format = request?.response_format
  const requested = isObject(format) && isObject(format.json_schema) ? format.json_schema.schema : undefined
  return isObject(requested) ? requested : ruleSchema(judge, trial ?? {})
}

function ruleSchema({ verdict }: Judge, trial: Pick<Trial, 'options'>): JsonObject | undefined {
  const { rule, read, schema, like }: Partial<VerdictConfig> = verdict ?? {}
  if (rule === 'option') return read === 'place' ? undefined : schemaOf(trial)
  if (rule !== 'json') return undefined
  if (isObject(schema)) return schema
  return like === undefined ? undefined : inferSchema(like as Json, 'open')
}

/** Whether OpenAI's strict mode takes a schema: every object requires all its keys, and has no others. */
function isStrict(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isObject(schema)) return true
  const { type, properties, required, additionalProperties } = schema
  if (type === 'object') {
    const keys = isObject(properties) ? Object.keys(properties) : []
    const all = Array.isArray(required) && keys.every((key) => required.includes(key))
    if (!all || additionalProperties !== false) return false
  }
  return Object.values(schema).every(isStrict)
}
