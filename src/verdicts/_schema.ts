/** Checks a reply's JSON against a JSON Schema, with readable messages. */
import type { RE2JS } from 're2js'
import { configError, type Json, type JsonObject } from '../rows/record.ts'

/** What is wrong with a value, in one line; undefined if nothing is. */
export type Check = (value: Json) => string | undefined

/** Makes the check of a JSON Schema. @throws Fatal (configuration) if the schema is invalid */
export async function schemaCheck(schema: JsonObject, where: string): Promise<Check> {
  const [{ Ajv }, { RE2JS }] = await Promise.all([import('ajv'), import('re2js')])
  // Ajv's own patterns backtrack, and its uniqueItems compares each element with each.
  const regExp = Object.assign((source: string) => linear(RE2JS.compile(source)), { code: 'linear' })
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, code: { regExp } })
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', validate: distinct, error: DISTINCT })
  try {
    const validate = ajv.compile(schema)
    return (value) => {
      if (validate(value)) return undefined
      return (validate.errors ?? [])
        .slice(0, 3)
        .map(({ instancePath, message, params }) => {
          const allowed = params.allowedValues as unknown[] | undefined
          const extra = params.additionalProperty as string | undefined
          const more = allowed ? `: ${allowed.join(', ')}` : extra === undefined ? '' : ` ("${extra}")`
          return `${instancePath.slice(1).replaceAll('/', '.') || 'it'} ${message}${more}`
        })
        .join('; ')
    }
  } catch (error) {
    throw configError(
      `${where}: verdict.schema: ${(error as Error).message} (patterns are RE2: no lookaround, no backreferences)`,
      error,
    )
  }
}

const linear = (pattern: RE2JS) => ({ test: (text: string) => pattern.matcher(text).find() })

const DISTINCT = { message: 'must NOT have duplicate items' }

/** Whether no two elements are equal, whatever the order of their keys. */
const distinct = (wanted: boolean, list: Json[]) =>
  !wanted || new Set(list.map((one) => JSON.stringify(sorted(one)))).size === list.length

function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key]!)]),
  )
}
