/** What a judge said of items as amounts from 0 to 1: for --watch and --bridge. */
import { clusterField } from '../../options/common.ts'
import { EXIT, Fatal, usageError } from '../../rows/record.ts'
import { amountOf } from '../../scoring/amount.ts'
import type { Label } from '../../statistics/agreement.ts'
import type { AuditedJudge, AuditedJudges } from './collect.ts'
import type { JudgedItem } from './items.ts'
import type { AuditOptions } from './options.ts'

/** What a judge said of an item. */
export interface Said {
  item: JudgedItem
  /** A word, or a grade from 0 to 1. */
  said: Label
  /** From 0 to 1; null for a word without one. */
  amount: number | null
  /** People's label in the same terms: the first of several. */
  label: Label | undefined
}

/**
 * Items with a verdict, in the order of their ids.
 * @param option in messages
 * @throws Fatal (data) for two items of one id, and for a score of an unknown range that is not from 0 to 1
 */
export function saidOf({ items }: Pick<AuditedJudge, 'items'>, option: string): Map<string, Said> {
  const all = new Map<string, Said>()
  const ids = new Set<string>()
  for (const item of items) {
    if (item.probe) continue
    if (ids.has(item.id))
      throw new Fatal(
        EXIT.data,
        `${option}: two items have the id ${item.id}: --id names a field that tells them apart`,
      )
    ids.add(item.id)
    if (item.judged !== undefined) all.set(item.id, saidIn(item, item.judged, option))
  }
  return all
}

function saidIn(item: JudgedItem, judged: Label, option: string): Said {
  const { range, score, id } = item
  const scaled = (value: number): number => {
    const [low, high] = range ?? [0, 1]
    const share = high > low ? (value - low) / (high - low) : 0
    if (share >= 0 && share <= 1) return share
    const reason = range
      ? `not from ${low} to ${high}`
      : 'and the rows do not say of how many (verdict.range): give values from 0 to 1'
    throw new Fatal(EXIT.data, `${option}: the score of ${id} is ${value}, ${reason}`)
  }
  const label = item.truth.find((one) => one !== null)
  if (typeof judged === 'number') {
    const said = scaled(judged)
    return { item, said, amount: said, label: typeof label === 'number' ? scaledLabel(label, range) : label }
  }
  const amount = score === undefined ? (amountOf(judged) ?? null) : scaled(score)
  return { item, said: judged, amount, label }
}

/** A label beside the scale is no verdict's. */
const scaledLabel = (label: number, [low, high]: readonly [number, number] = [0, 1]): number =>
  high > low ? (label - low) / (high - low) : 0

/** @throws Fatal (usage) unless the rows are of one judge */
export function oneJudge(judges: AuditedJudges, option: string, rows: string): AuditedJudge {
  const [judge, ...more] = judges
  if (judge && more.length === 0) return judge
  const names = judges.map(({ name }) => name || 'rows without a judge').join(', ')
  throw usageError(
    `${option}: one judge is compared with itself: ${rows} ${judge ? `are of ${judges.length} (${names})` : 'are of none'}`,
  )
}

/** What the one section of --watch, or of --bridge, has no place for. */
const OTHERS = ['since', 'bridge', 'calibration', 'next', 'cascade', 'by'] as const

/** @throws Fatal (usage) for options that do not go with --watch and --bridge, and for --system without --watch */
export function checkLook(options: AuditOptions): void {
  const { watch, bridge, system, failDrift } = options
  if (system !== undefined && watch === undefined) throw usageError('--system: it goes with --watch')
  const look = watch !== undefined ? 'watch' : bridge !== undefined ? 'bridge' : undefined
  if (look === undefined) return
  for (const other of OTHERS) {
    const value = other === look ? undefined : options[other]
    if (Array.isArray(value) ? value.length > 0 : value)
      throw usageError(`--${other} does not go with --${look}`)
  }
  if (clusterField(options) !== undefined) throw usageError(`--cluster FIELD does not go with --${look}`)
  if (failDrift !== undefined && failDrift > 1)
    throw usageError(`--fail-drift ${failDrift}: a difference of shares is 0 to 1 (${failDrift / 100}?)`)
}
