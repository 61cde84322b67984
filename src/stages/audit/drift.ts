/** --since: the same anchor items judged again. Has the judge drifted? */

import type { JsonObject } from '../../rows/record.ts'
import { amountOf } from '../../scoring/amount.ts'
import { infer, type PairedSample } from '../../scoring/difference.ts'
import { isBeyondChance, range, signedAmount } from '../../scoring/difference_verdict.ts'
import { aspectWords, differencesOf, type Identity } from '../../scoring/provenance.ts'
import { subjectKey } from './collect.ts'
import type { JudgedItem } from './items.ts'
import { truthOf } from './people.ts'
import { clusterCount, clustersOf, Share } from './shares.ts'
import type { Section } from './votes.ts'

interface Anchor {
  before: JudgedItem
  now: JudgedItem
}

/** Verdicts of the anchors before and now: how many moved, and where to. With labels it is the share that is right that counts. */
export const drift: Section = ({ items, before, judgedBefore, judgedBy }, options) => {
  if (before === undefined) return undefined
  const today = new Map(items.map((item) => [subjectKey(item), item]))
  const anchors = before.filter(({ judged }) => judged !== undefined)
  const both: Anchor[] = []
  for (const one of anchors) {
    const now = today.get(subjectKey(one))
    if (now?.judged !== undefined) both.push({ before: one, now })
  }
  const counts = {
    judged_before: judgedBefore,
    judged_now: judgedBy,
    anchors: anchors.length,
    items: both.length,
  }
  if (both.length === 0) return { ...counts, reason: 'no anchor has a verdict in both files' }
  const clusters = clustersOf(
    both.map(({ now }) => now),
    options,
  )
  const moved = new Share(clusters)
  for (const [i, { before, now }] of both.entries()) moved.add(before.judged !== now.judged, i)
  return {
    ...counts,
    ...clusterCount(clusters),
    moved: moved.count,
    share_moved: moved.value,
    ci_moved: moved.interval(options.ci),
    ...differenceOf(both, options, modelWords(judgedBefore!, judgedBy!)),
  }
}

/** The model, and by which ones it was served where these differ; empty where the rows do not say. */
function modelWords(before: Identity, now: Identity): string {
  const model = aspectWords(now, 'model')
  const served = differencesOf(before, now).find(({ aspect }) => aspect === 'served_models')
  const by = served ? ` (served by ${served.values[0]} then, ${served.values[1]} now)` : ''
  return model === undefined ? '' : `${model}${by}: `
}

/** The paired test of what verdicts are worth: of right by the labels, else of the verdicts' own amounts. */
function differenceOf(both: readonly Anchor[], options: Parameters<Section>[1], model: string): JsonObject {
  const [value, pairs] = valuesOf(both)
  if (pairs.length === 0)
    return { difference: null, reason: 'verdicts are words without an amount: only how many moved is known' }
  const clusters = clustersOf(
    pairs.map(({ item }) => item),
    options,
  )
  const sample: PairedSample = {
    a: Float64Array.from(pairs, ({ before }) => before),
    b: Float64Array.from(pairs, ({ now }) => now),
    groups: clusters,
    clustered: clusters !== undefined,
    scores: false,
    labels: value !== 'score',
    limits: value === 'score' ? undefined : [-1, 1],
  }
  const { mean_a, mean_b, difference, ci, method, p, test } = infer(sample, { ...options, bootstrap: 0 })
  const figures = { value, items: pairs.length, difference, ci, p } as JsonObject
  const words = `${signedAmount(difference, figures)}${ci ? ` (${range(ci, figures)})` : ''}`
  const what = { correct: 'the share that is right', share: 'the first answer’s share', score: 'the score' }[
    value
  ]
  const sentence = isBeyondChance(figures, options)
    ? `${model}the judge has drifted: ${what} changed by ${words} on the same ${pairs.length} anchors`
    : `${model}no drift beyond chance: ${what} changed by ${words} on the same ${pairs.length} anchors`
  return {
    value,
    ...(value === 'correct' && { labelled: pairs.length }),
    mean_before: mean_a,
    mean_now: mean_b,
    difference,
    ci,
    method,
    p,
    test,
    sentence,
  } as JsonObject
}

interface Values {
  item: JudgedItem
  before: number
  now: number
}

function valuesOf(both: readonly Anchor[]): ['correct' | 'share' | 'score', Values[]] {
  const labelled = both.flatMap(({ before, now }): Values[] => {
    const truth = truthOf(now) ?? truthOf(before)
    if (truth === undefined) return []
    return [{ item: now, before: Number(before.judged === truth), now: Number(now.judged === truth) }]
  })
  if (labelled.length > 0) return ['correct', labelled]
  const amounts = both.flatMap(({ before, now }): Values[] => {
    const [x, y] = [before, now].map(({ judged, score }) => amountOf(judged!) ?? score)
    return x === undefined || y === undefined ? [] : [{ item: now, before: x, now: y }]
  })
  const areDecisions = both.every(({ now }) => /^A[>=]B$|^B>A$/.test(String(now.judged)))
  return [areDecisions ? 'share' : 'score', amounts]
}

/** The section as a pair of runs, for the gate. */
export const driftPair = (section: JsonObject): JsonObject => ({
  ...section,
  a: 'before',
  b: 'now',
  sentence: section.sentence ?? `drift cannot be measured: ${section.reason}`,
})
