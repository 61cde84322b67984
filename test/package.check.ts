/** The package as npm packs it: `make check` runs this, for packing and compiling take seconds. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { blocks } from './helpers/doc_blocks.ts'
import { folder, lastingFolder } from './helpers/folder.ts'
import { fine, pipefail, ROOT, sh } from './helpers/run.ts'

let made: string | undefined

/** A folder with the packed file, which is installed in it without a network. */
async function installed(): Promise<string> {
  if (made) return made
  const cwd = lastingFolder({ 'package.json': '{ "type": "module" }' })
  // npm tells of its own settings on stderr.
  const pack = `npm pack --silent --ignore-scripts ${ROOT} 2> npm.txt`
  fine(await sh(`npm install --silent --offline ./$(${pack}) 2> npm.txt`, { cwd }))
  return (made = cwd)
}

test('it is installed whole without a network, in less than 20 MB, as publint and attw have it', async () => {
  const cwd = await installed()
  const bytes = (path: string): number =>
    statSync(path).isDirectory()
      ? readdirSync(path).reduce((sum, name) => sum + bytes(`${path}/${name}`), 0)
      : statSync(path).size
  assert.deepEqual(
    readdirSync(`${cwd}/node_modules`).filter((name) => !name.startsWith('.')),
    ['jb-filters'],
  )
  assert.ok(bytes(`${cwd}/node_modules`) < 20e6, `${bytes(`${cwd}/node_modules`)} bytes`)
  fine(await sh(`${ROOT}node_modules/.bin/publint --strict node_modules/jb-filters > publint.txt`, { cwd }))
  const attw = `${ROOT}node_modules/.bin/attw --profile esm-only --exclude-entrypoints schema/* package.json`
  fine(await sh(`${attw} -- jb-filters-*.tgz > attw.txt`, { cwd }))
})

test('npx runs the filters of the packed file in an empty folder, to a report', async (t) => {
  const npx = `npx --yes --offline --package=$(echo ${await installed()}/jb-filters-*.tgz) jb-filters`
  const { code, stdout } = await pipefail(
    `${npx} read example | ${npx} render arena_hard --order both | ${npx} call -q -m baseline:longer | ${npx} parse |
      ${npx} aggregate --format table`,
    { cwd: folder(t) },
  )
  assert.match(stdout, /^all +48 +39\.58 %/m, `exit ${code}`)
})

test('the README’s program compiles against the package, without types of Node', async () => {
  const program = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(`${ROOT}README.md`, 'utf8'))![1]
  const cwd = await installed()
  writeFileSync(`${cwd}/a.ts`, `declare const pairs: object[]\n${program}`)
  const options = '--strict --exactOptionalPropertyTypes --module nodenext --noEmit'
  fine(await sh(`${ROOT}node_modules/.bin/tsc ${options} a.ts`, { cwd }))
})

test('what the docs name is in the package', async () => {
  const root = `${await installed()}/node_modules/jb-filters/`
  const pages = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  for (const page of ['README.md', ...pages]) {
    const text = readFileSync(root + page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
    // Readers of the source have the source.
    for (const [, path] of text.matchAll(/\]\(([^)\s#]+)/g))
      if (!/^(https?:|(\.\.\/)*(src|test|bench)\b)/.test(path!))
        assert.ok(existsSync(join(root, dirname(page), path!)), `${page}: ${path}`)
    for (const [, path] of text.matchAll(/`((?:scripts|fixtures|dist|schema)\/[\w./-]+)`/g))
      assert.ok(existsSync(root + path!), `${page}: ${path}`)
  }
})

test('the bill of materials names every package whose code is inside', async () => {
  fine(await sh('node scripts/sbom.js', { cwd: ROOT }))
  const { components } = JSON.parse(readFileSync(`${ROOT}dist/sbom.cdx.json`, 'utf8'))
  const names = components.map(({ name }: { name: string }) => name)
  for (const name of ['undici', 'yaml', 'nunjucks', 'yargs']) assert.ok(names.includes(name), name)
  assert.ok(!names.includes('esbuild'))
})

test('the licence of every package in a bundle comes along', () => {
  const text = readFileSync(`${ROOT}dist/THIRD-PARTY.md`, 'utf8')
  for (const name of ['undici', 'yaml', 'nunjucks', 'bottleneck', 'yargs', 'hyparquet'])
    assert.match(text, new RegExp(`^## ${name} [0-9.]+: \\S+\\n\\n\`\`\`text\\n`, 'm'), name)
})

test('of the packed files alone, the README works from its first command to its last', async (t) => {
  const cwd = folder(t)
  fine(await sh(`tar xzf ${await installed()}/jb-filters-*.tgz`, { cwd }))
  const PATH = `${cwd}/package/bin:${dirname(process.execPath)}:/usr/bin:/bin`
  const user = { cwd, env: { PATH, HOME: cwd } }
  fine(await pipefail('jb-read example > pairs.jsonl && ls package/dist/man/jb.7', user))
  fine(await pipefail('source <(jb-read --completion bash) && complete -p jb-call', user))
  for (const { command, network, line } of blocks(`${ROOT}README.md`)) {
    if (network) continue
    const { code, stderr } = await pipefail(command, user)
    assert.ok(code === 0 && !/bug:|not found/.test(stderr), `README.md:${line}: exit ${code}\n${stderr}`)
  }
})
