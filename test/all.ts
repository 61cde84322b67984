/**
 * Runs the test files it is given in one process: `node --import tsx --test-reporter=spec test/all.ts FILE…`. What each
 * of them imports is compiled once, which is most of what a small test costs.
 */
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

async function load(files: string[]): Promise<void> {
  const urls = files.map((file) => pathToFileURL(file).href)
  const errors: unknown[] = []
  for (const url of urls) await import(url).catch((error) => errors.push(error))
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors)
}

const loaded = load(process.argv.slice(2))

// Tests wait for the first: while they run, the working folder may be another.
test('every test file is loaded', () => loaded)
