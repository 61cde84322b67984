/** The file of `jb-audit --watch`: what a judge said of its anchors in the nights of the base, and the figures of each night. */
import { existsSync } from 'node:fs'
import { replaceFile } from '../files/part_file.ts'
import { readText } from '../files/text.ts'
import { EXIT, Fatal, isObject, type Json } from '../rows/record.ts'
import type { Label } from '../statistics/agreement.ts'
import { BASE, type Figures, type Moved, type Night, type Opinion } from '../statistics/watch.ts'
import { amountOf } from './amount.ts'
import type { Identity } from './provenance.ts'

/** Of the file's form. */
const VERSION = 1

/** An anchor; its verdicts are those of the nights of the base, null for none. */
export interface Anchor {
  /** Digest of all that was asked about it on the first night that says so. */
  asked?: string | undefined
  /** People's, of the first night of the base that has one. */
  label?: Label | undefined
  /** Words, or grades from 0 to 1. */
  said: (Label | null)[]
  /** Amounts of options with scores. */
  amounts?: (number | null)[]
}

/** A night that counts; its figures are known when the base is complete. */
interface WatchedNight extends Partial<Figures> {
  /** SHA-256 of its sorted lines. */
  rows: string
}

interface SystemNight {
  rows: string
  /** Which night of the watch it is, from 1. */
  night: number
  /** Mean change of the amounts as judged, when the system's base is complete. */
  change?: number
}

/** Of --system. */
export interface WatchedSystem {
  /** The amounts of each item in the nights of the base, null for none. */
  items: Map<string, (number | null)[]>
  nights: SystemNight[]
  moved: Moved | null
}

export interface Watch {
  judge: Identity
  /** It was begun with --system. */
  withSystem: boolean
  anchors: Map<string, Anchor>
  nights: WatchedNight[]
  moved: Moved | null
  system: WatchedSystem | undefined
}

/** What was said of an anchor in a night of the base. */
function opinionIn({ said, amounts, label }: Anchor, night: number): Opinion | undefined {
  const one = said[night] ?? null
  if (one === null) return undefined
  return { said: one, amount: amounts?.[night] ?? amountOf(one) ?? null, right: rightness(one, label) }
}

/** Whether a verdict is people's label; null without one. */
export const rightness = (said: Label, label: Label | undefined): boolean | null =>
  label === undefined ? null : said === label

/** A night of the base. @param night from 0 */
export function baseNight({ anchors }: Pick<Watch, 'anchors'>, night: number): Night {
  const all = new Map<string, Opinion>()
  for (const [id, anchor] of anchors) {
    const opinion = opinionIn(anchor, night)
    if (opinion) all.set(id, opinion)
  }
  return all
}

/** The same of the system, of which only amounts are kept. */
export function systemNight({ items }: Pick<WatchedSystem, 'items'>, night: number): Night {
  const all = new Map<string, Opinion>()
  for (const [id, amounts] of items) {
    const amount = amounts[night] ?? null
    if (amount !== null) all.set(id, { said: amount, amount, right: null })
  }
  return all
}

/** The watch in a file; undefined where there is none yet. @throws Fatal (data) for another version, or a damaged file */
export function readWatch(path: string): Watch | undefined {
  return existsSync(path) ? watchIn(readText(path, EXIT.data), path) : undefined
}

/** @throws Fatal (data) for another version, or a damaged file */
export function watchIn(text: string, path: string): Watch {
  const refuse = (what: string): never => {
    throw new Fatal(
      EXIT.data,
      `${path}: ${what}: take back the last whole copy, or move it away to begin a new watch`,
    )
  }
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return refuse('not the whole file of a watch')
  }
  if (!isObject(found) || found.watch === undefined) return refuse('not the file of a watch')
  if (found.watch !== VERSION)
    return refuse(`version ${JSON.stringify(found.watch)} of a watch’s file, this jb-audit reads ${VERSION}`)
  const damage = damageIn(found)
  if (damage !== undefined) return refuse(`damaged: ${damage}`)
  const { judge, with_system, anchors, nights, moved, system } = found as unknown as Written
  return {
    judge,
    withSystem: with_system,
    anchors: new Map(Object.entries(anchors)),
    nights,
    moved,
    system: system && { ...system, items: new Map(Object.entries(system.items)) },
  }
}

/** The file's form. */
interface Written {
  watch: number
  judge: Identity
  with_system: boolean
  anchors: Record<string, Anchor>
  nights: WatchedNight[]
  moved: Moved | null
  system?: { items: Record<string, (number | null)[]>; nights: SystemNight[]; moved: Moved | null }
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)
const isCount = (value: unknown, most: number) =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
const isLabel = (value: unknown) => isNumber(value) || typeof value === 'string'
const isListOf = (value: unknown, length: number, holds: (one: unknown) => boolean) =>
  Array.isArray(value) && value.length === length && value.every((one) => one === null || holds(one))
const isMoved = (moved: Json | undefined, nights: number) =>
  moved === null || (isObject(moved) && isCount(moved.night, nights) && isCount(moved.since, nights))

type Members = { [key: string]: Json | undefined }

/** What of a file is not as it was written; undefined where all is. */
function damageIn({ judge, with_system, anchors, nights, moved, system }: Members): string | undefined {
  if (!isObject(judge) || !Array.isArray(judge.served_models)) return 'judge'
  if (typeof with_system !== 'boolean') return 'with_system'
  if (!Array.isArray(nights) || nights.length === 0) return 'nights'
  const night = nights.findIndex((one) => !isNight(one, nights[0] as Members, nights.length >= BASE))
  if (night >= 0) return `nights[${night}]`
  if (!isObject(anchors) || Object.keys(anchors).length === 0) return 'anchors'
  const base = Math.min(BASE, nights.length)
  const anchor = Object.entries(anchors).find(([, one]) => !isAnchor(one, base))
  if (anchor) return `anchors.${anchor[0]}`
  if (!isMoved(moved, nights.length)) return 'moved'
  return system === undefined ? undefined : damageInSystem(system, nights.length)
}

/** @param first which says of what there are figures @param isKnown the base is complete */
function isNight(night: Json, first: Members, isKnown: boolean): boolean {
  if (!isObject(night) || typeof night.rows !== 'string') return false
  if (isKnown && !isNumber(night.differs)) return false
  return ['score', 'right'].every((name) =>
    first[name] === undefined ? night[name] === undefined : isNumber(night[name]),
  )
}

const isAnchor = (anchor: Json, nights: number): boolean =>
  isObject(anchor) &&
  isListOf(anchor.said, nights, isLabel) &&
  (anchor.amounts === undefined || isListOf(anchor.amounts, nights, isNumber)) &&
  (anchor.label === undefined || isLabel(anchor.label)) &&
  (anchor.asked === undefined || typeof anchor.asked === 'string')

function damageInSystem(system: Json, nights: number): string | undefined {
  if (!isObject(system) || !isObject(system.items) || !Array.isArray(system.nights)) return 'system'
  const all = system.nights as Json[]
  let before = 0
  for (const [i, night] of all.entries()) {
    const fits =
      isObject(night) &&
      typeof night.rows === 'string' &&
      isCount(night.night, nights) &&
      Number(night.night) > before &&
      (all.length >= BASE ? isNumber(night.change) : night.change === undefined)
    if (!fits) return `system.nights[${i}]`
    before = Number(night.night)
  }
  for (const [id, amounts] of Object.entries(system.items))
    if (!isListOf(amounts, Math.min(BASE, all.length), isNumber)) return `system.items.${id}`
  return isMoved(system.moved, nights) ? undefined : 'system.moved'
}

/** The file's text: a line an anchor and a night, without a clock. */
function watchText({ judge, withSystem, anchors, nights, moved, system }: Watch): string {
  const json = (value: unknown) => JSON.stringify(value)
  const members = (of: Map<string, unknown>) =>
    [...of]
      .sort(([x], [y]) => (x < y ? -1 : 1))
      .map(([id, one]) => `${json(id)}:${json(one)}`)
      .join(',\n')
  const parts = [
    `"watch":${VERSION}`,
    `"judge":${json(judge)}`,
    `"with_system":${withSystem}`,
    `"anchors":{\n${members(anchors)}\n}`,
    `"nights":[\n${nights.map(json).join(',\n')}\n]`,
    `"moved":${json(moved)}`,
    ...(system
      ? [
          `"system":{"items":{\n${members(system.items)}\n},\n"nights":[\n${system.nights.map(json).join(',\n')}\n],\n"moved":${json(system.moved)}}`,
        ]
      : []),
  ]
  return `{${parts.join(',\n')}}\n`
}

/** Writes the file whole or not at all. @throws Fatal (write error): then the one that was there is still there */
export function writeWatch(path: string, watch: Watch): void {
  try {
    replaceFile(path, watchText(watch))
  } catch (error) {
    throw new Fatal(EXIT.io, `cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}
