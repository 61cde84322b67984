/** RewardBench's reading of two answers (allenai/reward-bench 05a9005): `[[A]]` anywhere, else `[[B]]`. */
import { decided, firstGroup, pairwise, type Reading } from '../_original.ts'

export const readings: Record<string, Reading> = {
  rewardbench: pairwise((text) => decided(firstGroup(text, /\[\[(A)\]\]/, /\[\[(B)\]\]/), 'a', 'b')),
}
