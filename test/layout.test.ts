/**
 * The layout, read from the imports themselves: each folder of src stands on a level and imports only from lower
 * ones, no stage imports a stage, and no file imports itself by way of others. There are no exceptions.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, normalize } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './helpers/run.ts'

/** Folders of src, from the lowest level up. Folders on one level do not import each other. */
const LEVELS = [
  ['rows'],
  ['options'],
  ['files', 'python', 'statistics', 'chat'],
  ['templates'],
  ['criteria'],
  ['judges'],
  ['verdicts'],
  ['providers', 'baselines', 'scoring'],
  ['trec'],
  ['formats'],
  ['stages'],
  ['run', '.'],
]

const SRC = `${ROOT}src/`

/** Paths below src. */
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .sort()

/** Paths below src that a file imports; one that it loads by name is `providers/${api}.ts`. */
function importsOf(file: string): string[] {
  const text = readFileSync(SRC + file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const words = text.matchAll(/\bfrom '(\.[^']+)'|\bimport '(\.[^']+)'|\bimport\(['`](\.[^'`]+)['`]\)/g)
  return [...words].map((match) => normalize(`${dirname(file)}/${match[1] ?? match[2] ?? match[3]}`))
}

const imports = new Map(files.map((file) => [file, importsOf(file)]))

const folderOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '.')
const levelOf = (file: string) => LEVELS.findIndex((level) => level.includes(folderOf(file)))
const stageOf = (file: string) => /^stages\/([^/]+)\//.exec(file)?.[1]

test('every folder of src has a level, and the root holds the library alone', () => {
  assert.deepEqual(
    files.filter((file) => levelOf(file) < 0),
    [],
  )
  assert.deepEqual(
    files.filter((file) => folderOf(file) === '.'),
    ['index.ts'],
  )
})

test('docs/architecture.md names the same rooms', () => {
  const table = readFileSync(`${ROOT}docs/architecture.md`, 'utf8').matchAll(/^\| `src\/([a-z]+)\/` \|/gm)
  const rooms = LEVELS.flat().filter((room) => room !== '.')
  assert.deepEqual([...table].map(([, room]) => room).sort(), rooms.sort())
})

test('every import of a file of src leads to a file of src', () => {
  const lost = files.flatMap((file) =>
    imports
      .get(file)!
      .filter((to) => !imports.has(to) && !to.includes('${'))
      .map((to) => `${file}: ${to}`),
  )
  assert.deepEqual(lost, [])
})

test('imports go to lower levels, and no stage imports a stage', () => {
  const wrong = files.flatMap((file) =>
    imports
      .get(file)!
      .filter((to) =>
        folderOf(file) === folderOf(to) ? stageOf(file) !== stageOf(to) : levelOf(file) <= levelOf(to),
      )
      .map((to) => `${file} imports ${to}`),
  )
  assert.deepEqual(wrong, [])
})

test('no file imports itself by way of others', () => {
  const circles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, path: string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) return void circles.push([...path.slice(at), file].join(' → '))
    if (done.has(file)) return
    for (const to of imports.get(file) ?? []) if (to !== file) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  assert.deepEqual(circles, [])
})

/** What stands at the top level. */
const TOP =
  '.ci .dockerignore .gitignore .npmrc CHANGELOG.md CONTRIBUTING.md Dockerfile LICENSE Makefile README.md SKILL.md action.yml bench bin biome.json build.js docs fixtures jb.mk llms.txt package-lock.json package.json python schema scripts src test tsconfig.json tsconfig.lib.json'

test('no file was added at the top level by mistake', { skip: !existsSync(`${ROOT}/.git`) }, () => {
  const tracked = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .trimEnd()
    .split('\n')
  const top = new Set(tracked.map((path) => path.replace(/\/.*/, '')))
  assert.deepEqual([...top].sort(), TOP.split(' ').sort())
})
