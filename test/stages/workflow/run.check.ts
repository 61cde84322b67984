/** The original’s kiddie by make. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { DATA, folder, sh, withoutData } from '../../trec/_cli.ts'

describe('the original’s kiddie', { skip: withoutData }, () => {
  it('naive: the leaderboard byte for byte, by make', () => {
    const cwd = folder({ 'workflow.yml': readFileSync(`${DATA}/workflows/naive/workflow.yml`, 'utf8') })
    const data = resolve(DATA)
    const { code, stderr } = sh(
      `jb-workflow run workflow.yml --judge naive --rag-topics '${data}/kiddie/topics/kiddie-topics.jsonl' --rag-responses '${data}/kiddie/runs'`,
      { cwd },
    )
    assert.equal(code, 0, stderr)
    assert.equal(
      readFileSync(join(cwd, 'naive.eval.txt'), 'utf8'),
      readFileSync(`${data}/reference-generated/naive.eval.txt`, 'utf8'),
    )
  })
})
