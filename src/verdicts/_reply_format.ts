/** The `response_format` of a judge whose replies are JSON: endpoints that have it then give JSON that fits. */
import { inferSchema } from '../judges/_example_schema.ts'
import type { Judge } from '../judges/_judge.ts'
import { isObject, type Json, type JsonObject, type Trial } from '../rows/record.ts'
import { schemaOf } from './_options.ts'

/** OpenAI's form of a schema; undefined if the rule has none, a completion is asked for, or the request has its own form. */
export function replyFormat(judge: Judge, trial: Pick<Trial, 'options'> = {}): JsonObject | undefined {
  if (judge.prompt !== undefined || judge.request?.response_format !== undefined) return undefined
  const schema = ruleSchema(judge, trial)
  const strict = schema && isStrict(schema)
  return (
    schema && { type: 'json_schema', json_schema: { name: 'verdict', ...(strict && { strict }), schema } }
  )
}

function ruleSchema({ verdict }: Judge, trial: Pick<Trial, 'options'>): JsonObject | undefined {
  // Without `read` the rule also takes an option alone, in its own words.
  if (verdict?.rule === 'option') return verdict.read === 'json' ? schemaOf(trial) : undefined
  if (verdict?.rule !== 'json') return undefined
  const { schema, like } = verdict
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
