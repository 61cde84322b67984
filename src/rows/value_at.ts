/** A value inside parsed JSON, by dotted path. The page of jb-view uses it too, so it needs nothing of Node. */
import type { Json, JsonObject } from './record.ts'

/** The value at a dotted path (`choices.0.turns`); undefined where there is none. A key with dots in it wins. */
export function valueAt(item: Json | undefined, path: string): Json | undefined {
  if (item === null || typeof item !== 'object') return undefined
  if (Object.hasOwn(item, path)) return (item as JsonObject)[path]
  const dot = path.indexOf('.')
  if (dot < 0) return Array.isArray(item) ? elementAt(item, path) : undefined
  const head = path.slice(0, dot)
  const inner = Array.isArray(item)
    ? elementAt(item, head)
    : Object.hasOwn(item, head)
      ? (item as JsonObject)[head]
      : undefined
  return valueAt(inner, path.slice(dot + 1))
}

/** A negative index counts from the end, as in jq. */
const elementAt = (list: Json[], index: string): Json | undefined =>
  isIndex(index) ? list.at(Number(index)) : undefined

export const isIndex = (word: string) => /^-?\d+$/.test(word)
