/** `jb-audit --bridge`: two judges on the same anchors, as rows through the command. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { expect, jb, type Ran } from '../../helpers/run.ts'
import { casesOf, close } from '../../statistics/_cases.ts'
import { type NightOptions, night } from './_nights.ts'

interface BridgeCase {
  old?: string
  new: string
  margin?: number
  expect: { interchangeable?: boolean | null }
}

const OLD: NightOptions = { letter: 'i', model: 'old-model' }
const NEW: NightOptions = { letter: 'i', model: 'new-model' }

async function bridged(t: TestContext, old: string, now: string, args: string[] = []): Promise<Ran> {
  const cwd = folder(t, {})
  writeFileSync(`${cwd}/old.ndjson`, old)
  return await jb('audit', ['--bridge', 'old.ndjson', ...args], { stdin: now, cwd })
}

// biome-ignore lint/suspicious/noExplicitAny: a section holds what it has to say
const sections = ({ stdout }: Ran): any[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const bridgeIn = (ran: Ran) => sections(ran).find(({ section }) => section === 'bridge')

for (const { name, old, new: now, margin, expect: expected } of casesOf<BridgeCase>('drift'))
  if (old !== undefined)
    test(`a bridge through the command, as the independent program has it: ${name}`, async (t) => {
      const args = margin === undefined ? [] : ['--fail-drift', String(margin)]
      const ran = await bridged(t, night(old, OLD), night(now, NEW), args)
      close(bridgeIn(ran), expected)
      assert.equal(ran.code, Number(margin !== undefined && expected.interchangeable !== true))
    })

const HALF = 'AB'.repeat(50)

test('the sentence has both figures, and says what is interchangeable and what others are on the old scale', async (t) => {
  const turned = `BA${HALF.slice(2)}`
  const more = `${turned}${'AAB'.repeat(20)}`
  const ran = await bridged(t, night(HALF, OLD), night(more, NEW), ['--fail-drift', '0.05'])
  const { sentence, judged_before, judged_now, items } = bridgeIn(ran)
  assert.match(
    sentence,
    /^old-model 50\.0 %, new-model 50\.0 % on the same 100 anchors: 0\.0 points \(−2\.8 to 2\.8\); 2 % of verdicts differ; interchangeable within 5 points for a mean \(−2\.4 to 2\.4\): yes; 60 items that only new-model judged: 66\.7 %; on old-model’s scale not known: the new judge sees anchors and items otherwise \(50 % and 67 %\): have the old judge/,
  )
  assert.deepEqual(
    [judged_before.model, judged_now.model, items, ran.code],
    ['old-model', 'new-model', 60, 0],
  )
  const known = bridgeIn(await bridged(t, night(HALF, OLD), night(`${HALF}${'AABBA'.repeat(10)}`, NEW)))
  assert.match(
    known.sentence,
    /on old-model’s scale \d.* % {1,2}\(.*\), if the anchors are a random sample of these items$/,
  )
})

test('labels: the share right of both, and from 100 on that labels say more', async (t) => {
  const gold = 'A'.repeat(100)
  const { right, sentence } = bridgeIn(
    await bridged(t, night(HALF, { ...OLD, gold }), night(`AA${HALF.slice(2)}`, { ...NEW, gold })),
  )
  assert.deepEqual([right.labelled, right.old, right.new, right.difference], [100, 0.5, 0.51, 0.01])
  assert.match(sentence, /; labels give people’s scale itself: --truth \(PPI\+\+\)$/)
})

test('another question or answer under an id, and two judges in a file, are refused', async (t) => {
  const question = (id: string) => (id === 'i003' ? 'Another?' : `What is ${id}?`)
  expect(await bridged(t, night('ABABAB', OLD), night('ABABAB', { ...NEW, question })), {
    code: 65,
    out: '',
    err: /--bridge: 1 of 6 items are not the same in all runs: \(stdin\):4 has another question than old\.ndjson:4/,
  })
  expect(await bridged(t, night('AB', OLD) + night('AB', NEW), night('AB', NEW)), {
    code: 2,
    err: /--bridge: one judge is compared with itself: its rows are of 2/,
  })
  expect(await bridged(t, night('AB', OLD), night('AB', NEW), ['--since', 'old.ndjson']), {
    code: 2,
    err: /--since does not go with --bridge/,
  })
})

test('other orders are a warning; no anchor in common misses the gate; fewer than two have no figures', async (t) => {
  const jbBoth = { trial: { n: 0, of: 1, order: 'BA' } }
  const unlike = await bridged(t, night(HALF, OLD), night(HALF, { ...NEW, jb: jbBoth }))
  const warning = sections(unlike)[0].warnings.find(({ code }: { code: string }) => code === 'unlike_runs')
  assert.equal(warning.sentence, 'the judges judged in other ways: orders AB then, BA now')
  const none = await bridged(t, night('  AB', OLD), night('AB', NEW))
  expect(none, { code: 1, err: /no anchor has a verdict in both files/ })
  const one = bridgeIn(await bridged(t, night('A', OLD), night('B', NEW)))
  assert.deepEqual([one.anchors, one.difference, one.ci, one.moved], [1, null, null, 1])
})
