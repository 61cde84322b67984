/**
 * The alternative annotator test: may the judge replace one of the people? For each annotator in turn it compares who
 * agrees more with the other annotators, the judge or that annotator. Calderon, Reichart and Dror, "The alternative
 * annotator test for LLM-as-a-judge" (2025).
 */
import type { Label } from './agreement.ts'
import { clusterSums, meanOf, unevenMean, varianceOf } from './clusters.ts'
import { normalTest, tTest } from './distributions.ts'
import { benjaminiYekutieli } from './multiple.ts'

interface Annotator {
  /** Items that this annotator and at least one other labelled. */
  items: number
  /** Share of the items on which the judge agrees with the others at least as well as the annotator. */
  judge: number
  /** Share of the items on which the annotator agrees with the others at least as well as the judge. */
  annotator: number
  /** One-sided p of the judge being worse by more than epsilon, adjusted by Benjamini and Yekutieli. */
  p: number
}

interface AlternativeTest {
  annotators: Annotator[]
  /** Share of the annotators that the judge may replace, at a false discovery rate of 5 %. */
  winning: number
  /** Mean of the annotators' shares `judge`. */
  advantage: number
  /** Whether `winning` is at least a half. */
  passed: boolean
}

/**
 * @param judged the judge's label of each item
 * @param people each item's labels, one per annotator, null where one is missing
 * @param epsilon by how much the judge may be worse: 0.2 for experts, 0.15 for skilled people, 0.1 for a crowd
 * @param alike how well two labels agree: equality for categories, −(x − y)² for numbers
 * @param clusters the cluster of each item: the tests use clustered errors
 * @returns null where no annotator shares two items with another
 */
export function alternativeAnnotator(
  judged: readonly Label[],
  people: readonly (readonly (Label | null)[])[],
  epsilon: number,
  alike: (a: Label, b: Label) => number = (a, b) => Number(a === b),
  clusters?: readonly string[],
): AlternativeTest | null {
  const count = people.reduce((most, item) => Math.max(most, item.length), 0)
  const annotators: Annotator[] = []
  for (let j = 0; j < count; j++) {
    const differences: number[] = []
    const groups: string[] | undefined = clusters && []
    let [judge, annotator] = [0, 0]
    for (const [i, item] of people.entries()) {
      const own = item[j] ?? null
      const others = item.filter((one, k): one is Label => k !== j && one !== null)
      if (own === null || others.length === 0) continue
      const score = (label: Label) => others.reduce<number>((sum, other) => sum + alike(label, other), 0)
      const [ofJudge, ofOwn] = [score(judged[i]!), score(own)]
      if (ofJudge >= ofOwn) judge++
      if (ofOwn >= ofJudge) annotator++
      differences.push(Math.sign(ofOwn - ofJudge))
      groups?.push(clusters![i]!)
    }
    const items = differences.length
    if (items < 2) continue
    annotators.push({
      items,
      judge: judge / items,
      annotator: annotator / items,
      p: below(differences, epsilon, groups),
    })
  }
  if (annotators.length === 0) return null
  const adjusted = benjaminiYekutieli(annotators.map(({ p }) => p))
  for (const [i, one] of annotators.entries()) one.p = adjusted[i]!
  const winning = annotators.filter(({ p }) => p < 0.05).length / annotators.length
  return {
    annotators,
    winning,
    advantage: meanOf(annotators.map(({ judge }) => judge)),
    passed: winning >= 0.5,
  }
}

/** One-sided t-test that the mean of the differences is below epsilon. */
function below(differences: readonly number[], epsilon: number, clusters?: readonly string[]): number {
  const by = clusters && unevenMean(clusterSums(differences, clusters))
  const mean = meanOf(differences)
  const se = by ? by.se : Math.sqrt(varianceOf(differences) / differences.length)
  if (se === null) return 1
  if (se === 0) return mean < epsilon ? 0 : 1
  const t = (mean - epsilon) / se
  const freedom = by ? by.freedom : differences.length - 1
  const tail = (freedom === undefined ? normalTest(t) : tTest(t, freedom)) / 2
  return t < 0 ? tail : 1 - tail
}
