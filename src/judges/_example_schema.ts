/** Infers a JSON Schema from an example. */
import type { JsonObject } from '../rows/record.ts'

/** A float as Python prints it: `8.0` is a number, `8` an integer; `inf` and `nan` are floats, too. */
export class FloatText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

/** An example value: floats differ from integers, and mappings with numbers as keys keep their order. */
export type Example =
  | null
  | boolean
  | number
  | bigint
  | string
  | FloatText
  | Example[]
  | Map<string, Example>
  | { [key: string]: Example }

/**
 * The schema of an example value. Elements of a list are merged, and all keys of an object are required.
 * @param strict as genson infers it, for OpenAI's strict mode: objects have no other keys, and a whole number in the example
 *   allows integers only. Otherwise objects may have other keys, and a number in the example allows any number.
 */
export function inferSchema(example: Example, { strict = true } = {}): JsonObject {
  if (example === null) return { type: 'null' }
  if (example instanceof FloatText) return { type: 'number' }
  if (example instanceof Map) return inferSchema(Object.fromEntries(example), { strict })
  const infer = (value: Example) => inferSchema(value, { strict })
  if (Array.isArray(example))
    return example.length === 0
      ? { type: 'array' }
      : { type: 'array', items: example.map(infer).reduce(merged) }
  switch (typeof example) {
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(Object.entries(example).map(([key, value]) => [key, infer(value)])),
        required: Object.keys(example),
        ...(strict && { additionalProperties: false }),
      }
    case 'bigint':
      return { type: 'integer' }
    case 'number':
      return { type: strict && Number.isInteger(example) ? 'integer' : 'number' }
    default:
      return { type: typeof example }
  }
}

/** The schema of two elements of a list. */
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
    return { ...a, properties, required }
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
