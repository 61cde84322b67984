/** Options and links in the README and the docs lead somewhere. `make check` runs the examples themselves. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import type { FilterSpec } from '../src/options/option.ts'
import { allOptions } from '../src/run/arguments.ts'
import { expect, jb, ROOT } from './helpers/run.ts'

const pages = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
)
const files = ['README.md', 'CONTRIBUTING.md', 'SKILL.md', 'llms.txt', ...pages.map((name) => `docs/${name}`)]
const { bin } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { bin: object }
const COMMAND = /\bjb-(?!filters\b)(\w+)((?:'[^']*'|"[^"]*"|[^|;&\n`'"])*)/g

test('each option of an example is one of its filter', async () => {
  let options = 0
  for (const file of files) {
    for (const [, block] of readFileSync(ROOT + file, 'utf8').matchAll(/^```sh[^\n]*\n([\s\S]*?)^```/gm)) {
      const words = block!.replaceAll(/\\\n/g, ' ').replaceAll(/(^|\s)#.*/gm, '')
      for (const [command, filter, args] of words.matchAll(COMMAND)) {
        const { spec } = (await import(`../src/stages/${filter}/options.ts`)) as { spec: FilterSpec }
        const member = await spec.members?.named(args!.split(' ').find((one) => /^\w/.test(one)) ?? '')
        const known = new Set(allOptions(spec, member).map(({ name }) => name))
        for (const [, name] of args!.replaceAll(/'[^']*'|"[^"]*"/g, '').matchAll(/\s--([\w-]+)/g)) {
          assert.ok(known.has(name!), `${file}: --${name} in ${command}`)
          options++
        }
      }
    }
  }
  assert.ok(options > 50, `${options} options`)
})

/** Fenced blocks and inline code of the pages, and the examples of `--help`. */
async function recipes(): Promise<{ where: string; text: string }[]> {
  const found: { where: string; text: string }[] = []
  for (const file of [...files, 'jb.mk', 'scripts/engines/slurm-array.sh']) {
    const text = readFileSync(ROOT + file, 'utf8')
    if (!file.endsWith('.md')) found.push({ where: file, text })
    const fences = /^```(\w*)[^\n]*\n([\s\S]*?)^```/gm
    for (const [, kind, block] of text.matchAll(fences))
      if (kind !== 'text') found.push({ where: file, text: block! })
    for (const [, code] of text.replaceAll(fences, '').matchAll(/`([^`]+)`/g))
      found.push({ where: file, text: code! })
  }
  for (const name of Object.keys(bin).filter((name) => name !== 'jb-filters')) {
    const { spec } = (await import(`../src/stages/${name.slice(3)}/options.ts`)) as { spec: FilterSpec }
    for (const { command } of spec.examples) found.push({ where: `${name} --help`, text: command })
  }
  return found
}

test('each gate is told what there should be, and stands in no pipe that hides a failure', async () => {
  let gates = 0
  for (const { where, text } of await recipes()) {
    const lines = text
      .replaceAll(/\\\n|\|\s*\n/g, (end) => (end.startsWith('|') ? '| ' : ' '))
      .replaceAll(/(^|\s)# .*/gm, '')
    const decides = [
      ...lines.matchAll(
        /jb-(?:aggregate\b[^|;\n]*?(?:--fail-under|--max-error-rate|--merge)|compare\b[^|;\n]*?--fail-worse).*/g,
      ),
    ]
    for (const [command] of decides) {
      gates++
      if (command.startsWith('jb-aggregate') && !command.includes('--partial'))
        assert.match(command, /--expect|--until|\$\(EXPECT\)/, `${where}: ${command}`)
      // GitHub runs \`shell: bash\` with pipefail set.
      if (/jb-\w+[^|\n]*\| *jb-/.test(lines))
        assert.match(lines, /pipefail|shell: bash/, `${where}: ${command}`)
    }
    for (const [, quoted] of lines.matchAll(/(?:parallel|xargs)\b.*'([^']*jb-[^']*)'/g))
      assert.match(`${lines.split(quoted!)[0]}${quoted}`, /pipefail/, `${where}: ${quoted}`)
  }
  assert.ok(gates >= 10, `${gates} gates`)
  // Rules of make: no pipe in jb.mk, which is read by the user's shell; in the Makefile a shell that fails with any part.
  const rules = readFileSync(`${ROOT}jb.mk`, 'utf8').match(/^\t\$\(JB\)jb-.*/gm)!
  // The pipe of UNTIL misses its gate where a command of it fails.
  const piped = rules.filter((rule) => /[^|]\|[^|]/.test(rule))
  assert.deepEqual([rules.length, piped.length], [7, 1])
  assert.match(rules.at(-3)!, /jb-aggregate .*\$\(EXPECT\)/)
  const makefile = readFileSync(`${ROOT}Makefile`, 'utf8')
  assert.match(makefile, /^\.SHELLFLAGS := -o pipefail -c$/m)
  for (const [rule] of makefile.matchAll(/jb-aggregate.*--format \$\(FORMAT\)/g))
    assert.match(rule, /--expect/)
})

test('npm links each man page: it reads their names in package.json, and no folder', () => {
  const { man } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { man: string[] }
  const pages = readdirSync(`${ROOT}dist/man`).map((name) => `dist/man/${name}`)
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

test('each example row of docs/input.md is one that its judges read', async () => {
  const criteria: Record<string, string> = {
    direct: 'conciseness',
    unitxt: 'conciseness',
    m_prometheus: 'completeness',
  }
  let rows = 0
  for (const [, names, row] of readFileSync(`${ROOT}docs/input.md`, 'utf8').matchAll(
    /^\| (`[a-z].*?) \|.*\| `(\{.*\})` \|$/gm,
  ))
    for (const [, judge] of names!.matchAll(/`(\w+)`/g)) {
      const criterion = criteria[judge!] ?? (/pairwise$/.test(judge!) ? 'better_answer' : undefined)
      const args = [...(criterion ? ['--criteria', criterion] : []), '--strict']
      const env = { JB_SET: 'criterion=x' }
      expect(await jb('render', ['-q', judge!, ...args], { stdin: `${row}\n`, env }), {})
      rows++
    }
  assert.equal(rows, 14)
})

/**
 * Where a model that is shut is named for a reason: what was recorded with it, and files of other programs, as they are called
 * there.
 */
const RECORDED: Record<string, readonly string[]> = {
  'README.md': ['gpt-4o-2024-05-13'],
  'docs/from/judgebench.md': ['gpt-4o'],
  'docs/from/mt-bench.md': ['gpt-4'],
}

test('no model that its service has shut, or will, is named as one to use', async () => {
  const { shut } = parse(readFileSync(`${ROOT}src/providers/prices.yaml`, 'utf8')) as { shut: object }
  const names = Object.keys(shut).map((name) => name.slice(name.indexOf('/') + 1).replaceAll('.', '\\.'))
  const one = new RegExp(`(?<![\\w.-])(?:${names.join('|')})(?:-[0-9]+)*(?![\\w-]|\\.\\d)`, 'g')
  assert.deepEqual('-m gpt-4, gpt-4o-2024-08-06, gpt-4-omni, o1-mini'.match(one), [
    'gpt-4',
    'gpt-4o-2024-08-06',
  ])
  const texts = (await recipes()).filter(({ where }) => where.endsWith('--help'))
  for (const file of [...files, 'jb.mk', 'action.yml'])
    texts.push({
      where: file,
      text: readFileSync(ROOT + file, 'utf8').replaceAll(/^<!-- recorded -->\n```[\s\S]*?^```/gm, ''),
    })
  texts.push({ where: 'jb-call --help', text: (await jb('call', ['--help'])).stdout })
  for (const { where, text } of texts)
    for (const [name] of text.matchAll(one)) assert.ok(RECORDED[where]?.includes(name), `${where}: ${name}`)
})
