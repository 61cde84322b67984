/** RM-Gallery's readings (modelscope/RM-Gallery 5d2e17a, its judges of JudgeBench): '' where they find nothing. */
import { SPACE, strip } from '../../python/unicode.ts'
import { decided, decisionReading, firstGroup, type Reading } from '../_original.ts'
import { afterDecision, arenaVerdict, exactly } from './judgebench.ts'

const S = `[${SPACE}]`
/** In the order in which they are tried. */
const RESULTS = [
  `\\[RESULT\\]${S}*([AB])`,
  `\\[RESULT:${S}*([AB])\\]`,
  `\\[Response${S}+([AB])\\]`,
  `\\[Result\\]${S}*Response${S}*([AB])`,
  `\\[Result:${S}*([AB])\\]`,
  `(?<![^\\n])Result:?${S}*([AB])`,
].map((source) => new RegExp(source, 'iu'))

export const readings: Record<string, Reading> = {
  arena_hard: decisionReading((text) => {
    const last = [...text.matchAll(/\[\[([AB<>=]+)\]\]/g)].at(-1)?.[1]
    return last === undefined ? undefined : arenaVerdict(last)
  }, ''),
  auto_j: decisionReading(afterDecision, ''),
  prometheus_2: decisionReading((text) => decided(firstGroup(strip(text), ...RESULTS), 'a', 'b'), ''),
  skywork_critic: decisionReading(
    (text) => decided(firstGroup(text, /\[\[(A)\]\]/, /\[\[(B)\]\]/), 'a', 'b'),
    '',
  ),
  vanilla: decisionReading(exactly, ''),
}
