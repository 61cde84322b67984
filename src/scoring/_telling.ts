/** What rows say beside their replies that a report is made of. */
import { mix } from './_digest.ts'
import type { Telling } from './_repeats.ts'
import { BY_DEFAULT } from './_scoring.ts'
import { toldBy } from './_told.ts'

/** Characters that are looked at one by one. */
const PIECE = 96

/** By the label and the fields of items that what --as writes is made of, or by all fields. */
export function tellingOf({ label }: { label?: string }, whole = false): Telling {
  if (whole) return (row) => digestOfText(row.itemText())
  const fields = [
    ...BY_DEFAULT,
    ...(label === undefined ? ['label', 'expected_result'] : [label]),
    ...['model', 'model_1', 'model_2', 'response_model', 'question_id', 'turn'],
  ]
  return (row) => toldBy(row, {}, fields)
}

function digestOfText(text: string): number {
  let digest = 0
  for (let at = 0; at < text.length; at += PIECE) digest = mix(digest, text.slice(at, at + PIECE))
  return digest
}
