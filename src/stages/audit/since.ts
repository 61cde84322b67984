/** --since: which judge of the earlier rows is the judge of today, and whether it is the same one. */
import { EXIT, Fatal } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import {
  type Aspect,
  aspectWords,
  differencesOf,
  type Identity,
  unknownInOne,
} from '../../scoring/provenance.ts'
import type { AuditedJudge, AuditedJudges } from './collect.ts'

/** What tells judges of one stream apart. */
const NAMED: readonly Aspect[] = ['judge', 'name', 'variant', 'model']

const named = ({ judgedBy, criterion }: AuditedJudge) =>
  JSON.stringify([criterion, ...NAMED.map((aspect) => aspectWords(judgedBy!, aspect))])

/**
 * The earlier judge of each judge: the one of its name, else the one that is left over, where only one is on each side.
 * @throws Fatal (data) where that is another judge
 */
export function earlierOf(
  judges: AuditedJudges,
  earlier: AuditedJudges,
  note: Context['note'],
): Map<AuditedJudge, AuditedJudge> {
  const pairs = new Map<AuditedJudge, AuditedJudge>()
  for (const judge of judges) {
    const same = earlier.filter((one) => named(one) === named(judge))
    const before = same.find((one) => one.judgedBy!.digest === judge.judgedBy!.digest) ?? same[0]
    if (before) pairs.set(judge, before)
  }
  const found = new Set(pairs.values())
  for (const criterion of new Set(judges.map((one) => one.criterion))) {
    const now = judges.filter((one) => one.criterion === criterion && !pairs.has(one))
    const then = earlier.filter((one) => one.criterion === criterion && !found.has(one))
    if (now.length === 1 && then.length === 1) pairs.set(now[0]!, then[0]!)
    else for (const { name } of now) note(`--since: no earlier row is of ${name || 'these rows'}`)
  }
  for (const [now, before] of pairs) {
    const words = otherJudge(before.judgedBy!, now.judgedBy!)
    if (words !== undefined)
      throw new Fatal(EXIT.data, `--since: not the same judge: ${words} (--bridge compares two judges)`)
    noteUnknown('--since', before.judgedBy!, now.judgedBy!, note)
  }
  return pairs
}

/** In what a judge is another one; undefined for the same. The models that the server named may differ: that is looked for. */
export function otherJudge(
  before: Identity,
  now: Identity,
  then = 'then',
  today = 'now',
): string | undefined {
  const found = differencesOf(before, now).filter(({ aspect }) => aspect !== 'served_models')
  if (found.length === 0) return undefined
  return found.map(({ what, values }) => `${what} ${values[0]} ${then}, ${values[1]} ${today}`).join('; ')
}

export function noteUnknown(option: string, before: Identity, now: Identity, note: Context['note']): void {
  const unknown = unknownInOne(before, now)
  if (unknown.length > 0)
    note(`${option}: ${unknown.join(', ')}: only the rows of one side say it, and it is not compared`)
}
