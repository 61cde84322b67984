/** Estimates of what people would say of all items. */
import { usageError } from '../../rows/record.ts'
import type { Label } from '../../statistics/agreement.ts'
import { meanOf } from '../../statistics/clusters.ts'
import { areShares, type KnownErrors, ppiInterval, ppiPlus, roganGladen } from '../../statistics/corrected.ts'
import type { Section } from './collect.ts'
import { truthOf } from './people.ts'
import { clusterCount, clustersOf } from './shares.ts'

/** A label as an amount: a decision as A's share, yes as 1 and no as 0, numbers as they are; undefined for other words. */
export const amountOf = (label: Label): number | undefined =>
  typeof label === 'number' ? label : AMOUNTS.get(label.toLowerCase())

const AMOUNTS: ReadonlyMap<string, number> = new Map([
  ['a>b', 1],
  ['b>a', 0],
  ['a=b', 0.5],
  ['yes', 1],
  ['no', 0],
  ['true', 1],
  ['false', 0],
  ['pass', 1],
  ['fail', 0],
  ['correct', 1],
  ['incorrect', 0],
])

/** What people would say of all items: corrects a judge's mean by people's labels of some, or by its known errors. */
export const corrected: Section = ({ items }, options) => {
  const judged = items.filter((item) => item.judged !== undefined)
  const amounts = judged.map((item) => amountOf(item.judged!))
  if (judged.length === 0 || amounts.some((one) => one === undefined)) return undefined
  const { sensitivity, specificity, ci } = options
  if (sensitivity !== undefined && specificity !== undefined) {
    const [tp, m1] = fraction('sensitivity', sensitivity)
    const [tn, m0] = fraction('specificity', specificity)
    const known: KnownErrors = { tp, m1, tn, m0 }
    const yes = amounts.filter((one) => one === 1).length
    const method = 'rogan-gladen'
    if (amounts.some((one) => one !== 0 && one !== 1))
      return {
        method,
        items: judged.length,
        estimate: null,
        ci: null,
        reason: 'some verdicts are neither yes nor no (1 or 0)',
      }
    return {
      method,
      items: judged.length,
      judge_only: yes / judged.length,
      ...roganGladen(yes, judged.length, known, ci),
    }
  }
  const clusters = clustersOf(judged, options)
  const [y, f, u]: [number[], number[], number[]] = [[], [], []]
  const [ofY, ofU]: [string[], string[]] = [[], []]
  for (const [i, item] of judged.entries()) {
    const truth = truthOf(item)
    const amount = truth === undefined ? undefined : amountOf(truth)
    if (clusters) (amount === undefined ? ofU : ofY).push(clusters[i]!)
    if (amount === undefined) u.push(amounts[i]!)
    else {
      y.push(amount)
      f.push(amounts[i]!)
    }
  }
  const sample = { y, f, u, ...(clusters && { clusters: [...ofY, ...ofU] }) }
  const plus = ppiPlus(sample)
  if (!plus) return undefined
  return {
    method: 'ppi++',
    n: y.length,
    N: u.length,
    ...clusterCount(clusters),
    judge_only: meanOf(u),
    judge_all: meanOf([...f, ...u]),
    human_only: meanOf(y),
    estimate: plus.estimate,
    ci: ppiInterval(sample, ci, areShares(y, f, u) ? 'shares' : 'amounts')?.ci ?? null,
    lambda: plus.lambda,
    ...(y.length < 30 && { reason: 'fewer than 30 labels: the interval is rough' }),
  }
}

function fraction(option: string, text: string): [number, number] {
  const found = /^(\d+)\/(\d+)$/.exec(text)
  const [count, of] = [Number(found?.[1]), Number(found?.[2])]
  if (!found || count > of || of === 0)
    throw usageError(`--${option}: expected two counts such as 90/100, not "${text}"`)
  return [count, of]
}
