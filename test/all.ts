/**
 * Runs the test files it is given in one process: `node --import tsx --test-reporter=spec test/all.ts FILE…`. What each
 * of them imports is compiled once, which is most of what a small test costs.
 */
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    test(file, () => {
      throw error
    })
  }
}
