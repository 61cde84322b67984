/** How the members of a jury agree: jb-score says it, and jb-audit has it on the jury's card. */
import type { Verdict } from '../rows/record.ts'
import { krippendorffAlpha, type Label } from '../statistics/agreement.ts'
import { meanOf } from '../statistics/clusters.ts'
import { pearson } from '../statistics/correlation.ts'

/** A member beside the others. */
interface Member {
  member: string
  /** Items of which it and another one have a verdict. */
  items: number
  /** Of decisions the mean share of the others' verdicts that are its own. */
  same?: number
  /** Of grades its mean less that of the others' means, and the correlation with these. */
  difference?: number
  pearson?: number | null
}

interface JuryAgreement {
  /** Items of which two members or more have a verdict. */
  items: number
  /** Krippendorff's alpha of these: of grades that of an interval scale. */
  alpha: number | null
  members: Member[]
}

/** @param units what each member said of an item, in the order of their titles: see {@link verdictValue} */
export function juryAgreement(
  titles: readonly string[],
  units: readonly (readonly (Label | null)[])[],
  areGrades: boolean,
): JuryAgreement {
  const several = units.filter((unit) => unit.filter((one) => one !== null).length > 1)
  return {
    items: several.length,
    alpha: krippendorffAlpha(several, areGrades ? 'interval' : 'nominal'),
    members: titles.flatMap((member, place) => {
      const pairs = several.flatMap((unit) => {
        const own = unit[place] ?? null
        const others = unit.filter((one, i): one is Label => one !== null && i !== place)
        return own === null ? [] : [{ own, others }]
      })
      if (pairs.length === 0) return []
      return [{ member, items: pairs.length, ...(areGrades ? ofGrades(pairs) : ofClasses(pairs)) }]
    }),
  }
}

/** A verdict as one value; null without one. */
export function verdictValue(verdict: Verdict | undefined): Label | null {
  if (!verdict) return null
  const { decision, option, winner, score } = verdict
  return decision ?? option ?? (winner === undefined ? (score ?? null) : String(winner))
}

interface Beside {
  own: Label
  others: Label[]
}

const ofClasses = (pairs: readonly Beside[]) => ({
  same: meanOf(pairs.map(({ own, others }) => meanOf(others.map((one) => Number(one === own))))),
})

function ofGrades(pairs: readonly Beside[]) {
  const own = pairs.map((pair) => Number(pair.own))
  const rest = pairs.map(({ others }) => meanOf(others as number[]))
  return { difference: meanOf(own) - meanOf(rest), pearson: pearson(own, rest) }
}
