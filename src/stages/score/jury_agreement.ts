/** How the members of a jury agree. */
import { krippendorffAlpha, type Label } from '../../statistics/agreement.ts'
import { pearson } from '../../statistics/correlation.ts'

type Said = Label | null

export class JuryAgreement {
  private readonly titles: readonly string[]
  private readonly areGrades: boolean
  private readonly units: Said[][] = []

  constructor(titles: readonly string[], areGrades: boolean) {
    this.titles = titles
    this.areGrades = areGrades
  }

  /** An item. @param unit what each member said of it, null without a verdict */
  add(unit: Said[]): void {
    this.units.push(unit)
  }

  /** Krippendorff's alpha over the items of which two members or more have a verdict. */
  whole(): string {
    const units = this.units.filter((unit) => unit.filter((one) => one !== null).length > 1)
    const alpha = krippendorffAlpha(units, this.areGrades ? 'interval' : 'nominal')
    return `Krippendorff's alpha ${alpha === null ? 'is not defined' : alpha.toFixed(3)}, ${units.length} items`
  }

  /** Each member with the rest: of decisions the share of the others' that are its own, of grades the difference from their mean. */
  *each(): Generator<string> {
    for (const [place, title] of this.titles.entries()) {
      const pairs = this.units.flatMap((unit) => {
        const others = unit.filter((one, i): one is Label => one !== null && i !== place)
        const own = unit[place] ?? null
        return own === null || others.length === 0 ? [] : [{ own, others }]
      })
      if (pairs.length > 0) yield `${title}: ${this.areGrades ? ofGrades(pairs) : ofClasses(pairs)}`
    }
  }
}

interface Beside {
  own: Label
  others: Label[]
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length

function ofClasses(pairs: readonly Beside[]): string {
  const shares = pairs.map(({ own, others }) => mean(others.map((one) => Number(one === own))))
  return `${(100 * mean(shares)).toFixed(1)} % of the others' verdicts are the same (${pairs.length} items)`
}

function ofGrades(pairs: readonly Beside[]): string {
  const own = pairs.map((pair) => Number(pair.own))
  const rest = pairs.map(({ others }) => mean(others as number[]))
  const apart = mean(own) - mean(rest)
  const r = pearson(own, rest)
  const sign = apart > 0 ? '+' : apart < 0 ? '−' : ''
  return `${sign}${Math.abs(apart).toFixed(2)} from the others' mean, correlation ${r === null ? 'not defined' : r.toFixed(3)} (${pairs.length} items)`
}
