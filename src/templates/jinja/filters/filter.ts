/* The type of filters, and helpers for them. */
import { type Arg, type Method, method } from '../../../python/calls.ts'
import { spend } from '../../../python/limits.ts'
import { str } from '../../../python/print.ts'
import { Generator, Markup, type Next, textOf, type Value } from '../../../python/values.ts'
import { lookupItem } from '../lookup.ts'
import type { Render } from '../scope.ts'
import { Undefined } from '../undefined.ts'

/** A filter or a test: the first argument is the value. */
export type Filter = Method<Render>
type Run<Result> = (render: Render, ...args: Value[]) => Result

/** A filter with the parameters of Jinja2's function (syntax: see `method` in calls.ts). */
export const filter: (signature: string, run: Run<Value>) => Filter = method

/** A filter that returns a generator: it runs when the items are read. */
export const lazyFilter = (signature: string, run: Run<Next>): Filter =>
  filter(signature, (render, ...args) => new Generator(() => run(render, ...args)))

/** The new value of an item; undefined to leave it out. */
export type Change = (item: Value) => Value | undefined

/** Applies `change` to the items. */
export const mapItems =
  (next: Next, change: Change): Next =>
  () => {
    for (let item = next(); item !== undefined; item = next()) {
      spend(1)
      const made = change(item)
      if (made !== undefined) return made
    }
    return undefined
  }

/** The text of a str or Markup; str() of other values. */
export const textFrom = (value: Value): string => {
  const text = textOf(value) ?? str(value)
  spend(text.length >> 6)
  return text
}

/** A text made from a value: escaped if that was. */
export const like = (value: Value, text: string): Value => (value instanceof Markup ? new Markup(text) : text)

/** A filter that changes text. */
export const onText = (change: (text: string) => string): Filter =>
  filter('s', (_, value) => like(value, change(textFrom(value))))

/** Texts in lower case: for filters that ignore case. */
export const ignoreCase = (value: Value): Value => textOf(value)?.toLowerCase() ?? value

type Getter = (item: Value) => Value

/** Looks up `a.b.0` in an item; None means the item itself. */
export const getter = (render: Render, attribute: Value, change?: Getter, fallback: Arg = null): Getter => {
  const path = typeof attribute === 'string' ? attribute.split('.') : [attribute]
  const keys = path.map((part) => (typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part))
  return (item) => {
    let value = item
    for (const key of keys) {
      if (key !== null) value = lookupItem(render, value, key)
      if (value instanceof Undefined && fallback !== null) value = fallback
    }
    return change ? change(value) : value
  }
}
