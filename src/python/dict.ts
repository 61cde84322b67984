/* Dicts: `Dict`, or a plain object from JSON.parse, whose own enumerable properties are its items. */
import { TemplateError, typeError, unsupported } from './error.ts'
import {
  Float,
  Markup,
  type Next,
  Obj,
  type PlainDict,
  Tuple,
  textOf,
  typeName,
  type Value,
} from './values.ts'

export type AnyDict = Dict | PlainDict

const UNDEFINED: Value = []

/** The stored form of a key: equal keys (1, 1.0, True) have the same. @throws TypeError */
const stored = (key: Value): Value => {
  if (typeof key === 'boolean') return Number(key)
  if (typeof key !== 'object' || key === null) return key
  if (key instanceof Float) return key.value
  if (key instanceof Markup) return key.text
  if (key instanceof Tuple) throw unsupported('a tuple as the key of a dict')
  if (Array.isArray(key) || isDict(key) || /^dict_[ik]/.test((key as Obj).type))
    throw typeError(`unhashable type: '${typeName(key)}'`)
    // Strict undefined values throw; all others are one key.
  ;(key as Obj).truthy()
  return (key as Obj).misuse() ? UNDEFINED : key
}

/** Python's dict: hashable keys, in insertion order. */
export class Dict extends Obj {
  readonly type = 'dict'
  readonly map: Map<Value, Value>
  /** The original keys, by their stored form, if the two differ. */
  private originals: Map<Value, Value> | undefined

  constructor(map = new Map<Value, Value>()) {
    super()
    this.map = map
  }

  get(key: Value): Value | undefined {
    return this.map.get(typeof key === 'string' ? key : stored(key))
  }

  set(key: Value, value: Value): void {
    const as = stored(key)
    if (as !== key && !this.map.has(as)) (this.originals ??= new Map()).set(as, key)
    this.map.set(as, value)
  }

  keys(): Value[] {
    const keys = [...this.map.keys()]
    return this.originals ? keys.map((key) => this.originals!.get(key) ?? key) : keys
  }

  override size(): number {
    return this.map.size
  }

  /** The keys. @throws RuntimeError if the size changes during the iteration, as in Python */
  override iterate(): Next {
    const { size } = this.map
    const keys = this.keys()
    let i = 0
    return () => {
      if (this.map.size === size) return keys[i++]
      throw new TemplateError('RuntimeError', 'dictionary changed size during iteration')
    }
  }
}

/** A dict from JSON.parse. */
const isPlainDict = (value: Value): value is PlainDict =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Obj)

export const isDict = (value: Value): value is AnyDict => value instanceof Dict || isPlainDict(value)

export const dictGet = (dict: AnyDict, key: Value): Value | undefined => {
  if (dict instanceof Dict) return dict.get(key)
  const name = textOf(key)
  if (name !== undefined) return Object.hasOwn(dict, name) ? dict[name] : undefined
  stored(key)
  return undefined
}

export const dictKeys = (dict: AnyDict): Value[] =>
  dict instanceof Dict ? dict.keys() : Object.keys(dict).filter((key) => dict[key] !== undefined)

export const dictSize = (dict: AnyDict): number =>
  dict instanceof Dict ? dict.map.size : dictKeys(dict).length

export const dictEntries = (dict: AnyDict): [Value, Value][] =>
  dictKeys(dict).map((key) => [key, dictGet(dict, key)!])
