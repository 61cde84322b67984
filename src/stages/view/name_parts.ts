/** What the names of several runs share. */

const BETWEEN = ' · '

/** Splits names into the parts that all runs share and the others. */
export function nameParts(names: readonly string[]): { shared: string; own: readonly string[] } {
  const parts = names.map((one) => one.split(BETWEEN))
  const [first = []] = parts
  const differs = first.map((part, i) => parts.some((list) => list[i] !== part))
  if (!differs.includes(true) || parts.some(({ length }) => length !== first.length))
    return { shared: '', own: names }
  const join = (list: string[], own: boolean) => list.filter((_, i) => differs[i] === own).join(BETWEEN)
  return { shared: join(first, false), own: parts.map((list) => join(list, true)) }
}
