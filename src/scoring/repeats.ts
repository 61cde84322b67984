/** Notes about items of which rows came again. */
import { shortId } from '../rows/controls.ts'
import type { Context } from '../rows/stage.ts'
import type { Item } from './item.ts'
import { promptsApart } from './item_result.ts'

const APART =
  'two items have this id, and it counts as failed (conflict) (jb-render --id FIELD tells them apart)'
const CONFLICT =
  'occurs twice with different replies, scores, labels, models or groups (--by): it counts as failed (conflict). Two runs in one input, or ids that several items have? (jb-render --id FIELD; jb-score --combine takes all replies)'
const SAME = 'was counted already, with the same reply: it counts once'

/** Notes each once, at its last row that came again. @param conflicts those whose rows contradict each other */
export function noteRepeats(
  items: readonly Item[],
  conflicts: ReadonlySet<Item>,
  note: Context['note'],
): void {
  for (const item of items) {
    const { repeat } = item
    if (!repeat) continue
    const isConflict = conflicts.has(item)
    if (!isConflict && !repeat.same) continue
    const places = isConflict && promptsApart(item)
    const words = places
      ? `has rows that were asked differently, at ${places}: ${APART}`
      : isConflict
        ? CONFLICT
        : SAME
    const { file, line } = repeat
    note(`item ${JSON.stringify(shortId(String(item.id)))} ${words}`, {
      ...{ file, line },
      kind: isConflict ? 'conflict item again' : 'same item again',
    })
  }
}
