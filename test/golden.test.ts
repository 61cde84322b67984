/**
 * Golden cases: folders under test/golden with a shell command and what it must print.
 *
 * | file | holds |
 * |---|---|
 * | `cmd` | the command, which may be a whole pipe: run in a copy of the case's folder, by sh where it is more than a pipe of filters |
 * | `in.ndjson` | its stdin, where there is any |
 * | `out` | stdout |
 * | `err` | stderr; nothing where the file is absent |
 * | `code` | the exit code; 0 where the file is absent |
 *
 * `make bless CASE=parse/tie` writes what came out as the new expectation (CASE is a part of the folder's
 * path; without it all cases are written): git diff then shows what changed.
 */
import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { folder as scratch } from './helpers/folder.ts'
import { has, isPipe, pipe, type Ran, ROOT, sh, shown } from './helpers/run.ts'

const FOLDER = `${ROOT}test/golden/`
const { BLESS, CASE = '' } = process.env

/** Folders with a `cmd`, by their path. */
function cases(path = ''): string[] {
  return readdirSync(FOLDER + path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const inner = `${path}${name}`
      return [...(existsSync(`${FOLDER}${inner}/cmd`) ? [inner] : []), ...cases(`${inner}/`)]
    })
    .sort()
}

function read(path: string, absent: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : absent
}

/** Reports name the version that made them, which changes. */
const withoutVersion = (text: string) =>
  text.replace(/^((?:.*: )?jb )[\w.-]+(?=;|$)/gm, '$1VERSION').replace(/"jb":"[\w.-]+"/g, '"jb":"VERSION"')

function bless(folder: string, { stdout, stderr, code }: Ran): void {
  const write = (name: string, content: string, usual: string) => {
    if (content === usual) rmSync(`${folder}/${name}`, { force: true })
    else writeFileSync(`${folder}/${name}`, content)
  }
  writeFileSync(`${folder}/out`, stdout)
  write('err', stderr, '')
  write('code', `${code}\n`, '0\n')
}

const chosen = cases().filter((name) => `golden/${name}`.includes(CASE))

test('there are cases', () => assert.ok(chosen.length > 0, `no golden case with "${CASE}" in its path`))

describe('golden', { concurrency: 3 }, () => {
  for (const name of chosen) {
    test(name, async (t) => {
      const folder = FOLDER + name
      const cwd = scratch(t)
      cpSync(folder, cwd, { recursive: true })
      const command = readFileSync(`${folder}/cmd`, 'utf8')
      if (/\bjq\b/.test(command) && !has('jq')) return t.skip('NOT RUN: jq is not there')
      const ran = await (isPipe(command) ? pipe : sh)(command, {
        stdin: read(`${folder}/in.ndjson`, ''),
        cwd,
      })
      ran.stdout = withoutVersion(ran.stdout)
      if (BLESS) return bless(folder, ran)
      const how = `${shown(ran)}\nas it is now: make bless CASE=${name}`
      assert.equal(ran.stdout, read(`${folder}/out`, ''), `stdout differs\n${how}`)
      assert.equal(ran.stderr, read(`${folder}/err`, ''), `stderr differs\n${how}`)
      assert.equal(`${ran.code}\n`, read(`${folder}/code`, '0\n'), `the exit code differs\n${how}`)
    })
  }
})
