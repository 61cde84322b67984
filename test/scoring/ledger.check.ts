/** The ledger against its definition: 5,000 random streams of scripts/oracles/ledger.py. */
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { Choices } from '../helpers/random.ts'
import { checkStream, streamsIn } from './_ledger.ts'

const STREAMS = 5000
const found = spawnSync('python3', ['--version'])

test('random rows count as defined', { skip: found.status !== 0 && 'no python3' }, async () => {
  const seed = 7
  const { stdout } = spawnSync('python3', ['scripts/oracles/ledger.py', String(STREAMS), String(seed)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  for (const [i, stream] of streamsIn(stdout).entries()) await checkStream(stream, new Choices(seed + i))
})
