/** Judges whose eyes are known, behind an endpoint and through the commands: what jb-audit says of them is so. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type Asked, judgeServer, lastOf } from '../../helpers/judge_server.ts'
import { ndjson } from '../../helpers/rows.ts'
import { pipe } from '../../helpers/run.ts'
import { objects } from '../../helpers/stage.ts'

const TOPICS = ['harbour', 'library', 'museum', 'orchard', 'station', 'theatre', 'bakery', 'garden']

const items = (count: number, run = 0) =>
  Array.from({ length: count }, (_, i) => {
    const [topic, other] = [TOPICS[i % 8]!, TOPICS[Math.floor(i / 8) % 8]!]
    const code = `${run}${1000 + i}`
    return {
      id: `${i}`,
      question: `Is the ${topic} busy?`,
      reference: `The ${topic} beside the ${other} is open on Sundays. About ${code} people visit.`,
      answer: `About ${code} people come. The ${topic} beside the ${other} is open on Sundays. It welcomes families from nearby towns and villages with pleasure.`,
    }
  })

/** What stands between the marks of a name in the prompt. */
const shown = (asked: Asked, name: string) =>
  new RegExp(`<${name}-(\\w+)>\\n([\\s\\S]*?)\\n</${name}-\\1>`).exec(lastOf(asked))![2]!

const reply = (isGood: boolean) => JSON.stringify({ reason: 'r', verdict: isGood ? 'none' : 'some' })

async function audited(t: TestContext, rows: object[], probes: string, isGood: (asked: Asked) => boolean) {
  const { url } = await judgeServer(t, (asked) => reply(isGood(asked)))
  const ran = await pipe(
    `jb-render hallucination ${probes} | jb-call -q -m m --base-url ${url} --no-cache -j 16 | jb-parse | jb-audit`,
    { stdin: ndjson(rows), env: { OPENAI_API_KEY: 'k' } },
  )
  assert.equal(ran.code, 0, ran.stderr)
  return objects(ran.stdout).find(({ section }) => section === 'faults')
}

test('a judge that always says yes catches nothing', async (t) => {
  const faults = await audited(t, items(60), '--probe faults', () => true)
  for (const kind of ['number', 'negation', 'cut', 'other']) {
    assert.ok(faults[kind].items >= 20, `${kind}: ${faults[kind].items}`)
    assert.equal(faults[kind].caught, 0, kind)
  }
  assert.equal(faults.same.worse, 0)
})

test('a judge that compares numbers alone catches other numbers, and other answers', async (t) => {
  const numbers = (text: string) => text.match(/\d{2,}/g) ?? []
  const faults = await audited(t, items(60), '--probe faults', (asked) => {
    const known = new Set(numbers(shown(asked, 'reference')))
    return numbers(shown(asked, 'answer')).every((one) => known.has(one))
  })
  const shares = Object.fromEntries(
    ['number', 'other', 'negation', 'cut'].map((kind) => [kind, faults[kind].share]),
  )
  assert.deepEqual(shares, { number: 1, other: 1, negation: 0, cut: 0 })
  assert.equal(faults.same.worse, 0)
})

test('intervals hold the sensitivity of a judge that sees a known part, and its false alarms', async (t) => {
  const chance = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
  const [runs, alarms] = [12, 0.05]
  let [held, all] = [0, 0]
  for (const sensitivity of [0.4, 0.7, 0.9]) {
    let seen = 0
    for (let run = 1; run <= runs; run++) {
      const rows = items(60, run)
      const answers = new Set(rows.map(({ answer }) => answer))
      const faults = await audited(t, rows, '--probe number --probe same', (asked) => {
        const answer = shown(asked, 'answer')
        if (answers.has(answer)) return true
        const isSame = answers.has(answer.replace(/\s+$/, ''))
        return chance(`${sensitivity} ${answer}`) >= (isSame ? alarms : sensitivity)
      })
      const { number, same } = faults
      assert.equal(number.items, 60)
      seen += number.share / runs
      for (const [truth, [low, high]] of [
        [sensitivity, number.ci],
        [alarms, same.ci],
      ] as const) {
        all++
        if (low <= truth && truth <= high) held++
      }
    }
    assert.ok(Math.abs(seen - sensitivity) < 0.06, `${sensitivity}: mean ${seen}`)
  }
  assert.ok(held / all >= 0.88, `${held} of ${all} intervals hold`)
})
