/** JudgeBench's readings (ScalerLab/JudgeBench e2c52c2, utils/judges.py). */
import { readFloat } from '../../python/numbers.ts'
import { SPACE, strip } from '../../python/unicode.ts'
import { type Decision, RowFailure, type Verdict } from '../../rows/record.ts'
import { decided, decisionReading, firstGroup, type Reading } from '../_original.ts'
import { largerWins } from '../pair.ts'

/** One label, repeated or not; `>>` becomes `>`, whatever else there is in brackets stays. */
function onlyLabel(text: string): Verdict | undefined {
  const found = [...text.matchAll(/\[\[([AB<>=]+)\]\]/g)].map(([, label]) => label!)
  const labels = [...new Set(found)]
  if (labels.length > 1)
    throw new RowFailure('conflict', `the reply holds different verdicts: ${labels.join(', ')}`)
  return labels[0] === undefined ? undefined : arenaVerdict(labels[0])
}

export const arenaVerdict = (label: string): Verdict => ({
  label,
  decision: label.replaceAll('>>', '>') as Decision,
})

/** What follows the last `final decision is `. */
export function afterDecision(text: string): Verdict | undefined {
  const whole = strip(text)
  const at = whole.lastIndexOf('final decision is ')
  const rest = at < 0 ? '' : strip(whole.slice(at + 'final decision is '.length))
  return decided(firstGroup(rest, /^(response [12]|tie)/i), 'response 1', 'response 2', 'tie')
}

/** The reply is the two words and nothing else. */
export const exactly = (text: string) => decided(firstGroup(strip(text), /^Output \(([ab])\)$/), 'a', 'b')

const RESULT = new RegExp(
  `(?:\\[RESULT(?:\\](?:[${SPACE}]+Response)?|:)|\\[Response[${SPACE}]|(?<![^\\n])Result:?)[${SPACE}]*([AB])(?:\\]|[${SPACE}]|(?![^\\n]))`,
  'iu',
)

/** Two numbers with one space between them on the first line; commas are spaces. */
function twoScores(text: string): Verdict | undefined {
  const pieces = text.split('\n')[0]!.replaceAll(',', ' ').split(' ')
  const [a, b] = pieces.map(readFloat)
  if (pieces.length !== 2 || a === undefined || b === undefined || Number.isNaN(a) || Number.isNaN(b))
    return undefined
  return { label: `${a} ${b}`, decision: largerWins(a, b), scores: [a, b] }
}

/** The game of a failed call is null, even where any other text is a tie. */
const orNull = (reading: Reading): Reading => ({
  ...reading,
  otherwise: (failure, text, context, judge) =>
    text === '' && context.finish === 'error'
      ? { label: null, decision: null, failure: 'no_verdict' }
      : reading.otherwise!(failure, text, context, judge),
})

export const readings: Record<string, Reading> = {
  arena_hard: decisionReading(onlyLabel, null),
  auto_j: decisionReading(afterDecision, null),
  judge_lm: orNull(decisionReading(twoScores, 'A=B')),
  panda_lm: orNull(
    decisionReading(
      (text) => decided(firstGroup(strip(text).split('\n')[0]!, /^(1|2|tie)$/i), '1', '2', 'tie'),
      'A=B',
    ),
  ),
  prometheus_2: decisionReading((text) => decided(firstGroup(text, RESULT), 'a', 'b'), null),
  // A capital letter anywhere.
  skywork_critic: decisionReading((text) => decided(firstGroup(text, /(A)/, /(B)/), 'a', 'b'), null),
  vanilla: decisionReading(exactly, null),
}
