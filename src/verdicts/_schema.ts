/** Checks a reply's JSON against a JSON Schema, with messages a person understands. */
import { configError, type Json, type JsonObject } from '../rows/record.ts'

/** Gives what is wrong with a value in a line, or undefined. */
export type Check = (value: Json) => string | undefined

/** A checking function for a JSON Schema. @throws Fatal (configuration) where the schema itself is wrong */
export async function schemaCheck(schema: JsonObject, where: string): Promise<Check> {
  const { Ajv } = await import('ajv')
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false })
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
    throw configError(`${where}: verdict.schema: ${(error as Error).message}`, error)
  }
}
