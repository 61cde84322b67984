/* The methods of dict, and the views that keys(), values() and items() give. */
import { typeError, valueError } from '../templates/error.ts'
import { spend } from '../templates/limits.ts'
import { given, type Method, positional } from './calls.ts'
import { contains, same } from './compare.ts'
import {
  type AnyDict,
  checkHashable,
  Dict,
  dictCopy,
  dictEntries,
  dictGet,
  dictHas,
  dictKeys,
  dictSize,
  isDict,
  keysOf,
} from './dicts.ts'
import { iterate, unpack } from './iterate.ts'
import { beforeChange } from './ownership.ts'
import { repr } from './print.ts'
import { undefinedError } from './undefined.ts'
import { DONE, type Kwargs, keyError, type Next, Obj, Tuple, type Value } from './values.ts'

type What = 'keys' | 'values' | 'items'

/** A live view of a dict. */
export class View extends Obj {
  readonly type: string
  readonly what: What
  readonly dict: AnyDict

  constructor(what: What, dict: AnyDict) {
    super()
    this.type = `dict_${what}`
    this.what = what
    this.dict = dict
  }

  override size(): number {
    return dictSize(this.dict)
  }

  override iterate(): Next {
    const next = keysOf(this.dict)
    if (this.what === 'keys') return next
    return () => {
      const key = next()
      if (key === DONE) return DONE
      const value = dictGet(this.dict, key) ?? null
      return this.what === 'values' ? value : new Tuple([key, value])
    }
  }

  override has(item: Value): boolean {
    if (this.what === 'keys') return dictHas(this.dict, item)
    if (this.what === 'values') return this.list().some((each) => same(each, item))
    if (!(item instanceof Tuple) || item.items.length !== 2) return false
    const value = dictGet(this.dict, item.items[0]!)
    return value !== undefined && same(value, item.items[1]!)
  }

  list(): Value[] {
    spend(this.size())
    if (this.what === 'keys') return dictKeys(this.dict)
    return dictEntries(this.dict).map(([key, value]) =>
      this.what === 'values' ? value : new Tuple([key, value]),
    )
  }

  override equals(other: Value): boolean {
    if (this === other) return true
    if (!(other instanceof View) || this.what === 'values' || other.size() !== this.size()) return false
    return this.list().every((item) => contains(other, item))
  }

  override repr(): string {
    return `${this.type}(${repr(this.list())})`
  }
}

/** dict(...) and dict.update(...): a mapping or pairs, then keywords. */
export const fillDict = (dict: Dict, args: Value[], kwargs: Kwargs | undefined): Dict => {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`)
  const [source] = args
  const error = source === undefined ? undefined : undefinedError(source)
  if (error) throw error
  if (source !== undefined) {
    if (isDict(source)) for (const [key, value] of dictEntries(source)) dict.set(key, value)
    else fillFromPairs(dict, source)
  }
  for (const [key, value] of kwargs ?? []) dict.set(key, value)
  spend(dict.map.size)
  return dict
}

const fillFromPairs = (dict: Dict, source: Value): void => {
  const next = iterate(source)
  let i = 0
  for (let pair = next(); pair !== DONE; pair = next(), i++) {
    let items: readonly Value[]
    try {
      items = unpack(pair, 2)
    } catch (error) {
      if ((error as { exception?: string }).exception !== 'ValueError') {
        throw typeError(`cannot convert dictionary update sequence element #${i} to a sequence`)
      }
      throw valueError(`dictionary update sequence element #${i} has the wrong length; 2 is required`)
    }
    dict.set(items[0]!, items[1]!)
  }
}

/** dict.fromkeys(keys, value). */
export const fromKeys: Method<unknown> = positional('fromkeys', 1, 2, (_self, keys, value) => {
  const dict = new Dict()
  const next = iterate(keys!)
  for (let key = next(); key !== DONE; key = next()) {
    spend(1)
    dict.set(key, value ?? null)
  }
  return dict
})

/** The dict about to be changed: the template's own, so a `Dict`. */
const own = (dict: AnyDict): Dict => {
  beforeChange()
  if (dict instanceof Dict) return dict
  throw typeError('this dict is read-only')
}

export const DICT_METHODS: Record<string, Method<AnyDict>> = {
  clear: positional('clear', 0, 0, (dict) => {
    own(dict).map.clear()
    return null
  }),
  copy: positional('copy', 0, 0, (dict) => dictCopy(dict)),
  fromkeys: fromKeys,
  get: positional('get', 1, 2, (dict, key, fallback) => given(dictGet(dict, key!), given(fallback, null))),
  items: positional('items', 0, 0, (dict) => new View('items', dict)),
  keys: positional('keys', 0, 0, (dict) => new View('keys', dict)),
  pop: positional('pop', 1, 2, (dict, key, fallback) => {
    const value = dictGet(own(dict), key!)
    if (value === undefined && fallback === undefined) throw keyError(repr(key!))
    own(dict).delete(key!)
    return given(value, fallback!)
  }),
  popitem: positional('popitem', 0, 0, (dict) => {
    const last = [...own(dict).map].at(-1)
    if (!last) throw keyError("'popitem(): dictionary is empty'")
    spend(dictSize(dict))
    own(dict).delete(last[0])
    return new Tuple(last)
  }),
  setdefault: positional('setdefault', 1, 2, (dict, key, fallback) => {
    const value = dictGet(own(dict), key!)
    if (value !== undefined) return value
    checkHashable(key!)
    own(dict).set(key!, fallback ?? null)
    return fallback ?? null
  }),
  update: (dict, args, kwargs) => {
    fillDict(own(dict), args, kwargs)
    return null
  },
  values: positional('values', 0, 0, (dict) => new View('values', dict)),
}

/** A view's methods; most of what sets can do isn't here. */
export const VIEW_METHODS: Record<string, Method<View>> = {
  isdisjoint: positional(
    'isdisjoint',
    1,
    1,
    (view, other) => !view.list().some((item) => contains(other!, item)),
  ),
}
