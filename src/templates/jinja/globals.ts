/* What every template can call: range, dict, namespace, cycler, joiner, lipsum. */

import { type Arg, bind, boundMethod, given, type Method, positional } from '../../python/calls.ts'
import { fillDict, fromKeys } from '../../python/dict-methods.ts'
import { Dict } from '../../python/dicts.ts'
import { Range } from '../../python/range.ts'
import { Type } from '../../python/types.ts'
import {
  ADDRESS,
  Builtin,
  indexOf,
  type Kwargs,
  Markup,
  Obj,
  Tuple,
  truthy,
  type Value,
} from '../../python/values.ts'
import { raise, typeError } from '../error.ts'
import { spend } from '../limits.ts'
import { Namespace } from './objects.ts'
import { Random } from './random.ts'

/** Goes round its values, one with each call of next(). */
class Cycler extends Obj {
  readonly type = 'jinja2.utils.Cycler'
  readonly items: readonly Value[]
  pos = 0

  constructor(items: readonly Value[]) {
    super()
    if (items.length === 0) throw raise('RuntimeError', 'at least one item has to be provided')
    this.items = items
  }

  override attr(name: string): Value | undefined {
    if (name === 'current') return this.items[this.pos]
    if (name === 'pos') return this.pos
    if (name === 'items') return new Tuple(this.items)
    return Object.hasOwn(CYCLER_METHODS, name)
      ? boundMethod('Cycler', name, this, CYCLER_METHODS[name]!)
      : undefined
  }
}

const CYCLER_METHODS: Record<string, Method<Cycler>> = {
  next: positional('next', 0, 0, (cycler) => {
    const value = cycler.items[cycler.pos]!
    cycler.pos = (cycler.pos + 1) % cycler.items.length
    return value
  }),
  reset: positional('reset', 0, 0, (cycler) => {
    cycler.pos = 0
    return null
  }),
}

/** Gives nothing the first time it is called, then the separator. */
class Joiner extends Obj {
  readonly type = 'jinja2.utils.Joiner'
  private readonly sep: Value
  private used = false

  constructor(sep: Value) {
    super()
    this.sep = sep
  }

  override get callable(): boolean {
    return true
  }

  override call(args: Value[], kwargs: Kwargs | undefined): Value {
    if (args.length > 0 || kwargs?.size) throw typeError('a joiner takes no arguments')
    if (this.used) return this.sep
    this.used = true
    return ''
  }

  override attr(name: string): Value | undefined {
    if (name === 'used') return this.used
    return name === 'sep' ? this.sep : undefined
  }
}

const WORDS = (
  'lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor incididunt ut labore et dolore magna ' +
  'aliqua enim minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis ' +
  'aute irure in reprehenderit voluptate velit esse cillum eu fugiat nulla pariatur excepteur sint occaecat ' +
  'cupidatat non proident sunt culpa qui officia deserunt mollit anim id est laborum'
).split(' ')

/** Filler text. It is the same at every run, for output must be. */
const lipsum = (count: Arg, html: Arg, min: Arg, max: Arg): Value => {
  const random = new Random('lipsum')
  const low = indexOf(given(min, 20))
  const high = indexOf(given(max, 100))
  const paragraphs: string[] = []
  for (let i = indexOf(given(count, 5)); i > 0; i--) {
    if (high <= low) throw raise('ValueError', 'empty range for randrange()')
    const length = low + random.below(high - low)
    spend(length)
    const words = Array.from({ length }, () => WORDS[random.below(WORDS.length)]!)
    const text = words.join(' ')
    paragraphs.push(text === '' ? '.' : `${text[0]!.toUpperCase()}${text.slice(1)}.`)
  }
  if (!truthy(given(html, true))) return paragraphs.join('\n\n')
  return new Markup(paragraphs.map((text) => `<p>${text}</p>`).join('\n'))
}

const keywordFree = (name: string, kwargs: Kwargs | undefined): void => {
  if (kwargs?.size) throw typeError(`${name}() takes no keyword arguments`)
}

const GLOBALS: Record<string, Value> = {
  range: new Type('range', (args, kwargs) => {
    keywordFree('range', kwargs)
    return Range.of(args)
  }),
  dict: new Type('dict', (args, kwargs) => fillDict(new Dict(), args, kwargs), {
    fromkeys: new Builtin(`built-in method fromkeys of type object at ${ADDRESS}`, (args, kwargs) =>
      fromKeys(null, args, kwargs),
    ),
  }),
  namespace: new Type(
    'jinja2.utils.Namespace',
    (args, kwargs) => new Namespace(fillDict(new Dict(), args, kwargs)),
  ),
  cycler: new Type('jinja2.utils.Cycler', (args, kwargs) => {
    keywordFree('cycler', kwargs)
    return new Cycler(args)
  }),
  joiner: new Type('jinja2.utils.Joiner', (args, kwargs) => {
    const [sep] = bind('joiner', ['sep'], 0, args, kwargs)
    return new Joiner(given(sep, ', '))
  }),
  lipsum: new Builtin(`function generate_lorem_ipsum at ${ADDRESS}`, (args, kwargs) => {
    const [n, html, min, max] = bind('lipsum', ['n', 'html', 'min', 'max'], 0, args, kwargs)
    return lipsum(n, html, min, max)
  }),
}

export const isGlobal = (name: string): boolean => Object.hasOwn(GLOBALS, name)

/** A global by name. */
export const globalNamed = (name: string): Value | undefined => (isGlobal(name) ? GLOBALS[name] : undefined)
