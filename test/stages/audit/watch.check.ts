/** How often `jb-audit --watch` is right, night by night through the command, of judges and systems whose truth is known. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { Choices } from '../../helpers/random.ts'
import { jb } from '../../helpers/run.ts'
import { casesOf } from '../../statistics/_cases.ts'
import { night } from './_nights.ts'
import { through, type WatchCase } from './_watch_cases.ts'

for (const { name, ...of } of casesOf<WatchCase>('drift'))
  if (of.nights)
    test(`nights through the command, as the independent program has them: ${name}`, (t) => through(t, of))

type Random = () => number

const letters = (chances: readonly number[], next: Random) =>
  chances.map((p) => (next() < p ? 'A' : 'B')).join('')

interface Stream {
  gold?: string
  /** From 1. */
  night(number: number): { anchors: string; system?: string }
}

/** Answers of the nights of a stream. @param until ends it early */
async function answersOf(
  cwd: string,
  { gold, night: of }: Stream,
  nights: number,
  until = (_answer: string) => false,
): Promise<string[]> {
  rmSync(`${cwd}/watch.json`, { force: true })
  const answers: string[] = []
  for (let number = 1; number <= nights; number++) {
    const { anchors, system } = of(number)
    if (system !== undefined) writeFileSync(`${cwd}/system.ndjson`, night(system, { letter: 's' }))
    const beside = system === undefined ? [] : ['--system', 'system.ndjson']
    const args = ['--watch', 'watch.json', ...beside, '--fail-drift', '0.02']
    const { stdout } = await jb('audit', args, { stdin: night(anchors, { gold }), cwd })
    answers.push(/"section":"watch".*?"answer":"(\w+)"/.exec(stdout)![1]!)
    if (until(answers.at(-1)!)) break
  }
  return answers
}

/** A judge that is right on 80 % of anchors, whose verdicts turn with a chance of 8 %; from a night on some are the other ones. */
function noisyJudge(anchors: number, next: Random, changeAt = Number.POSITIVE_INFINITY, change = 0): Stream {
  const NOISE = 0.08
  const gold = letters(Array(anchors).fill(0.5), next)
  const right = Array.from({ length: anchors }, () => next() < 0.8)
  // Each that turns takes 1 − 2 · noise of an item off the share right.
  let turns = Math.ceil((change * anchors) / (1 - 2 * NOISE))
  const turned = right.map((is) => is && turns-- > 0)
  return {
    gold,
    night: (number) => {
      const isRight = right.map((is, i) => (number >= changeAt && turned[i] ? !is : is))
      const chances = isRight.map((is, i) => (is === (gold[i] === 'A') ? 1 - NOISE : NOISE))
      return { anchors: letters(chances, next) }
    },
  }
}

/** A judge and a system of equally many items; the system's answers are new each night. */
function judgeAndSystem(
  items: number,
  next: Random,
  changeAt: number,
  judgeBy: number,
  systemBy: number,
): Stream {
  const all = Array.from({ length: items }, () => ({
    /** How often the system's answer is a good one. */
    quality: Math.sqrt(next()) ** 0.7,
    onGood: next() < 0.85 ? 0.97 : 0.6,
    onBad: next() < 0.8 ? 0.05 : 0.5,
    /** The judge becomes strict with it: it then says yes to a tenth. */
    strict: next() < judgeBy / 0.66,
  }))
  const fixed = all.map(({ quality }) => next() < quality)
  return {
    night: (number) => {
      const isLater = number >= changeAt
      const said = (good: boolean, { onGood, onBad, strict }: (typeof all)[number]) =>
        (good ? onGood : onBad) * (isLater && strict ? 0.1 : 1)
      const quality = (one: number) => (isLater ? one - systemBy / 0.68 : one)
      return {
        anchors: letters(
          all.map((one, i) => said(fixed[i]!, one)),
          next,
        ),
        system: letters(
          all.map((one) => said(next() < quality(one.quality), one)),
          next,
        ),
      }
    },
  }
}

function randomOf(seed: number): Random {
  const choices = new Choices(seed)
  return () => choices.next()
}

async function count(
  t: TestContext,
  streams: number,
  holds: (cwd: string, next: Random) => Promise<boolean>,
): Promise<number> {
  const cwd = folder(t, {})
  let found = 0
  for (let k = 0; k < streams; k++) if (await holds(cwd, randomOf(1000 + k))) found++
  t.diagnostic(`${found} of ${streams}`)
  return found
}

test('100 unchanged streams of 60 nights: at most 5 alarms', async (t) => {
  const alarms = await count(t, 100, async (cwd, next) =>
    (await answersOf(cwd, noisyJudge(50, next), 60, (answer) => answer === 'judge')).includes('judge'),
  )
  assert.ok(alarms <= 5, `${alarms}`)
})

test('5 points planted at 200 anchors: found within 10 nights in at least 40 of 50 streams', async (t) => {
  const found = await count(t, 50, async (cwd, next) =>
    (await answersOf(cwd, noisyJudge(200, next, 8, 0.05), 17, (answer) => answer === 'judge')).includes(
      'judge',
    ),
  )
  assert.ok(found >= 40, `${found}`)
})

for (const [who, judgeBy, systemBy] of [
  ['judge', 0.05, 0],
  ['system', 0, 0.1],
] as const)
  test(`who moved: the ${who} alone, in at least 45 of 50 streams`, async (t) => {
    const right = await count(t, 50, async (cwd, next) => {
      const answers = await answersOf(cwd, judgeAndSystem(200, next, 12, judgeBy, systemBy), 41)
      return answers.at(-1) === who
    })
    assert.ok(right >= 45, `${right}`)
  })
