/** Small side files: NDJSON of topics, nugget banks, criteria, prompts, personas. Files of rows are read by rows/reader.ts. */
import { exactJson, withExactIntegers } from '../rows/exact_json.ts'
import { EXIT, Fatal, isObject, type Json, type JsonObject } from '../rows/record.ts'
import { foreignFile } from '../rows/unreadable.ts'

/** An object of a file, and its place in messages. */
export interface Placed {
  object: JsonObject
  /** `topics.jsonl:17` */
  place: string
}

/**
 * The objects of NDJSON. Integers beyond 2^53 are strings of digits.
 * @param exitCode of the error
 * @throws Fatal with `file:line` for a line that is not a JSON object
 */
export async function objectsOf(text: string, file: string, exitCode: number = EXIT.data): Promise<Placed[]> {
  const { parse } = await import('ndjson')
  const lines = [...text.split('\n').entries()].filter(([, line]) => line.trim() !== '')
  const parser = parse()
  // The line that is wrong is looked for below.
  parser.on('error', () => {})
  parser.write(`${withExactIntegers(lines.map(([, line]) => line).join('\n'))}\n`)
  const objects: unknown[] = []
  for (let one = parser.read(); one !== null; one = parser.read()) objects.push(one)
  const place = (index: number) => `${file}:${index + 1}`
  if (objects.length !== lines.length || !objects.every(isObject))
    for (const [index, line] of lines) parsedObject(line, place(index), exitCode)
  return lines.map(([index], i) => ({ object: objects[i] as JsonObject, place: place(index) }))
}

/** One object. @throws Fatal with its place */
export function parsedObject(text: string, place: string, exitCode: number = EXIT.data): JsonObject {
  let value: Json
  try {
    value = exactJson(text)
  } catch (error) {
    const why = foreignFile(text) ?? `not valid JSON: ${(error as Error).message}`
    throw new Fatal(exitCode, `${place}: ${why}`, { cause: error })
  }
  if (isObject(value)) return value
  throw new Fatal(exitCode, `${place}: expected a JSON object`)
}
