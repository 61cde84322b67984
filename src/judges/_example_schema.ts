/** Infers a JSON Schema from an example. */
import { byCodePoint } from '../python/unicode.ts'
import { grouped } from '../rows/maps.ts'
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
 * How a schema is inferred. All have one schema for the elements of a list, and require the keys that all objects at a
 * place have.
 * - `open`: objects may have other keys, and a number in the example allows any number;
 * - `strict`: as OpenAI's strict mode wants it: no other keys, and a whole number in the example allows integers only;
 * - `genson`: as genson 1.4.0 infers it (https://github.com/wolverdude/GenSON): whole numbers as in `strict`, keys as in `open`.
 */
type Manner = 'open' | 'strict' | 'genson'

/** The JSON Schema of an example value. */
export const inferSchema = (example: Example, manner: Manner): JsonObject => schemaOf([example], manner)

/** The schema of several values in one place. */
function schemaOf(values: readonly Example[], manner: Manner): JsonObject {
  const types = grouped(values, typeOf)
  const schemas = [...types].map(([type, of]) => TYPED[type]?.(of, manner) ?? { type })
  if (manner !== 'genson' || schemas.length === 1)
    return schemas.length === 1 ? schemas[0]! : { anyOf: schemas }
  const isBare = (schema: JsonObject) => Object.keys(schema).length === 1
  const bare = schemas.filter(isBare).map(({ type }) => type as string)
  const others = schemas.filter((schema) => !isBare(schema))
  const all =
    bare.length === 0 ? others : [{ type: bare.length === 1 ? bare[0]! : bare.toSorted() }, ...others]
  return all.length === 1 ? all[0]! : { anyOf: all }
}

function typeOf(value: Example): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return value instanceof FloatText || typeof value === 'bigint' ? 'number' : typeof value
}

const isWhole = (value: Example) => typeof value === 'bigint' || Number.isInteger(value)

/** The schemas of values of one type, of which more than the type is known. */
const TYPED: Record<string, (values: readonly Example[], manner: Manner) => JsonObject> = {
  number: (values, manner) => ({ type: manner !== 'open' && values.every(isWhole) ? 'integer' : 'number' }),
  array(values, manner) {
    const elements = (values as Example[][]).flat()
    return { type: 'array', ...(elements.length > 0 && { items: schemaOf(elements, manner) }) }
  },
  object(values, manner) {
    const objects = values.map((value) =>
      value instanceof Map ? value : new Map(Object.entries(value as { [key: string]: Example })),
    )
    const keys = [...new Set(objects.flatMap((one) => [...one.keys()]))]
    const valuesOf = (key: string) => objects.flatMap((one) => (one.has(key) ? [one.get(key)!] : []))
    const properties = Object.fromEntries(keys.map((key) => [key, schemaOf(valuesOf(key), manner)]))
    const required = keys.filter((key) => objects.every((one) => one.has(key)))
    if (manner === 'genson')
      return {
        type: 'object',
        ...(keys.length > 0 && { properties }),
        ...(required.length > 0 && { required: required.toSorted(byCodePoint) }),
      }
    return {
      type: 'object',
      properties,
      required,
      ...(manner === 'strict' && { additionalProperties: false }),
    }
  },
}
