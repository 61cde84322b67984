/** Fields of an item that figures depend on (label, groups): if rows differ in them, the first must not decide. */
import type { Result } from '../rows/record.ts'
import type { Row } from '../rows/row.ts'
import { mix } from './_digest.ts'
import { labelFields } from './_label.ts'
import { groupName } from './_run.ts'
import { BY_DEFAULT } from './_scoring.ts'

/** A digest of an item's fields: rows of one trial (0 for a result) that differ in it conflict. */
export type FieldsDigest = (row: Row, trial: number) => number

/** Characters of a text that are hashed at once; of longer texts only samples are. */
const PIECE = 96

/** Fields of --by; undefined without the option. */
export const groupFields = (by: readonly string[] = []) =>
  by.includes('none') ? [] : by.length > 0 ? by : undefined

/**
 * What counts of a result: the same trials give another one with other options (--combine, --tie, --criteria, --label).
 */
const countedOf = ({ correct, credit, label, score, decision, winner, option }: Partial<Result>) =>
  `${correct} ${credit} ${typeof label === 'object' ? '' : label} ${score} ${decision} ${winner} ${option}`

/** Continues a digest of fields with what counts of a result. */
export const withResult = (digest: number, result: Partial<Result> | undefined) =>
  result === undefined ? digest : mix(digest, countedOf(result))

/**
 * A digest of what counts of a result (nothing for a failed item), and of the item's groups.
 * @param by fields of --by; undefined for the first of the default ones that the row has
 */
export function digestOfFields(row: Row, result: Partial<Result>, by: readonly string[] | undefined): number {
  let digest = mix(0, countedOf(result))
  const usual = by ? undefined : BY_DEFAULT.find((field) => row.field(field) !== undefined)
  for (const field of by ?? (usual === undefined ? [] : [usual])) {
    const value = row.field(field)
    digest = mix(digest, value === undefined ? '' : groupName(value, row, field))
  }
  // A result without trials has no reply that could be compared.
  return row.has('result') && !row.has('trials') ? digestOfText(row.text('result')!, digest) : digest
}

/** Digest of these fields; undefined for none. */
export const digestOfNamed = (fields: readonly string[]): FieldsDigest | undefined =>
  fields.length === 0 ? undefined : (row) => digestOfFields(row, {}, fields)

/** Digest of the label and the fields that jb-write's formats write, or with `whole` of all fields. */
export function fieldsDigestOf({ label }: { label?: string }, whole = false): FieldsDigest {
  if (whole) return (row) => digestOfText(row.itemText())
  const fields = [
    ...BY_DEFAULT,
    ...labelFields({ label }),
    ...['model', 'model_1', 'model_2', 'response_model', 'question_id', 'turn'],
  ]
  return (row) => digestOfFields(row, {}, fields)
}

function digestOfText(text: string, digest = 0): number {
  for (let at = 0; at < text.length; at += PIECE) digest = mix(digest, text.slice(at, at + PIECE))
  return digest
}
