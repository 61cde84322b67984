/** Many TypeScript files compiled at once, which costs a tenth of compiling and loading each by itself. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as esbuild from 'esbuild'

/**
 * Data files are found beside the source that names them, not beside the bundle.
 * @type {esbuild.Plugin}
 */
const ownUrl = {
  name: 'own-url',
  setup(context) {
    context.onLoad({ filter: /[\\/](src|test|scripts)[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      return { contents: `const __url = ${JSON.stringify(pathToFileURL(path).href)}; ${text}`, loader: 'ts' }
    })
  },
}

/**
 * Compiles files and all that they import, with packages left as they are, and gives a function for each that loads it.
 * @param {string} root where node_modules is, and the files' common folder
 * @param {readonly string[]} files the bundle has the name of the first
 * @returns {Promise<(() => Promise<unknown>)[]>}
 */
export async function bundled(root, files) {
  const outfile = `${root}/node_modules/.cache/${basename(files[0] ?? 'none')}-${randomUUID()}.mjs`
  const imports = files.map((file) => `() => import(${JSON.stringify(`./${relative(root, file)}`)})`)
  await esbuild.build({
    stdin: { contents: `export default [${imports.join(', ')}]`, resolveDir: root, loader: 'ts' },
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external' },
    ...{ outfile, plugins: [ownUrl], logLevel: 'warning', sourcemap: 'inline', sourcesContent: false },
    ...{ tsconfigRaw: '{}', define: { 'import.meta.url': '__url' } },
  })
  await esbuild.stop()
  try {
    return (await import(pathToFileURL(outfile).href)).default
  } finally {
    await rm(outfile)
  }
}
