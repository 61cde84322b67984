import { test } from 'node:test'
import { bridge, onOldScale } from '../../src/statistics/bridge.ts'
import {
  BASE,
  type Base,
  baseOf,
  type Figures,
  figuresOf,
  type JudgeMoved,
  judgeMoved,
  type Night,
  type Opinion,
  SEEN,
  type SystemMoved,
  systemBaseOf,
  systemChange,
  systemMoved,
} from '../../src/statistics/watch.ts'
import { casesOf, close } from './_cases.ts'

interface WatchCase {
  margin: number
  alpha?: number
  nights: { anchors: string; system?: string }[]
  gold?: string
  expect: object
}
interface BridgeCase {
  old: string
  new: string
  margin?: number
  expect: object
}

const DECISIONS: Record<string, string> = { A: 'A>B', B: 'B>A', T: 'A=B' }
const AMOUNTS: Record<string, number> = { 'A>B': 1, 'A=B': 0.5, 'B>A': 0 }

/** A character an item: what it says, null for no verdict; a space is an item that isn't there. */
function night(text: string, gold = ''): Map<string, Opinion | null> {
  const items = new Map<string, Opinion | null>()
  for (const [i, letter] of [...text].entries()) {
    if (letter === ' ') continue
    const id = `i${String(i).padStart(3, '0')}`
    const said = DECISIONS[letter] ?? Number(letter) / 9
    const label = DECISIONS[gold[i]!]
    const amount = typeof said === 'string' ? AMOUNTS[said]! : said
    items.set(
      id,
      letter === '-' ? null : { said, amount, right: label === undefined ? null : said === label },
    )
  }
  return items
}
const verdicts = (items: Map<string, Opinion | null>): Night =>
  new Map([...items].filter((entry): entry is [string, Opinion] => entry[1] !== null))
const isSeen = (items: Night, ids: string[]) => ids.filter((id) => items.has(id)).length >= SEEN * ids.length

function watched({ nights: given, gold, margin, alpha = 0.05 }: WatchCase) {
  const settings = { margin, alpha }
  const threshold = (given[0]!.system === undefined ? 1 : 2) / alpha
  const ids = [...night(given[0]!.anchors).keys()]
  const systemIds = [...night(given[0]!.system ?? '').keys()]
  const [first, nights, changes]: [Night[], Figures[], [number, number][]] = [[], [], []]
  const systemFirst: [number, Night][] = []
  let base: Base | null = null
  let judge: JudgeMoved | undefined
  let system: SystemMoved | undefined
  const answers: string[] = []
  for (const one of given) {
    const anchors = verdicts(night(one.anchors, gold))
    const counted = isSeen(anchors, ids)
    if (counted && first.length < BASE) {
      first.push(anchors)
      if (first.length === BASE) nights.push(...(base = baseOf(first, ids)!).nights)
    } else if (counted) nights.push(figuresOf(base!, anchors))
    const number = Math.max(first.length, nights.length)
    const items = verdicts(night(one.system ?? ''))
    if (counted && one.system !== undefined && isSeen(items, systemIds)) {
      if (systemFirst.length < BASE) systemFirst.push([number, items])
      else
        changes.push([
          number,
          systemChange(
            systemBaseOf(
              systemFirst.map(([, of]) => of),
              systemIds,
            )!,
            items,
          ),
        ])
      if (systemFirst.length === BASE && changes.length === 0) {
        const own = systemBaseOf(
          systemFirst.map(([, of]) => of),
          systemIds,
        )!
        changes.push(...systemFirst.map(([at, of]): [number, number] => [at, systemChange(own, of)]))
      }
    }
    if (counted && nights.length > BASE) {
      judge = judgeMoved(base!, nights, judge?.moved ?? null, threshold, settings)
      if (changes.length > BASE) {
        const own = systemBaseOf(
          systemFirst.map(([, of]) => of),
          systemIds,
        )!
        system = systemMoved(own, changes, system?.moved ?? null, base!, nights, judge, settings)
      }
    }
    const answer = ['none', 'judge', 'system', 'both'][Number(!!judge?.moved) + 2 * Number(!!system?.moved)]!
    answers.push((number <= BASE ? 'base' : answer) + (counted ? '' : ' (not counted)'))
  }
  const said = <T extends JudgeMoved | SystemMoved>({ moved, ...more }: T) => ({
    ...more,
    moved: moved !== null,
    night: moved?.night ?? null,
  })
  return {
    answers,
    last: {
      night: nights.length,
      anchors: base!.said.size,
      noise: base!.noise,
      judge_moved: { ...said(judge!), ...judge!.figures },
      ...(system && { system_moved: said(system) }),
    },
  }
}

function bridged({ old, new: now, margin }: BridgeCase) {
  const [before, after] = [verdicts(night(old)), verdicts(night(now))]
  const anchors = [...before.keys()].filter((id) => after.has(id)).sort()
  const others = [...after.keys()].filter((id) => !before.has(id)).map((id) => after.get(id)!.amount!)
  const amounts = (of: Night) => anchors.map((id) => of.get(id)!.amount!)
  const { equivalenceCi, ...figures } = bridge(amounts(before), amounts(after), 0.05, margin)
  const scale = others.length > 0 && onOldScale(amounts(before), amounts(after), others, 0.05)
  return {
    anchors: anchors.length,
    ...figures,
    equivalence_ci: equivalenceCi,
    ...(typeof scale === 'string' ? { old_scale: null, why: scale } : { old_scale: scale }),
  }
}

for (const { name, expect, ...of } of casesOf<(WatchCase | BridgeCase) & { expect: Record<string, unknown> }>(
  'drift',
))
  test(`as the independent program has it: ${name}`, () => {
    if ('old' in of) {
      const { moved: _moved, items: _items, new_mean: _mean, ...figures } = expect
      close(bridged({ ...of, expect }), figures)
      return
    }
    const { answer: _answer, ...last } = expect.last as Record<string, unknown>
    close(watched({ ...of, expect }), { answers: expect.answers, last })
  })
