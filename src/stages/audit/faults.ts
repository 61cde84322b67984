/** Planted faults: how often a judge calls a damaged copy of an item worse, and an unchanged one. */
import { append } from '../../rows/maps.ts'
import { isObject, type Json, type JsonObject } from '../../rows/record.ts'
import { mcnemarMidP } from '../../statistics/mcnemar.ts'
import { type AuditedJudge, subjectKey } from './collect.ts'
import type { JudgedItem } from './items.ts'
import { clustersOf, Share } from './shares.ts'
import type { Section } from './votes.ts'

/** Kinds of jb-render --probe, in the order of the report, and what stands for them in a sentence. Kinds of the user's own come first. */
const NAMES: Record<string, string> = {
  number: 'altered numbers',
  negation: 'statements turned round',
  cut: 'answers cut off',
  omit: 'needed sentences left out',
  other: 'answers to another question',
  call: 'calls taken out',
  arguments: 'altered arguments',
  result: 'results that failed',
  same: 'unchanged copies',
}

/** A grade has to change by this share of its range. */
const STEP = 0.05

/** Fewer items of a kind say too little for a gate, or for a comparison with unchanged copies. */
const FEW = 20

/** Figures of a kind, as they are printed. */
interface FaultFigures {
  items: number
  caught?: number
  worse?: number
  share: number | null
  ci: [number, number] | null
  p?: number | null
}

/** What the verdict on a copy is beside that on its item. */
type State = 'worse' | 'same' | 'better' | 'no_room' | 'failed'

interface Copy {
  item: JudgedItem
  state: State
}

/** By kind: how often the verdict on a copy is worse than that on its item. */
export const faults: Section = (judge, options) => {
  const copies = judge.items.filter(({ probe }) => probe?.expect !== undefined)
  if (copies.length === 0 || copies.every((item) => item.judged !== undefined && !isOrdered(item)))
    return undefined
  const plain = new Map(judge.items.flatMap((one) => (one.probe ? [] : [[subjectKey(one), one] as const])))
  const floor = lowestScore(judge)
  const kinds = new Map<string, Copy[]>()
  for (const item of copies) {
    const state = stateOf(item, plain.get(originalKey(item)), floor)
    append(kinds, item.probe!.kind, { item, state })
  }
  const isGraded = [...plain.values(), ...copies].some((item) => scoreOf(item) !== undefined)
  const control = [...kinds.values()].find(([copy]) => copy!.item.probe!.expect === 'same')
  return Object.fromEntries(
    [...kinds].sort(inOrder).map(([kind, of]) => {
      const counted = of.filter(({ state }) => state !== 'failed' && state !== 'no_room')
      const items = counted.map(({ item }) => item)
      const worse = new Share(clustersOf(items, options))
      for (const [i, { state }] of counted.entries()) worse.add(state === 'worse', i)
      const times = (state: State) => of.filter((one) => one.state === state).length
      const made = new Set(of.map(({ item }) => originalKey(item)))
      const isControl = of[0]!.item.probe!.expect === 'same'
      const figures = {
        ...worse.figures('items', isControl ? 'worse' : 'caught', options.ci),
        better: times('better'),
        ...(isGraded && { no_room: times('no_room') }),
        failed: times('failed'),
        not_made: [...plain.keys()].filter((key) => !made.has(key)).length,
        ...(!isControl && control && { p: beyondControl(counted, control) }),
      }
      return [kind, figures]
    }),
  )
}

const originalKey = ({ models, criterion, probe }: JudgedItem) =>
  subjectKey({ id: probe!.of, models, criterion })

/** Own kinds first, by their names. */
function inOrder([x]: [string, unknown], [y]: [string, unknown]): number {
  const place = (kind: string) => Object.keys(NAMES).indexOf(kind)
  return place(x) - place(y) || (x < y ? -1 : 1)
}

/** The answer of a pair that won; null for a tie, undefined for a verdict that is none on a pair. */
const WINNERS: ReadonlyMap<unknown, number | null> = new Map([
  ['A>B', 0],
  ['B>A', 1],
  ['A=B', null],
])

/** The grade, or the option's score. */
const scoreOf = ({ judged, score }: JudgedItem): number | undefined =>
  WINNERS.has(judged) ? undefined : typeof judged === 'number' ? judged : score

/** Whether of two verdicts one is worse. */
const isOrdered = (item: JudgedItem) => WINNERS.has(item.judged) || scoreOf(item) !== undefined

/** The lowest score of the judge, if it gave several. */
function lowestScore({ items, whole = items }: AuditedJudge): number | undefined {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const item of whole) {
    const score = scoreOf(item)
    if (score === undefined) continue
    lowest = Math.min(lowest, score)
    highest = Math.max(highest, score)
  }
  return lowest < highest ? lowest : undefined
}

function stateOf(copy: JudgedItem, item: JudgedItem | undefined, floor: number | undefined): State {
  const winner = WINNERS.get(copy.judged)
  const { answer } = copy.probe!
  if (winner !== undefined)
    return answer === undefined ? 'failed' : winner === null ? 'same' : winner === answer ? 'better' : 'worse'
  const [after, before] = [scoreOf(copy), item && scoreOf(item)]
  if (after === undefined || before === undefined) return 'failed'
  const range = copy.trials[0]?.verdict?.range
  const lowest = range ? range[0] : floor
  if (lowest !== undefined && before <= lowest) return 'no_room'
  const step = range ? STEP * (range[1] - range[0]) : 0
  const change = after - before
  if (change === 0 || Math.abs(change) < step - 1e-12) return 'same'
  return change < 0 ? 'worse' : 'better'
}

/** p of as many copies called worse as of unchanged ones, on items with both; null without such items. */
function beyondControl(copies: readonly Copy[], control: readonly Copy[]): number | null {
  const unchanged = new Map<string, boolean>()
  for (const { item, state } of control)
    if (state !== 'failed' && state !== 'no_room') unchanged.set(originalKey(item), state === 'worse')
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 }
  let items = 0
  for (const { item, state } of copies) {
    const other = unchanged.get(originalKey(item))
    if (other === undefined) continue
    items++
    counts[state === 'worse' ? (other ? 'both' : 'onlyA') : other ? 'onlyB' : 'neither']++
  }
  if (items === 0) return null
  return counts.onlyA === counts.onlyB ? 1 : mcnemarMidP(counts)
}

/** From this share on a judge catches a kind of fault. */
const CAUGHT = 0.8

/** The figures of a section by kind. */
const figuresIn = (section: Record<string, Json | undefined>): [kind: string, FaultFigures][] =>
  Object.entries(section).flatMap(([kind, of]) =>
    isObject(of) ? [[kind, of as unknown as FaultFigures] as [string, FaultFigures]] : [],
  )

const controlIn = (kinds: readonly [string, FaultFigures][]) =>
  kinds.find(([, { caught }]) => caught === undefined)?.[1]

/** What the figures come to, in words. */
export function faultsLine(section: Record<string, Json | undefined>): string {
  const [good, bad, unclear]: string[][] = [[], [], []]
  const kinds = figuresIn(section)
  for (const [kind, { items, caught, share, ci, p }] of kinds) {
    if (items === 0 || caught === undefined) continue
    const [low, high] = ci!
    const words = `${NAMES[kind] ?? kind} in ${percent(share)} % (${percent(low)} to ${percent(high)} of ${items})`
    if (items >= FEW && p !== undefined && p !== null && p >= 0.05)
      bad!.push(`${words}, no more often than unchanged copies`)
    else (low >= CAUGHT ? good : high < CAUGHT ? bad : unclear)!.push(words)
  }
  const parts = [
    good!.length > 0 && `catches ${good!.join(', ')}`,
    bad!.length > 0 && `catches only ${bad!.join(', ')}: do not use it where these matter`,
    unclear!.length > 0 && `not clear on ${unclear!.join(', ')}`,
    controlWords(controlIn(kinds)),
  ]
  return parts.filter((part) => part !== false).join('; ')
}

function controlWords(control: FaultFigures | undefined): string {
  if (!control || control.items === 0)
    return 'how often it calls an unchanged copy worse is unknown: --probe same'
  const words = `calls ${percent(control.share)} % of ${control.items} unchanged copies worse`
  return control.share! > 1 - CAUGHT
    ? `${words}, so these shares say little: ask both orders, or several samples`
    : words
}

/** A share in whole percent, halves to the even number. */
function percent(share: number | null): string {
  const value = 100 * share!
  const below = Math.floor(value)
  return String(value - below === 0.5 ? below + (below % 2) : Math.round(value))
}

/** Beside a limit: rounding of a share. */
const NEARLY = 1e-9

/** Why a card misses --fail-caught; undefined if it does not. */
export function missedFaults(section: JsonObject, least: number): string | undefined {
  const kinds = figuresIn(section)
  const control = controlIn(kinds)
  if (!control || control.items === 0)
    return 'there are no unchanged copies to compare with: jb-render --probe same'
  if (control.share! > 1 - least + NEARLY)
    return `${control.worse} of ${control.items} unchanged copies were called worse, more than 1 - ${least}`
  const told = kinds.filter(([, { items, caught }]) => caught !== undefined && items >= FEW)
  if (told.length === 0) return `no kind of fault has ${FEW} items`
  const missed = told.find(([, { share }]) => share! < least - NEARLY)
  return missed && `${missed[0]}: ${missed[1].caught} of ${missed[1].items} caught, fewer than ${least}`
}
