/** Checks the targets of a run, because make has one exit code for all errors. */
import { existsSync } from 'node:fs'
import { someNames } from '../../options/nearest.ts'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'

/** Targets and their prerequisites. */
export type Needs = ReadonlyMap<string, readonly string[]>

/** A name without leading `./`, which make ignores. */
const bare = (path: string) => path.replace(/^(\.\/+)+/, '')

/** @throws Fatal (usage) for an unknown target, (no input) for a missing file that no rule makes */
export function checkTargets(needs: Needs, targets: readonly string[]): void {
  const known = new Map([...needs].map(([target, wanted]) => [bare(target), wanted.map(bare)]))
  for (const target of targets) if (!known.has(bare(target))) throw unknownTarget(target, needs)
  const reached = new Set(targets.length === 0 ? ['all'] : targets.map(bare))
  // The loop also visits the names added to the set.
  for (const path of reached) {
    const wanted = known.get(path)
    if (wanted) for (const one of wanted) reached.add(one)
    else if (!existsSync(path)) throw new Fatal(EXIT.noInput, `${path}: no such file or folder`)
  }
}

function unknownTarget(target: string, needs: Needs) {
  const names = [...needs.keys()].filter((name) => !/(^|\/)\.jb\//.test(name))
  return usageError(`${target}: no such target (there are: ${someNames(names)})`)
}
