/** The make rules that a user includes, and the targets of the Makefile. */
import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { ndjson, pair } from '../helpers/rows.ts'
import { expect, fine, jb, pipe, ROOT, sh } from '../helpers/run.ts'

const PAIRS = ndjson([pair(), pair({ response_A: 'a', response_B: 'longer' })])
const MAKEFILE = `include ${ROOT.replaceAll(' ', '\\ ')}jb.mk
JUDGE = mine.yaml
RENDERFLAGS = --order both
CALLFLAGS = --no-cache --quiet
all: in/pairs.report.json
`

/** In place of a filter, for which make's decisions need not wait: what it was asked for is its output. */
const STAND_IN = `#!/bin/sh
echo "$*"
for word; do case $word in --output=*) echo '{}' > "\${word#*=}" ;; esac; done
:
`
const STAND_INS = Object.fromEntries(
  ['render', 'call', 'parse', 'score', 'aggregate'].map((name) => [`stand-in/jb-${name}`, STAND_IN]),
)

/** Makes all, and gives the filters that ran. */
async function filtersOf(cwd: string, args = ''): Promise<string[]> {
  const ran = fine(await sh(`make ${args}`, { cwd }))
  return [...ran.stdout.matchAll(/^(?:stand-in\/)?jb-(\w+)/gm)].map(([, name]) => name!)
}

test('UNTIL = decided: one pipe, which ends with its gate', async (t) => {
  const items = ndjson(
    Array.from({ length: 60 }, (_, i) => pair({ response_A: `longer ${i}`, response_B: `${i}` })),
  )
  const cwd = folder(t, { Makefile: MAKEFILE.replace('mine.yaml', 'vanilla'), 'in/pairs.jsonl': items })
  const make = (gate: string) =>
    sh(`make UNTIL=decided SHUFFLE=7 AGGREGATEFLAGS='--fail-under ${gate}' all`, { cwd })
  fine(await make('0.5'))
  const { until } = JSON.parse(readFileSync(join(cwd, 'in/pairs.report.json'), 'utf8'))
  assert.deepEqual([until.decision, until.of, until.seed, until.at < 20], ['pass', 60, '7', true])
  const broken = await sh("make UNTIL=decided AGGREGATEFLAGS='--fail-under 0.5' MODEL=baseline:none all", {
    cwd,
  })
  assert.equal(broken.code, 2)
  assert.ok(existsSync(join(cwd, 'in/pairs.report.json.missed')) || !/decided after/.test(broken.stderr))
})

test('make choose: several judge files on labelled items, the first of which is what one has', async (t) => {
  const judge = fine(await jb('render', ['vanilla', '--show'])).stdout
  const items = ndjson(
    Array.from({ length: 24 }, (_, i) => pair({ response_A: `longer ${i}`, response_B: `${i}` })),
  )
  const cwd = folder(t, {
    Makefile: MAKEFILE,
    'items.jsonl': items,
    'now.yaml': judge,
    'new.yaml': `${judge}\n`,
  })
  const { stdout } = fine(await sh('make choose LABELLED=items.jsonl JUDGES="now.yaml new.yaml"', { cwd }))
  assert.match(stdout, /^now {2}.*\nnew {2}.*\n\nkeep now: none of the other 1 looks better on 24 labels$/m)
})

test('jb.mk makes again what changed: data, the judge, the model, flags, and nothing else', async (t) => {
  const vanilla = fine(await jb('render', ['vanilla', '--show'])).stdout
  const cwd = folder(t, { Makefile: MAKEFILE, 'in/pairs.jsonl': PAIRS, 'mine.yaml': vanilla, ...STAND_INS })
  for (const name of Object.keys(STAND_INS)) chmodSync(join(cwd, name), 0o755)
  const all = ['render', 'call', 'parse', 'aggregate']
  assert.deepEqual(await filtersOf(cwd), all)
  const report = JSON.parse(readFileSync(join(cwd, 'in/pairs.report.json'), 'utf8'))
  assert.deepEqual([report.model, report.items], ['baseline:longer', 2])
  assert.deepEqual(await filtersOf(cwd), [])
  assert.deepEqual(await filtersOf(cwd, '-n'), [])

  const first = 'JB=stand-in/ MODEL=baseline:first'
  assert.deepEqual(await filtersOf(cwd, `-n ${first}`), all.slice(1))
  assert.deepEqual(await filtersOf(cwd, `-j4 ${first}`), all.slice(1))
  assert.match(
    readFileSync(join(cwd, 'in/pairs.replies.ndjson'), 'utf8'),
    /^--model=baseline:first --judge=mine\.yaml /,
  )
  assert.deepEqual(await filtersOf(cwd, first), [])

  appendFileSync(join(cwd, 'mine.yaml'), '# changed\n')
  assert.deepEqual(await filtersOf(cwd, first), all)
  const flags = `${first} PARSEFLAGS="--pick first" RENDERFLAGS="--name 'as it is'"`
  assert.deepEqual(await filtersOf(cwd, flags), all)
  assert.deepEqual(await filtersOf(cwd, `${flags} AGGREGATEFLAGS="--ci 0.9"`), ['aggregate'])
  writeFileSync(join(cwd, 'in/pairs.jsonl'), ndjson([pair()]))
  assert.deepEqual(await filtersOf(cwd, `${flags} AGGREGATEFLAGS="--ci 0.9"`), all)
})

test('jb.mk: JB is set for make, and is not taken from the environment', async (t) => {
  const cwd = folder(t, { Makefile: MAKEFILE, 'in/pairs.jsonl': PAIRS, 'mine.yaml': '', ...STAND_INS })
  for (const name of Object.keys(STAND_INS)) chmodSync(join(cwd, name), 0o755)
  const env = { JB: '/somewhere' }
  const ran = async (args: string) => fine(await sh(`make -n ${args}`, { cwd, env })).stdout
  assert.match(await ran(''), /^jb-render --order both -- 'mine\.yaml' /m)
  assert.match(await ran('JB=stand-in/'), /^stand-in\/jb-render /m)
  appendFileSync(join(cwd, 'Makefile'), 'JB = bin/\n')
  assert.match(await ran(''), /^bin\/jb-render /m)
})

test('jb.mk: a missed gate is missed again, and the report is there under another name', async (t) => {
  const cwd = folder(t, { Makefile: MAKEFILE, 'in/pairs.jsonl': PAIRS })
  const gated = 'make -s JUDGE=vanilla AGGREGATEFLAGS="--fail-under 0.9"'
  for (const _ of [1, 2]) expect(await sh(gated, { cwd }), { code: 2, err: /is below --fail-under 0\.9/ })
  assert.equal(JSON.parse(readFileSync(join(cwd, 'in/pairs.report.json.missed'), 'utf8')).items, 2)
  assert.ok(!existsSync(join(cwd, 'in/pairs.report.json')))
  fine(await sh('make -s JUDGE=vanilla', { cwd }))
  assert.ok(!existsSync(join(cwd, 'in/pairs.report.json.missed')))
})

test('make judge: any kind of judge, any name of a file', async (t) => {
  const cwd = folder(t, {
    "a b's.jsonl": PAIRS,
    'texts.jsonl': ndjson([{ id: 1, question: 'q', answer: 'good' }]),
  })
  const make = (args: string) => sh(`make -s -o build -C '${ROOT}' judge FORMAT=json ${args}`)
  const both = JSON.parse(fine(await make(`DATA="${cwd}/a b's.jsonl" ORDER=both`)).stdout)
  assert.deepEqual([both.items, both.games], [2, 4])
  const recipe = fine(await make(`-n DATA="${cwd}/texts.jsonl" JUDGE=rating`)).stdout
  const rating = fine(await pipe(recipe.replaceAll('bin/jb-', 'jb-').replace('jb-call', 'jb-call -q')))
  assert.equal(JSON.parse(rating.stdout).items, 1)
})

test('make install links the commands and man pages of a clone, and says so and what is on PATH', async (t) => {
  const cwd = folder(t)
  const install = `make -s -C '${ROOT}' install PREFIX='${cwd}/a prefix'`
  const told = fine(await sh(install)).stdout
  assert.match(told, /^commands: links in .*\/a prefix\/bin to .*\/bin: jb-aggregate .*jb-write$/m)
  assert.match(told, /a prefix\/bin is not on your PATH: export PATH=/)
  assert.match(fine(await sh(`PATH="${cwd}/a prefix/bin:$PATH" ${install}`)).stdout, /is on your PATH/)
  const help = fine(await sh(`'${cwd}/a prefix/bin/jb-filters' help render`)).stdout
  assert.equal(help, fine(await sh(`'${cwd}/a prefix/bin/jb-render' --help`)).stdout)
  const ran = await sh(`'${cwd}/a prefix/bin/jb-filters' --root`)
  expect(ran, { code: 0 })
  assert.equal(join(ran.stdout.trim(), '/'), ROOT)
  assert.ok(existsSync(join(cwd, 'a prefix/share/man/man1/jb-read.1')))
})
