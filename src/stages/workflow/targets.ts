/** What a run is asked for, looked at before make starts: make has one exit code for all that is wrong. */
import { existsSync } from 'node:fs'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'

/** Targets, and what each is made from. */
export type Needs = ReadonlyMap<string, readonly string[]>

/** As make has names: a `./` before one does not count. */
const bare = (path: string) => path.replace(/^(\.\/+)+/, '')
const SHOWN = 12

/** @throws Fatal (usage) for an unknown target, (no input) for a file that is needed and that nothing makes */
export function checkTargets(needs: Needs, targets: readonly string[]): void {
  const known = new Map([...needs].map(([target, wanted]) => [bare(target), wanted.map(bare)]))
  for (const target of targets) if (!known.has(bare(target))) throw unknownTarget(target, needs)
  const reached = new Set(targets.length === 0 ? ['all'] : targets.map(bare))
  // A set gives what is added on the way, too.
  for (const path of reached) {
    const wanted = known.get(path)
    if (wanted) for (const one of wanted) reached.add(one)
    else if (!existsSync(path)) throw new Fatal(EXIT.noInput, `${path}: no such file or folder`)
  }
}

function unknownTarget(target: string, needs: Needs) {
  const names = [...needs.keys()].filter((name) => !/(^|\/)\.jb\//.test(name))
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} files more` : ''
  return usageError(`${target}: no such target (there are: ${names.slice(0, SHOWN).join(', ')}${more})`)
}
