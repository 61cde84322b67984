/** Options and links in the README and the docs lead somewhere. `make check` runs the examples themselves. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { FilterSpec } from '../src/options/option.ts'
import { allOptions } from '../src/run/arguments.ts'
import { ROOT } from './helpers/run.ts'

const pages = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
)
const files = ['README.md', 'CONTRIBUTING.md', ...pages.map((name) => `docs/${name}`)]
const COMMAND = /\bjb-(?!filters\b)(\w+)((?:'[^']*'|"[^"]*"|[^|;&\n`'"])*)/g

test('each option of an example is one of its filter', async () => {
  let options = 0
  for (const file of files) {
    for (const [, block] of readFileSync(ROOT + file, 'utf8').matchAll(/^```sh[^\n]*\n([\s\S]*?)^```/gm)) {
      const words = block!.replaceAll(/\\\n/g, ' ').replaceAll(/(^|\s)#.*/gm, '')
      for (const [command, filter, args] of words.matchAll(COMMAND)) {
        const { spec } = (await import(`../src/stages/${filter}/options.ts`)) as { spec: FilterSpec }
        const known = new Set(allOptions(spec).map(({ name }) => name))
        for (const [, name] of args!.replaceAll(/'[^']*'|"[^"]*"/g, '').matchAll(/\s--([\w-]+)/g)) {
          assert.ok(known.has(name!), `${file}: --${name} in ${command}`)
          options++
        }
      }
    }
  }
  assert.ok(options > 50, `${options} options`)
})

test('npm links each man page: it reads their names in package.json, and no folder', () => {
  const { man } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { man: string[] }
  const pages = readdirSync(`${ROOT}docs/man`).map((name) => `docs/man/${name}`)
  assert.deepEqual(man.toSorted(), pages.toSorted())
})

/** The name by which a heading is linked to, as forges make it. */
const anchor = (heading: string) =>
  heading
    .replaceAll(/[`*]/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

test('each link leads to a file that is there, and to a heading of it', () => {
  let links = 0
  for (const file of files) {
    const text = readFileSync(ROOT + file, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
    for (const [link, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue
      const [path, fragment] = target!.split('#')
      const to = path ? join(ROOT, dirname(file), path) : join(ROOT, file)
      assert.ok(existsSync(to), `${file}: ${link}`)
      if (fragment) {
        const headings = [...readFileSync(to, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
          anchor(heading!),
        )
        assert.ok(headings.includes(fragment), `${file}: ${link}`)
      }
      links++
    }
  }
  assert.ok(links > 20, `${links} links`)
})
