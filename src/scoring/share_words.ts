/** Two answers or models, head to head, in words. */
import type { Json, JsonObject } from '../rows/record.ts'
import type { ShareFigures } from './share.ts'

/** Of a pairwise report: a model, or A or B where rows name no models. */
interface NamedShare extends ShareFigures {
  name: string
  /** A or B, where the model's answers are all of that place. */
  answer?: string
  items: number
}

const percent = (share: Json) => `${(100 * Number(share)).toFixed(1)} %`

/** A share with its interval, p and items. */
function shareWords({ share, ci, p, items }: NamedShare): string {
  const interval = ci ? [`interval ${ci.map((one) => (100 * one).toFixed(1)).join('–')}`] : []
  const chance = p === null ? [] : [p < 0.0001 ? 'p below 0.0001' : `p ${p.toFixed(4)}`]
  return `${percent(share)} (${[...interval, ...chance, `${items} item${items === 1 ? '' : 's'}`].join(', ')})`
}

const sharesIn = (report: JsonObject) => (report.shares ?? []) as unknown as NamedShare[]

/** The names of the first and the second answer, where they are the same in all of the reports; else A and B. */
export function answerNames(reports: readonly JsonObject[]): [first: string, second: string] {
  const names = reports
    .filter(({ share }) => share !== undefined)
    .map((report) => {
      const shares = sharesIn(report)
      const [a, b] = ['A', 'B'].map((letter) => shares.find(({ answer }) => answer === letter)?.name)
      return shares.length === 2 && a !== undefined && b !== undefined ? [a, b] : ['A', 'B']
    })
  const [[a, b] = ['A', 'B']] = names
  return names.every(([one, other]) => one === a && other === b) ? [a!, b!] : ['A', 'B']
}

/** Which of two models, or of A and B, is better; undefined for a report that compares other than two. */
export function shareSentence(report: JsonObject, level: number): string | undefined {
  const [best, other, ...more] = sharesIn(report)
  if (!best || !other || more.length > 0) return undefined
  const isSure = best.p !== null && best.p < 1 - level
  const [winner, loser] = [best, other].map(({ name, answer }) => (answer ? `${name} (${answer})` : name))
  const who = isSure ? `${winner} is better than ${loser}` : `${winner} and ${loser} cannot be told apart`
  const { consistency } = report
  const agree =
    typeof consistency === 'number'
      ? `; ${percent(consistency)} of items have the same decision in all games`
      : ''
  return `${who}: ${best.name} has a share of ${shareWords(best)}${agree}`
}

/** That sentence, or a line for each of more than two models. */
export function shareLines(report: JsonObject, level: number): string[] {
  const sentence = shareSentence(report, level)
  if (sentence !== undefined) return [sentence]
  const each = sharesIn(report).map((one) => `${one.name} has a share of ${shareWords(one)}`)
  if (each.length === 0) return []
  return [...each, 'these are shares of the games that each played: jb-rank ranks models by whom they met']
}
