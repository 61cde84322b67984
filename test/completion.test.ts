/** Tab completion, as bash, zsh and fish read it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fine, jb, ROOT } from './helpers/run.ts'

const script = (shell: string) => join(ROOT, `dist/completion/jb.${shell}`)

/** What bash offers at the end of each line. */
function offered(lines: string[]): string[][] {
  const ask = `source "$1"; shift
for line; do
  COMP_LINE=$line COMP_POINT=\${#line} COMP_WORDBREAKS=$' \\t\\n"=:' COMPREPLY=()
  _jb "\${line%% *}"
  printf '%s\\n' "\${COMPREPLY[*]}"
done`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', ask, 'bash', script('bash'), ...lines], {
    cwd: join(ROOT, 'fixtures'),
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  return stdout
    .split('\n')
    .slice(0, lines.length)
    .map((words) => words.split(' ').filter(Boolean).sort())
}

test('bash: filters’ options, and values of choices, judges, formats, models and files', () => {
  const asked: Record<string, string[]> = {
    'jb-render ar': ['arena_hard'],
    'jb-call --api-': ['--api-key-env'],
    'jb-call --api co': ['completions'],
    'jb-call --api=co': ['completions'],
    // What bash replaces is the part after the colon.
    'jb-call -m baseline:lo': ['longer'],
    'jb-call -m gemini/': [
      'gemini/',
      'gemini/gemini-2.5-flash-lite',
      'gemini/gemini-3.5-flash',
      'gemini/gemini-3.5-flash-lite',
      'gemini/gemini-3.8-flash',
    ],
    'jb-read par': ['parquet'],
    'jb-write rm': ['rm-gallery', 'rm-gallery-rewardbench2'],
    'jb-render --criteria coh': ['coherence'],
    'jb-parse pairs.js': ['pairs.jsonl'],
    // Only the first operand may be a judge.
    'jb-render vanilla pairs': ['pairs.jsonl'],
    'jb-render --order both are': ['arena_hard'],
    'jb-call --concurrency ': [],
    // The rest of a line of jb-filters is that of the filter.
    'jb-filters re': ['read', 'render'],
    'jb-filters do': ['doctor'],
    'jb-filters help wo': ['workflow'],
    'jb-filters render ar': ['arena_hard'],
    'jb-filters jb-render --order both are': ['arena_hard'],
    'jb-filters call --api=co': ['completions'],
    'jb-filters call -m baseline:lo': ['longer'],
    'jb-filters parse pairs.js': ['pairs.jsonl'],
    'jb-filters doctor --api-': ['--api-key-env'],
    'jb-filters nothing ': [],
  }
  assert.deepEqual(offered(Object.keys(asked)), Object.values(asked))
})

test('zsh: a colon within an action would end it', () => {
  const actions = readFileSync(script('zsh'), 'utf8').match(/:\{[^}]*\}/g)!
  assert.ok(actions.length > 3)
  for (const action of actions) assert.doesNotMatch(action.slice(1), /[^\\]:|"/)
})

const fish = spawnSync('fish', ['--version'])
test('fish: the first operand after options, and values without the option’s description', {
  skip: fish.error && 'NOT RUN: fish is not on this machine',
}, () => {
  const ask = (line: string) =>
    spawnSync('fish', ['--no-config', '-c', `source ${script('fish')}; complete -C '${line}'`], {
      cwd: join(ROOT, 'fixtures'),
      encoding: 'utf8',
    }).stdout.trim()
  assert.equal(ask('jb-render --order both are'), 'arena_hard')
  assert.equal(ask('jb-render vanilla pairs.'), 'pairs.jsonl')
  assert.equal(ask('jb-call --api co'), 'completions')
})

test('jb-read --completion prints the script of a shell', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = fine(await jb('read', ['--completion', shell]))
    assert.match(stdout, /^#.*\bjb/)
    for (const filter of ['jb-read', 'jb-aggregate', 'jb-view']) assert.ok(stdout.includes(filter))
  }
})

for (const shell of ['bash', 'zsh', 'fish']) {
  const { error, status, stderr } = spawnSync(shell, ['-n', script(shell)], { encoding: 'utf8' })
  test(`${shell} reads its script`, { skip: error && `${shell} is not on this machine` }, () => {
    assert.deepEqual([status, stderr], [0, ''])
  })
}
