/**
 * Writes what the docs take from the program: help texts, tables, and the output of commands
 * that stand in the README and docs. With --check nothing is written: exit 1 where something is out of date.
 *
 * In a Markdown file, what stands between `<!-- NAME -->` and `<!-- /NAME -->` is generated; a block after
 * `<!-- output -->` is what the `sh` block before it prints.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { members } from '../src/files/members.ts'
import { type HelpTable, withNames } from '../src/options/option.ts'
import { helpText } from '../src/run/help.ts'
import { ruleText } from './rules.ts'
import { schemas } from './schemas.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const check = process.argv.includes('--check')
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** In the order in which package.json names them. */
const FILTERS = Object.keys(bin)
  .filter((name) => name !== 'jb-filters')
  .map((name) => name.slice('jb-'.length))

const specs: HelpTable[] = await Promise.all(
  FILTERS.map(async (name) => withNames((await import(`../src/stages/${name}/options.ts`)).spec)),
)

let stale = 0

function put(path: string, text: string): void {
  const file = join(root, path)
  let before = ''
  try {
    before = readFileSync(file, 'utf8')
  } catch {}
  if (before === text) return
  if (check) {
    stale++
    process.stderr.write(`docs: ${path} is out of date: make docs\n`)
  } else writeFileSync(file, text)
}

const helps = specs
  .map((spec) => `## ${spec.name}\n\n\`\`\`text\n${helpText(spec, 80, true).trimEnd()}\n\`\`\`\n`)
  .join('\n')
put('docs/commands.md', `# The filters, as \`--help-all\` has them\n\n${helps}`)

mkdirSync(join(root, 'schema'), { recursive: true })
for (const [name, schema] of Object.entries(await schemas()))
  put(`schema/${name}.json`, `${JSON.stringify(schema, null, 1)}\n`)

/** Generated parts of Markdown files, by the name in their markers. */
const PARTS: Record<string, () => string> = {
  filters: () =>
    [
      '| filter | what it does | for example |',
      '| --- | --- | --- |',
      ...specs.map(
        ({ name, about, examples }) =>
          `| [\`${name}\`](docs/commands.md#${name}) | ${about} | \`${examples.find(({ command }) => !command.includes('\n'))!.command.replaceAll('|', '\\|')}\` |`,
      ),
    ].join('\n'),
  judges: () =>
    `\`\`\`text\n${execFileSync(join(root, 'bin/jb-render'), ['--list'], { encoding: 'utf8' }).trimEnd()}\n\`\`\``,
  rules: () =>
    members('verdicts')
      .map((name) => ruleText(name, readFileSync(join(root, `src/verdicts/${name}.ts`), 'utf8')))
      .join('\n'),
}

/** Runs a command as a reader would, in a folder that holds the fixtures. */
function output(command: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'jb-docs-'))
  try {
    cpSync(join(root, 'fixtures'), folder, { recursive: true })
    const PATH = `${resolve(root, 'bin')}:${process.env.PATH}`
    const env = { PATH, HOME: folder, XDG_CACHE_HOME: join(folder, '.cache'), COLUMNS: '80' }
    return execFileSync('bash', ['-o', 'pipefail', '-c', command], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trimEnd()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

for (const path of [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'commands.md')
    .sort()
    .map((file) => `docs/${file}`),
]) {
  let text = readFileSync(join(root, path), 'utf8')
  for (const [name, part] of Object.entries(PARTS)) {
    text = text.replace(
      new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`),
      (_, open: string, close: string) => `${open}${part()}\n${close}`,
    )
  }
  text = text.replace(
    /(```sh\n((?:(?!```)[\s\S])*?)```\n\n<!-- output -->\n```\w*\n)[\s\S]*?(```)/g,
    (_, before: string, command: string, close: string) => `${before}${output(command)}\n${close}`,
  )
  put(path, text)
}

process.exitCode = stale > 0 ? 1 : 0
