/** Names of runs in the page: a number, which is also their key, and the part of the name that differs. */
import type { App } from './app.ts'
import { type Child, h, name } from './dom.ts'

/** The run's number, if there are several runs. */
export const runNumber = ({ overview }: App, run: number): Child =>
  overview.runs.length > 1 && [h('span.run-number', run + 1), '\u00a0']

export const runName = (app: App, run: number): Child => [runNumber(app, run), name(app.names.own[run]!)]
