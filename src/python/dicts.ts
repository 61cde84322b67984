/*
 * A dict, and one way to read both kinds of it: `Dict`, and a plain object out of JSON.parse, whose own
 * enumerable properties are its items.
 */
import { raise, typeError } from '../templates/error.ts'
import { equal } from './compare.ts'
import { Undefined } from './undefined.ts'
import { DONE, Float, Markup, type Next, Obj, type PlainDict, Tuple, typeName, type Value } from './values.ts'

export type AnyDict = Dict | PlainDict

/**
 * Python's dict: any hashable key, in the order they came. Keys that JavaScript's Map tells apart as
 * Python does stand for themselves; others (True, 1.0, tuples) are found by comparing.
 */
export class Dict extends Obj {
  readonly type = 'dict'
  readonly map: Map<Value, Value>
  private odd = false

  constructor(map = new Map<Value, Value>()) {
    super()
    this.map = map
  }

  /** From keys and values of any kind; a later key wins and keeps the place of the first. */
  static of(entries: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict()
    for (const [key, value] of entries) dict.set(key, value)
    return dict
  }

  /** The key as it is stored, where an equal one is stored, else the key itself. */
  private find(key: Value): Value {
    if (key instanceof Markup && this.map.has(key.text)) return key.text
    if (typeof key === 'string' || typeof key === 'number' || key === null || typeof key === 'bigint') {
      if (!this.odd || this.map.has(key)) return key
    } else {
      checkHashable(key)
    }
    if (this.map.has(key)) return key
    for (const stored of this.map.keys()) if (typeof stored !== 'string' && equal(stored, key)) return stored
    return key
  }

  get(key: Value): Value | undefined {
    return this.map.get(this.find(key))
  }

  override has(key: Value): boolean {
    return this.map.has(this.find(key))
  }

  set(key: Value, value: Value): void {
    const stored = this.find(key)
    if (typeof stored === 'boolean' || (typeof stored === 'object' && stored !== null)) this.odd = true
    this.map.set(stored, value)
  }

  delete(key: Value): boolean {
    return this.map.delete(this.find(key))
  }

  override size(): number {
    return this.map.size
  }

  override iterate(): Next {
    return keysOf(this)
  }
}

/** Throws Python's TypeError for what can't be a key, a list or a dict; strictly undefined can't be one either. */
export const checkHashable = (value: Value): void => {
  if (typeof value !== 'object' || value === null || value instanceof Float) return
  if (Array.isArray(value) || isDict(value)) throw typeError(`unhashable type: '${typeName(value)}'`)
  if (value instanceof Undefined) value.truthy()
  if (value instanceof Tuple) for (const item of value.items) checkHashable(item)
}

export const isDict = (value: Value): value is AnyDict =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  (!(value instanceof Obj) || value instanceof Dict)

/** A dict as JSON.parse makes it. */
export const isPlainDict = (value: Value): value is PlainDict =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Obj)

export const dictGet = (dict: AnyDict, key: Value): Value | undefined => {
  if (dict instanceof Dict) return dict.get(key)
  const name = key instanceof Markup ? key.text : key
  if (typeof name === 'string') return Object.hasOwn(dict, name) ? dict[name] : undefined
  checkHashable(key)
  return undefined
}

export const dictHas = (dict: AnyDict, key: Value): boolean => dictGet(dict, key) !== undefined

export const dictKeys = (dict: AnyDict): Value[] =>
  dict instanceof Dict ? [...dict.map.keys()] : Object.keys(dict).filter((key) => dict[key] !== undefined)

export const dictSize = (dict: AnyDict): number =>
  dict instanceof Dict ? dict.map.size : dictKeys(dict).length

export const dictEntries = (dict: AnyDict): [Value, Value][] =>
  dict instanceof Dict
    ? [...dict.map.entries()]
    : (Object.entries(dict).filter(([, value]) => value !== undefined) as [Value, Value][])

/** Goes through the keys; a dict that grows or shrinks under way is an error, as in Python. */
export const keysOf = (dict: AnyDict): Next => {
  if (!(dict instanceof Dict)) {
    const keys = dictKeys(dict)
    let i = 0
    return () => (i < keys.length ? keys[i++]! : DONE)
  }
  const keys = dict.map.keys()
  const size = dict.map.size
  return () => {
    const step = keys.next()
    if (dict.map.size !== size) throw changed()
    return step.done ? DONE : step.value
  }
}

const changed = () => raise('RuntimeError', 'dictionary changed size during iteration')

/** A copy that can be changed. */
export const dictCopy = (dict: AnyDict): Dict =>
  dict instanceof Dict ? Dict.of(dict.map) : new Dict(new Map(dictEntries(dict)))
