/**
 * Runs test files in one process, as one bundle: compiling and loading each by itself would take longer than most of
 * them. `node --enable-source-maps --test-reporter=spec test/all.js FILE…`
 */
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bundled } from '../scripts/bundle.js'

/** @param {string[]} files */
async function load(files) {
  if (files.length === 0) throw new Error('no test file has that word in its path')
  /** @type {unknown[]} */
  const errors = []
  for (const one of await bundled(fileURLToPath(new URL('..', import.meta.url)), files))
    await one().catch((error) => errors.push(error))
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors)
}

const loaded = load(process.argv.slice(2))

// Tests wait for the first: while they run, the working folder may be another.
test('every test file is loaded', () => loaded)
