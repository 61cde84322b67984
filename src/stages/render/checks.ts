/** Checks before rows are rendered: names that nothing uses, rules that are wrong, answers that no template uses. */
import type { Judge } from '../../judges/_judge.ts'
import { nearest } from '../../options/nearest.ts'
import { configError, usageError } from '../../rows/record.ts'
import { isGlobal } from '../../templates/index.ts'
import { mappableNames, type RequestMaker } from './prompt.ts'

/**
 * A name of --map or --set that no template uses is reported. @throws Fatal (usage) for one that is nearly a known name:
 * a typing error
 */
export function checkNames(
  file: string,
  uses: { judge: Judge; ask: RequestMaker }[],
  { map, set }: { map: string[]; set: string[] },
  note: (message: string) => void,
): void {
  // A criterion may name any field.
  const mapped = uses.some(({ judge }) => judge.criteria !== undefined) ? [] : map
  const given = [...mapped.map((text) => ['map', text]), ...set.map((text) => ['set', text])]
  if (given.length === 0) return
  const known = uses.map(({ judge, ask }) => mappableNames(judge, ask))
  if (!known.every((names) => names !== undefined)) return
  const names = [...new Set(known.flat())]
  for (const [option, text] of given) {
    const [name] = nameAndField(text!)
    // What is given hides a global of its name, which is not one of the names looked up.
    if (names.includes(name!) || isGlobal(name!)) continue
    const near = nearest(name!, names)
    const words = `--${option} ${name}=…: no template of ${file} uses "${name}"`
    if (near) throw usageError(`${words}: did you mean ${near}?`)
    note(`${words} (${usedNames(names)})`)
  }
}

/** `NAME=FIELD`, which has been looked at. */
export const nameAndField = (text: string) => text.split(/=(.*)/s, 2)

/** A rule that is wrong is found before a call is paid, not when its reply is to be read. */
export async function checkReading(judge: Judge): Promise<void> {
  if (judge.builtin || judge.parse || !judge.verdict) return
  const { readerOf } = await import('../../verdicts/_read.ts')
  await readerOf(judge)
  for (const compat of Object.keys(judge.compat ?? {})) await readerOf(judge, { compat })
}

/** In the other order the answers change places: by name, so their names must be those the templates have. */
export function checkAnswers(judge: Judge, { variables }: RequestMaker, order: string | undefined): void {
  const { where, kind, answers = [], swap = [] } = judge
  if (kind !== 'pairwise' || judge.variants) return
  if (answers.length !== 2 && order !== undefined && order !== 'ab')
    throw configError(
      `${where}: "answers" is missing: the two template names that change places with --order ${order}`,
    )
  // A function looks at any field.
  if (judge.render) return
  for (const [key, names] of Object.entries({ answers, swap: swap.flat() }))
    for (const name of names)
      if (!variables?.includes(name))
        throw configError(`${where}: ${key}: no template uses "${name}" (${usedNames(variables)})`)
}

const usedNames = (names: readonly string[] = []) =>
  names.length > 0 ? `they use ${names.join(', ')}` : 'they use no name at all: is it another --syntax?'
