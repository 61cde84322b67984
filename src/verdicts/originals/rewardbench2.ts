/** RewardBench 2's readings (allenai/reward-bench): the first letter of four that is there, and a rating at the end. */
import { SPACE } from '../../python/unicode.ts'
import { firstGroup, nothing, type Reading } from '../_original.ts'

const AT_END = new RegExp(`(?:^|[^\\p{L}\\p{N}_])([1-9]|10)[${SPACE}]*$`, 'u')

export const readings: Record<string, Reading> = {
  rewardbench_four: {
    read(text) {
      const label = firstGroup(text, /\[\[(A)\]\]/, /\[\[(B)\]\]/, /\[\[(C)\]\]/, /\[\[(D)\]\]/)
      if (label === undefined) throw nothing('letter')
      return { label, winner: 'ABCD'.indexOf(label) }
    },
  },
  rewardbench_ratings: {
    read(text) {
      const [whole, score] = AT_END.exec(text) ?? []
      if (score === undefined) throw nothing('rating')
      return { label: whole!.trim(), score: Number(score) }
    },
  },
}
