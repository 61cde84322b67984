/** The package as npm packs it: `make check` runs this, for packing and compiling take seconds. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { blocks } from './helpers/doc_blocks.ts'
import { folder } from './helpers/folder.ts'
import { fine, pipefail, ROOT, sh } from './helpers/run.ts'

test('the README’s program compiles against the package, without types of Node', async (t) => {
  const program = /^```js\n([\s\S]*?)^```/m.exec(readFileSync(`${ROOT}README.md`, 'utf8'))![1]
  const cwd = folder(t, {
    'package.json': '{ "type": "module" }',
    'a.ts': `declare const pairs: object[]\n${program}`,
    'node_modules/.keep': '',
  })
  // npm tells of its own settings on stderr.
  const pack = `npm pack --silent --ignore-scripts ${ROOT} 2> npm.txt | xargs tar xzf`
  // npm would install its dependencies: of these the types name yaml's.
  const dependencies = `ln -s ${ROOT}node_modules/yaml node_modules/yaml`
  fine(await sh(`${pack} && mv package node_modules/jb-filters && ${dependencies}`, { cwd }))
  fine(await sh(`${ROOT}node_modules/.bin/tsc --strict --module nodenext --noEmit a.ts`, { cwd }))
})

test('the licence of every package in a bundle comes along', () => {
  const text = readFileSync(`${ROOT}dist/THIRD-PARTY.md`, 'utf8')
  for (const name of ['undici', 'yaml', 'nunjucks', 'bottleneck', 'yargs', 'hyparquet'])
    assert.match(text, new RegExp(`^## ${name} [0-9.]+: \\S+\\n\\n\`\`\`text\\n`, 'm'), name)
})

test('of the packed files alone, the README works from its first command to its last', async (t) => {
  const cwd = folder(t)
  fine(await sh(`npm pack --silent --ignore-scripts ${ROOT} 2> npm.txt | xargs tar xzf`, { cwd }))
  const PATH = `${cwd}/package/bin:${dirname(process.execPath)}:/usr/bin:/bin`
  const user = { cwd, env: { PATH, HOME: cwd } }
  fine(await pipefail('jb-read example > pairs.jsonl && ls package/docs/man/jb.7', user))
  fine(await pipefail('source <(jb-read --completion bash) && complete -p jb-call', user))
  for (const { command, network, line } of blocks(`${ROOT}README.md`)) {
    if (network) continue
    const { code, stderr } = await pipefail(command, user)
    assert.ok(code === 0 && !/bug:|not found/.test(stderr), `README.md:${line}: exit ${code}\n${stderr}`)
  }
})
