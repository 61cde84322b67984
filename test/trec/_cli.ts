/** Runs the real commands on files of a test's own. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lastingFolder } from '../helpers/folder.ts'
import { cleanEnv } from '../helpers/ran.ts'

export const DATA = '../shared/data/autojudge'
/** For tests on the originals' data: a message where it is not there. */
export const withoutData = existsSync(DATA)
  ? false
  : `${DATA} is not here: the originals' files are not compared`

export const BIN = resolve('bin')

interface Ran {
  stdout: string
  stderr: string
  code: number | null
}

/** A shell line with the commands on its PATH; `pipefail` is on. */
export function sh(
  line: string,
  options: { cwd?: string; stdin?: string | Buffer; env?: Record<string, string> } = {},
): Ran {
  const { stdout, stderr, status } = spawnSync('bash', ['-o', 'pipefail', '-c', line], {
    cwd: options.cwd,
    input: options.stdin ?? '',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: cleanEnv({ JB_PROGRESS: 'never', ...options.env }),
  })
  return { stdout: stdout, stderr: stderr, code: status }
}

/** A folder with these files; it is gone when all tests are over. */
export function folder(files: Record<string, string | object[]>): string {
  const texts = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? content : content.map((row) => `${JSON.stringify(row)}\n`).join(''),
  ])
  return lastingFolder(Object.fromEntries(texts))
}

export const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Two topics, three runs: every style of citations. */
export function kiddie(): string {
  const sentence = (text: string, citations: unknown) => ({ text, citations })
  const meta = (run: string, topic: string) => ({ team_id: 'owls', run_id: run, topic_id: topic })
  return folder({
    'topics.jsonl': [
      {
        request_id: 't1',
        title: 'volcanic rocks',
        problem_statement: 'Why do some cool fast?',
        background: 'School.',
      },
      { request_id: 't2', title: 'tides' },
    ],
    'runs/a.jsonl': [
      {
        metadata: meta('a', 't1'),
        responses: [sentence('Basalt cools fast.', ['d9']), sentence('Lava.', [])],
      },
      {
        metadata: meta('a', 't2'),
        responses: [sentence('The moon pulls at the sea.', { d1: 0.2, d2: 0.9 })],
      },
    ],
    'runs/deep/b.jsonl': [
      {
        metadata: { team_id: 'owls', run_id: 'b', narrative_id: 't1' },
        answer: [sentence('Granite is slow.', [1, 0])],
        references: ['x', 'y'],
      },
      { metadata: meta('b', 't2'), answer: [sentence('Water.', [])], references: [] },
    ],
    'runs/deep/c.jsonl': [
      { metadata: meta('c', 't1'), responses: [sentence('Rocks are rocks and more rocks.', null)] },
      { metadata: meta('c', 't2'), responses: [] },
    ],
  })
}

/** The environment of a run that asks a server of the test's, with a cache of its own for the replies alone. */
export const callEnv = (cwd: string) =>
  cleanEnv({ OPENAI_API_KEY: 'x', JB_CACHE: join(cwd, 'cache.ndjson'), JB_PROGRESS: 'never' })
