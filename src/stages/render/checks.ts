/** Checks before rows are rendered: options that a judge does not take, unused names, invalid rules, answers that no template uses. */
import type { Judge } from '../../judges/_judge.ts'
import { nearest } from '../../options/nearest.ts'
import { assignment } from '../../options/option.ts'
import { configError, usageError } from '../../rows/record.ts'
import { isGlobal } from '../../templates/index.ts'
import type { RenderOptions } from './options.ts'
import { mappableNames, type RequestMaker } from './prompt.ts'

/** The number of answers that a listwise judge without criteria lists; 0 for any other. */
export const listedAnswers = ({ kind, criteria, answers = [] }: Judge) =>
  kind === 'listwise' && criteria === undefined ? answers.length : 0

/** @throws Fatal (usage) for an option that the judge does not take */
export function checkOptions(judge: Judge, options: RenderOptions): void {
  const { where, kind, chain } = judge
  const { order = 'ab', criteria, contests, personas, samples = 1 } = options
  const ordered = kind === 'pairwise' || judge.criteria === 'each' || listedAnswers(judge) > 1
  const plain = judge.criteria === undefined
  const refuse = (option: string, reason: string) => {
    throw usageError(`--${option}: ${where} ${reason}`)
  }
  const refuseOrder = (what: string) =>
    refuse(`order ${order}`, `is a ${kind} judge, which does not show two ${what}`)
  if (order === 'alpaca_eval' && kind !== 'pairwise') refuseOrder('outputs')
  if (order !== 'ab' && !ordered) refuseOrder('answers')
  if (plain && criteria.length > 0)
    refuse('criteria', 'takes no criteria: direct, pairwise, unitxt and others do (jb-render --list)')
  if (plain && contests) refuse('contests', 'takes no criteria')
  if (plain && personas !== undefined) refuse('personas', 'takes no criteria')
  if (chain !== undefined && samples > 1)
    refuse('samples', 'continues existing trials: use --samples with the judge before it')
}

/** Reports names of --map and --set that no template uses. @throws Fatal (usage) for one that is similar to a known name */
export function checkNames(
  file: string,
  uses: { judge: Judge; ask: RequestMaker }[],
  { map, set }: { map: string[]; set: string[] },
  note: (message: string) => void,
): void {
  // A criterion may name any field.
  const mapped = uses.some(({ judge }) => judge.criteria !== undefined) ? [] : map
  const given = [...mapped.map((text) => ['--map', text]), ...set.map((text) => ['--set', text])]
  if (given.length === 0) return
  const known = uses.map(({ judge, ask }) => mappableNames(judge, ask))
  if (!known.every((names) => names !== undefined)) return
  const names = [...new Set(known.flat())]
  for (const [option, text] of given) {
    const [name] = assignment(text!, option!, 'NAME=VALUE')
    // A value may replace a global, which is not listed among the template's names.
    if (names.includes(name) || isGlobal(name)) continue
    const near = nearest(name, names)
    const words = `${option} ${name}=…: no template of ${file} uses "${name}"`
    if (near) throw usageError(`${words}: did you mean ${near}?`)
    note(`${words} (${usedNames(names)})`)
  }
}

/** Finds an invalid rule before calls are paid for. @throws Fatal (configuration) */
export async function checkReading(judge: Judge): Promise<void> {
  if (judge.builtin || judge.parse || !judge.verdict) return
  const { readerOf } = await import('../../verdicts/_read.ts')
  await readerOf(judge)
  for (const compat of Object.keys(judge.compat ?? {})) await readerOf(judge, { compat })
}

/** The other order exchanges the answers by their template names. @throws Fatal (configuration) if no template uses these */
export function checkAnswers(judge: Judge, { variables }: RequestMaker, order: string | undefined): void {
  const { where, kind, answers = [], swap = [] } = judge
  if (kind !== 'pairwise' || judge.variants) return
  if (answers.length !== 2 && order !== undefined && order !== 'ab')
    throw configError(
      `${where}: "answers" is missing: the two template names to exchange for --order ${order}`,
    )
  // A function may read any field.
  if (judge.render) return
  for (const [key, names] of Object.entries({ answers, swap: swap.flat() }))
    for (const name of names)
      if (!variables?.includes(name))
        throw configError(`${where}: ${key}: no template uses "${name}" (${usedNames(variables)})`)
}

const usedNames = (names: readonly string[] = []) =>
  names.length > 0 ? `they use ${names.join(', ')}` : 'they use no names: does it need another --syntax?'
