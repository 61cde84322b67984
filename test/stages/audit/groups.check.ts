/** How often cards of groups find a bias in judges that have none: a part of `make test-long`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Choices } from '../../helpers/random.ts'
import { objects } from '../../helpers/stage.ts'
import { run } from './_audit.ts'

test('of unbiased judges at most 5 % are called biased on a card of a group', async () => {
  const JUDGES = 300
  let [groups, whole] = [0, 0]
  for (let seed = 0; seed < JUDGES; seed++) {
    const choices = new Choices(seed)
    const coin = () => (choices.chance(0.5) ? 'A>B' : 'B>A')
    const rows = Array.from({ length: 200 }, (_, i) => ({
      id: `i${i}`,
      subset: i % 5,
      said: coin(),
      human: coin(),
      model_a: 'own',
      model_b: 'other',
      a: choices.between(1, 100),
      b: choices.between(1, 100),
    }))
    const args = ['--truth', 'human', '--value', 'said', '--length-a', 'a', '--length-b', 'b']
    const { text } = await run([...args, '--own', 'own', '--by', 'subset'], rows)
    const biased = objects(text).filter(
      ({ section, length, self_preference: own, warnings = [] }) =>
        section === 'conclusion' &&
        (/^chooses/.test(length) ||
          /^(dis)?favours/.test(own) ||
          warnings.some(({ code }: { code: string }) => code === 'longer_answer')),
    )
    if (biased.some(({ by }) => by !== undefined)) groups++
    if (biased.some(({ by }) => by === undefined)) whole++
  }
  assert.ok(groups <= 0.05 * JUDGES, `${groups} of ${JUDGES} judges on a card of a group`)
  assert.ok(whole <= 0.05 * JUDGES, `${whole} of ${JUDGES} judges on the whole card`)
})
