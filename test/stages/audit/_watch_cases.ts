/** Nights through `jb-audit --watch`, and what an independent program says of them. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { folder } from '../../helpers/folder.ts'
import { jb, type Ran } from '../../helpers/run.ts'
import { close } from '../../statistics/_cases.ts'
import { night } from './_nights.ts'

export interface WatchCase {
  margin: number
  alpha?: number
  nights: { anchors: string; system?: string }[]
  gold?: string
  expect: { answers: string[]; last: Record<string, unknown> }
}

// biome-ignore lint/suspicious/noExplicitAny: a section holds what it has to say
export const sections = ({ stdout }: Ran): any[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
export const watchIn = (ran: Ran) => sections(ran).find(({ section }) => section === 'watch')

/** A folder with a watch; each call judges a night. */
export function watching(t: TestContext, args: string[] = []) {
  const cwd = folder(t, {})
  const file = `${cwd}/watch.json`
  return {
    cwd,
    file,
    text: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    async judge(anchors: string, system?: string, more: string[] = args) {
      if (system !== undefined) writeFileSync(`${cwd}/tonight.ndjson`, system)
      const beside = system === undefined ? [] : ['--system', 'tonight.ndjson']
      return await jb('audit', ['--watch', 'watch.json', ...beside, ...more], { stdin: anchors, cwd })
    },
  }
}

/** Checks answers and exit codes of all nights, and the figures of the last. */
export async function through(
  t: TestContext,
  { nights, gold, margin, alpha = 0.05, expect: expected }: WatchCase,
): Promise<void> {
  const { judge } = watching(t, ['--fail-drift', String(margin), '--ci', String(1 - alpha)])
  const answers: string[] = []
  let last: Record<string, unknown> = {}
  for (const { anchors, system } of nights) {
    const ran = await judge(
      night(anchors, { gold }),
      system === undefined ? undefined : night(system, { letter: 's' }),
    )
    const watch = watchIn(ran)
    const { answer, counted, system_moved: moved } = watch
    answers.push(answer + (counted ? '' : ' (not counted)'))
    const isDown = moved?.moved === true && moved.score.change < 0
    const code = Number(answer === 'judge' || answer === 'both' || isDown || !counted)
    assert.equal(ran.code, code, `night ${answers.length}: ${ran.stderr}`)
    if (counted) last = watch
  }
  assert.deepEqual(answers, expected.answers)
  close(last, expected.last)
}
