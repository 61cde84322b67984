// Builds dist/: a CommonJS bundle a binary (the fastest to start), the packages they use beside them, the library as one
// ESM bundle over the same packages with its types, judges and criteria as JSON. `node build.js parse score` builds those two
// binaries alone.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, posix } from 'node:path'
import * as esbuild from 'esbuild'
import { bundled as bundledSource } from './scripts/bundle.js'

const { bin, version } = JSON.parse(readFileSync('package.json', 'utf8'))
const named = process.argv.slice(2)
const filters = named.length > 0 ? named : readdirSync('src/stages')

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'warning',
  // Names stay, for messages of errors; lines end, for Node prints the one of an error.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  // In CommonJS a dynamic import is a require that waits for its turn.
  supported: { 'dynamic-import': false },
  banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
}

/** Beside dist/, whose place its files take when all are made: what runs meanwhile finds whole files that fit together. */
const OUT = `dist.${process.pid}`
process.on('exit', () => rmSync(OUT, { recursive: true, force: true }))

function place(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}

/** Puts all files in their places. What commands start from comes last, when there is all that it needs. */
function takePlaces() {
  const files = readdirSync(OUT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => posix.join(parentPath, name))
  const starts = (path) => dirname(path) === OUT && !path.endsWith('/native_import.cjs')
  for (const path of [...files.filter((one) => !starts(one)), ...files.filter(starts)]) {
    const target = path.replace(OUT, 'dist')
    mkdirSync(dirname(target), { recursive: true })
    renameSync(path, target)
  }
}

/** Folders of packages whose code is in a bundle. */
const bundled = new Set()

async function build(options) {
  const { outputFiles, metafile } = await esbuild.build({ ...options, write: false, metafile: true })
  for (const input of Object.keys(metafile.inputs)) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []
    if (folder) bundled.add(folder)
  }
  for (const { path, text } of outputFiles) place(path, ascii(text))
}

/** V8 takes a character a byte, which halves what it reads at each start. esbuild escapes what stands in strings:
 * what is left stands in comments and regular expressions, which read the escape as well. */
const ascii = (text) =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What members() can't read out of a bundle. */
const members = Object.fromEntries(
  readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [
      name,
      readdirSync(`src/${name}`)
        .filter((file) => /^[^_].*\.ts$/.test(file) && !file.endsWith('.d.ts'))
        .map((file) => file.replace(/\.ts$/, ''))
        .sort(),
    ]),
)

const BUILT = {
  'process.env.JB_BUILD_VERSION': JSON.stringify(version),
  'process.env.JB_BUILD_MEMBERS': JSON.stringify(JSON.stringify(members)),
}

/** Packages stand beside the bundles, a file each: what a run does not need is never read. */
const packages = new Set()
const fileOf = (name) => `${name.replace(/\.js$/, '').replaceAll(/[^\w.-]/g, '_')}.cjs`
const apart = {
  name: 'apart',
  setup(context) {
    context.onResolve({ filter: /\/native_import\.ts$/ }, () => ({
      path: './native_import.cjs',
      external: true,
    }))
    context.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || !standsApart(path)) return undefined
      packages.add(path)
      return { path: `./vendor/${fileOf(path)}`, external: true }
    })
  },
}

/** The table of widths is small. */
const standsApart = (path) => !isBuiltin(path) && path !== 'get-east-asian-width'

/** The same packages for the library: ESM reads them by a module that requires them, for it cannot see what they export. */
const required = {
  name: 'required',
  setup(context) {
    context.onResolve({ filter: /^[^./]/, namespace: 'file' }, ({ path, kind }) => {
      if (kind === 'entry-point' || !standsApart(path)) return undefined
      packages.add(path)
      return { path, namespace: 'required' }
    })
    context.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('./vendor/${fileOf(path)}')`,
    }))
    context.onResolve({ filter: /^\.\/vendor\//, namespace: 'required' }, ({ path }) => ({
      path,
      external: true,
    }))
  },
}

/** Of yargs only the parser is used: what its help and its languages need would cost as much at start as all the rest. */
const parserOnly = {
  name: 'parser-only',
  setup(context) {
    context.onResolve({ filter: /platform-shims\/esm\.mjs$/ }, () => ({ path: 'shim', namespace: 'stub' }))
    context.onLoad({ filter: /.*/, namespace: 'stub' }, () => ({ contents: 'export default {}' }))
  },
}

/** Of undici only what sends requests: fetch, web sockets, mocks and caches would take half of its time at start. */
const requestsOnly = {
  name: 'requests-only',
  setup(context) {
    context.onResolve({ filter: /^\.\/lib\/(web|mock|cache)\// }, ({ importer, path }) =>
      /undici[\\/]index\.js$/.test(importer) ? { path, namespace: 'none' } : undefined,
    )
    context.onLoad({ filter: /.*/, namespace: 'none' }, () => ({
      contents: 'module.exports = new Proxy({}, { get: () => class {} })',
    }))
  },
}

if (filters.includes('workflow'))
  for (const name of readdirSync('src/stages/workflow/python').filter((file) => file.endsWith('.py')))
    place(`${OUT}/python/${name}`, readFileSync(`src/stages/workflow/python/${name}`, 'utf8'))

const built = await Promise.allSettled(
  filters.map((name) =>
    build({
      ...common,
      stdin: {
        contents: `import { withNames } from './src/options/option.ts'
import { run } from './src/run/filter.ts'
import { spec } from './src/stages/${name}/options.ts'
const load = () => import('./src/stages/${name}/${name}.ts').then((stage) => stage.${name})
export const start = () => run(spec, load)
export const table = () => withNames(spec)`,
        resolveDir: '.',
        loader: 'ts',
      },
      outfile: `${OUT}/jb-${name}.cjs`,
      plugins: [apart],
      define: { 'import.meta.url': '__url', ...BUILT },
    }),
  ),
)

if (named.length === 0)
  await build({
    ...common,
    entryPoints: ['src/index.ts'],
    outfile: `${OUT}/index.js`,
    format: 'esm',
    supported: {},
    plugins: [required],
    define: BUILT,
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })

await build({ ...common, entryPoints: ['src/run/launch.ts'], outfile: `${OUT}/launch.cjs` })

await build({
  ...common,
  entryPoints: ['src/run/doctor.ts'],
  outfile: `${OUT}/doctor.cjs`,
  plugins: [apart],
  define: { 'import.meta.url': '__url', ...BUILT },
})

// Help is printed without the filter: from its table, with the names of what stands in the open sets.
await build({
  ...common,
  entryPoints: ['src/run/answer.ts'],
  outfile: `${OUT}/answer.cjs`,
  define: {
    'import.meta.url': '__url',
    'process.env.JB_BUILD_VERSION': JSON.stringify(version),
  },
})

await build({
  ...common,
  entryPoints: ['src/files/native_import.ts'],
  outfile: `${OUT}/native_import.cjs`,
  supported: { 'dynamic-import': true },
})

await Promise.all(
  [...packages].map((name) =>
    build({
      ...common,
      entryPoints: [name],
      outfile: `${OUT}/vendor/${fileOf(name)}`,
      plugins: [parserOnly, requestsOnly],
      define: { 'import.meta.url': '__url' },
      // What imports it takes module.exports for the default export, as Node does.
      footer: {
        js: 'if (module.exports.__esModule && module.exports.default && module.exports.default !== module.exports) module.exports = Object.assign(module.exports.default, module.exports)',
      },
    }),
  ),
)

// What jb-view's page runs in a browser: a script and a style that it takes into each page.
if (filters.includes('view')) {
  const { outputFiles } = await esbuild.build({
    entryPoints: { page: 'src/stages/view/page/main.ts', style: 'src/stages/view/page/style.css' },
    bundle: true,
    format: 'iife',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    minify: true,
    charset: 'ascii',
    legalComments: 'none',
    outdir: `${OUT}/view`,
    write: false,
    logLevel: 'warning',
  })
  for (const { path, text } of outputFiles)
    place(`${OUT}/view/${path.endsWith('.css') ? 'page.css' : 'page.js'}`, text)
}

// Judges, criteria and prices are read as JSON, which costs no YAML parser; the YAML stands beside it for --show.
const { parse } = await import('yaml')
for (const folder of ['judges', 'criteria', 'providers']) {
  for (const file of readdirSync(`src/${folder}`)) {
    if (!file.endsWith('.yaml')) continue
    const text = readFileSync(`src/${folder}/${file}`, 'utf8')
    place(`${OUT}/${folder}/${file.replace('.yaml', '.json')}`, JSON.stringify(parse(text)))
    place(`${OUT}/${folder}/${file}`, text)
  }
}

// Formats are packages in part, which are there by now.
for (const [i, name] of filters.entries()) {
  if (built[i].status === 'rejected') continue
  const table = await createRequire(import.meta.url)(`./${OUT}/jb-${name}.cjs`).table()
  place(`${OUT}/help/jb-${name}.json`, JSON.stringify(table))
}

/** The licences of the packages that are bundled, as they say them. @throws where one has none */
function licences() {
  const parts = [...bundled].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
    if (!license) throw new Error(`${folder}: no licence`)
    return `## ${name} ${version}: ${license}\n\n${texts.map((text) => `\`\`\`text\n${text}\n\`\`\`\n`).join('\n')}`
  })
  return `# Packages whose code is in these files, and their licences\n\n${parts.join('\n')}`
}

if (named.length === 0) {
  place(`${OUT}/THIRD-PARTY.md`, licences())
  const scripts = ['completion', 'man'].map((name) => `${process.cwd()}/scripts/${name}.ts`)
  const [completion, man] = await bundledSource(process.cwd(), scripts)
  for (const [shell, text] of Object.entries(await (await completion()).completions(filters)))
    place(`${OUT}/completion/jb.${shell}`, text)
  const ordered = Object.keys(bin).flatMap((name) =>
    name === 'jb-filters' ? [] : [name.slice('jb-'.length)],
  )
  for (const [file, text] of Object.entries(await (await man()).manPages(ordered, version)))
    place(`${OUT}/man/${file}`, text)
}
/** The declarations that those of the library import, and no others; `.js`, which every release of TypeScript resolves. */
function declarations() {
  const made = 'node_modules/.cache/types'
  // Types are checked by `make check`. Collecting garbage would take tsc, which is Go, a quarter of its time.
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.lib.json', '--noCheck', '--outDir', made], {
    stdio: 'inherit',
    env: { ...process.env, GOGC: 'off' },
  })
  const wanted = new Set(['index'])
  for (const name of wanted) {
    const text = readFileSync(`${made}/${name}.d.ts`, 'utf8').replaceAll(
      /(["'])(\.[^"'\n]*)\.ts\1/g,
      (_, quote, path) => {
        wanted.add(posix.join(dirname(name), path))
        return `${quote}${path}.js${quote}`
      },
    )
    place(`${OUT}/types/${name}.d.ts`, text)
  }
  rmSync(made, { recursive: true })
}

if (named.length === 0) declarations()
takePlaces()
for (const name of filters) chmodSync(`bin/jb-${name}`, 0o755)

// One broken filter leaves the others built.
if (built.some(({ status }) => status === 'rejected')) process.exitCode = 1
