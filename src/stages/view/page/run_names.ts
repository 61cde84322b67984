/** Names of runs: a number, which is also their key, and the part of the name that differs. */
import type { App } from './app.ts'
import { type Child, h, name } from './dom.ts'

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

/** The run's number, if there are several runs. */
export const runNumber = ({ overview }: App, run: number): Child =>
  overview.runs.length > 1 && [h('span.run-number', run + 1), '\u00a0']

export const runName = (app: App, run: number): Child => [runNumber(app, run), name(app.names.own[run]!)]
