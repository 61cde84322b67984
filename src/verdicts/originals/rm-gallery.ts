/**
 * RM-Gallery's readings (modelscope/RM-Gallery 5d2e17a, its judges of JudgeBench: '' where they find nothing; of RewardBench
 * 2: A), and its client's requests.
 */
import type { Judge } from '../../judges/_judge.ts'
import { SPACE, strip } from '../../python/unicode.ts'
import type { JsonObject, Message } from '../../rows/record.ts'
import { decided, decisionReading, firstGroup, type Reading } from '../_original.ts'
import { afterDecision, arenaVerdict, exactly } from './judgebench.ts'
import { readings as rewardbench2 } from './rewardbench2.ts'

/** Defaults of its client (rm_gallery/core/model), which a judge of RewardBench or JudgeBench does not change. */
const REQUEST: JsonObject = { temperature: 0.85, max_tokens: 8192 }
const SYSTEM: Message = { role: 'system', content: 'You are a helpful assistant.' }

/** Its requests. What a file of the user's own says stays, as the settings of a model do there. */
export function asking(judge: Judge): Judge {
  const { builtin, messages, request } = judge
  const reading = judge.compat?.['rm-gallery']
  if (builtin && reading === undefined) return judge
  return {
    ...judge,
    request: builtin ? REQUEST : { ...REQUEST, ...request },
    ...(messages && { messages: builtin ? sent(messages, reading!) : addressed(messages) }),
  }
}

const isSystem = ({ role }: Message) => role === 'system'
const addressed = (messages: Message[]) => (messages.some(isSystem) ? messages : [SYSTEM, ...messages])

/** One message, whatever the judge's own system message is; of arena_hard both. */
function sent(messages: Message[], reading: string): Message[] {
  if (reading === 'arena_hard') return messages
  const user = messages.filter((message) => !isSystem(message))
  if (reading !== 'rewardbench_four') return [SYSTEM, ...user]
  return [SYSTEM, { role: 'user', content: messages.map(({ content }) => content.trimEnd()).join('\n\n') }]
}

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
  rewardbench_four: {
    ...rewardbench2.rewardbench_four!,
    otherwise: ({ code }) => ({ label: null, winner: 0, failure: code }),
  },
  rewardbench_ratings: rewardbench2.rewardbench_ratings!,
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
