/** A JSON Schema inferred from an example. */
import type { JsonObject } from '../rows/record.ts'

/** A number whose text in a file had a point or an exponent: `8.0` is a number, 8 an integer. */
export class FloatText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An example value; numbers read from a file keep whether they were written as floats. */
export type Example = null | boolean | number | string | FloatText | Example[] | { [key: string]: Example }

/**
 * The schema of which the value is an example, as genson infers it: a whole number is an integer, a list's
 * elements are merged. Every object is closed and all its keys are required, nested ones too: OpenAI's
 * strict mode asks for that.
 */
export function inferSchema(example: Example): JsonObject {
  if (example === null) return { type: 'null' }
  if (example instanceof FloatText) return { type: 'number' }
  if (Array.isArray(example))
    return example.length === 0
      ? { type: 'array' }
      : { type: 'array', items: example.map(inferSchema).reduce(merged) }
  switch (typeof example) {
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(example).map(([key, value]) => [key, inferSchema(value)]),
        ),
        required: Object.keys(example),
        additionalProperties: false,
      }
    case 'number':
      return { type: Number.isInteger(example) ? 'integer' : 'number' }
    default:
      return { type: typeof example }
  }
}

/** A schema that both values of a list meet. */
function merged(a: JsonObject, b: JsonObject): JsonObject {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  const types = [a.type, b.type]
  if (types.includes('number') && types.includes('integer')) return { type: 'number' }
  if (a.type === 'object' && b.type === 'object') {
    const [first, second] = [a.properties as JsonObject, b.properties as JsonObject]
    const properties: JsonObject = { ...first }
    for (const [key, value] of Object.entries(second))
      properties[key] =
        key in first ? merged(first[key] as JsonObject, value as JsonObject) : (value as JsonObject)
    const required = (a.required as string[]).filter((key) => (b.required as string[]).includes(key))
    return { type: 'object', properties, required, additionalProperties: false }
  }
  if (a.type === 'array' && b.type === 'array') {
    const items = [a.items, b.items].filter(Boolean) as JsonObject[]
    return items.length === 0 ? { type: 'array' } : { type: 'array', items: items.reduce(merged) }
  }
  const either = (schema: JsonObject) => (schema.anyOf as JsonObject[] | undefined) ?? [schema]
  const all = [...either(a), ...either(b)]
  const distinct = new Map(all.map((schema) => [JSON.stringify(schema), schema]))
  return { anyOf: [...distinct.values()] }
}
