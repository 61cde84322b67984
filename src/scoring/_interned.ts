/** One object for equal ones, frozen: its JSON is written once. Bare verdicts have few different results. */

/** Values by what they came of, and how many are kept of each. */
const values = new WeakMap<object, unknown[]>()
const KEPT = 16

/** An earlier value equal to this one, else this one. @param origin what equal values share, as a parsed verdict */
export function interned<T extends object>(origin: object, value: T): T {
  let known = values.get(origin)
  if (!known) values.set(origin, (known = []))
  const found = known.find((one) => equal(one, value))
  if (found === undefined && known.length < KEPT) known.push(Object.freeze(value))
  return (found as T | undefined) ?? value
}

/** Also in the order of their keys, as they are written. */
function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== others.length) return false
  return keys.every((key, i) => others[i] === key && equal(a[key as never], b[key as never]))
}
