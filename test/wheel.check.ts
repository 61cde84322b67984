/** The Python package in an environment of its own, where nothing is on PATH. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { folder } from './helpers/folder.ts'
import { fine, pipefail, ROOT, sh } from './helpers/run.ts'

test('the wheel gives the commands, with a Node of its own, and the rows to Python', async (t) => {
  const cwd = folder(t)
  fine(await sh(`make --silent -C ${ROOT} wheel WHEELS=${cwd}`, { cwd }))
  const made = await sh('python3 -m venv venv && venv/bin/pip -q install ./*.whl', { cwd })
  if (made.code !== 0)
    return t.skip(`NOT RUN: the wheel cannot be installed: ${made.stderr.split('\n').at(-2)}`)
  const user = { cwd, env: { PATH: process.env.PATH!, HOME: cwd } }
  const alone = 'export PATH=;'
  const bin = `${cwd}/venv/bin`
  const pipe = `${bin}/jb-render arena_hard --order both pairs.jsonl | ${bin}/jb-call -m baseline:longer --quiet |
    ${bin}/jb-parse | ${bin}/jb-aggregate --format table`
  const { code, stdout, stderr } = await pipefail(
    `${alone} ${bin}/jb-read example > pairs.jsonl && ${pipe}`,
    user,
  )
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^all +48 +39\.58 %/m)

  const make = await sh(
    `PATH=${bin}:$PATH make -f $(${bin}/jb-filters --root)/jb.mk pairs.report.json JB=${bin}/`,
    user,
  )
  assert.equal(make.code, 0, make.stderr)

  writeFileSync(
    `${cwd}/rows.py`,
    `import jb_filters
rows = list(jb_filters.read("pairs.jsonl"))
print(len(rows), rows[0]["pair_id"])
open("bad.jsonl", "w").write('{}\\n{"a":')
try:
    list(jb_filters.read("bad.jsonl"))
except ValueError as error:
    print(str(error)[:31])
`,
  )
  const rows = await sh('venv/bin/python rows.py', { cwd })
  assert.equal(rows.stdout, '48 arithmetic-01\nbad.jsonl:2: not valid JSON: Ex\n', rows.stderr)
  const usage = await sh(`${alone} ${bin}/python -m jb_filters parse --nonsense; echo $?`, user)
  assert.match(usage.stdout + usage.stderr, /^2\njb-parse: unknown option/)
})
