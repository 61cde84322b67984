/** Which models jb-rank tells apart, as an independent program has it (scripts/oracles/rank_groups.py). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { objects } from '../../helpers/stage.ts'
import { run } from './_rank.ts'

interface Case {
  battles: [question_id: string, model_a: string, model_b: string, winner: string][]
  apart: [string, string][]
}

const path = new URL('../../../fixtures/statistics/rank_groups.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: Case[] }

for (const [i, { battles, apart }] of cases.entries())
  test(`models told apart, board ${i + 1} of ${cases.length}`, async () => {
    const rows = battles.map(([question_id, model_a, model_b, winner]) => ({
      ...{ question_id, model_a, model_b, winner },
    }))
    const { text } = await run(['--method', 'bt'], rows)
    const known = objects(text).filter(({ battles: n }) => Number(n) >= 10)
    const found: string[] = []
    for (const one of known)
      for (const other of known) {
        const [x, y] = [one.groups, other.groups] as [number[], number[]]
        if (String(one.model) < String(other.model) && !x.some((group) => y.includes(group)))
          found.push(`${one.model} ${other.model}`)
      }
    assert.deepEqual(found.sort(), apart.map((pair) => pair.join(' ')).sort())
  })
