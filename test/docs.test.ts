/** The options that the README and the docs name are there. `make check` runs the examples themselves. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FilterSpec } from '../src/options/option.ts'
import { allOptions } from '../src/run/arguments.ts'
import { ROOT } from './helpers/run.ts'

const files = ['README.md', ...readdirSync(`${ROOT}docs`).map((file) => `docs/${file}`)]
const COMMAND = /\bjb-(\w+)((?:'[^']*'|"[^"]*"|[^|;&\n`'"])*)/g

test('each option of an example is one of its filter', async () => {
  let options = 0
  for (const file of files.filter((name) => name.endsWith('.md'))) {
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
