/** RewardBench's reading of two answers (allenai/reward-bench 05a9005): `[[A]]` anywhere, else `[[B]]`. */
import { decided, decisionReading, firstGroup, type Reading } from '../_original.ts'

export const readings: Record<string, Reading> = {
  rewardbench: decisionReading((text) => decided(firstGroup(text, /\[\[(A)\]\]/, /\[\[(B)\]\]/), 'a', 'b')),
}
