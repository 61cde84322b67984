/**
 * Runs test files in one process, as one bundle: compiling and loading each by itself would take longer than most of
 * them. `node --enable-source-maps --test-reporter=spec test/all.js FILE…`
 */
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { bundled } from '../scripts/bundle.js'

// Most of what tests run runs a few times: V8 optimizes it later (from Node 22 on there is no such flag), which saves a fifth of the time.
if (Number.parseInt(process.versions.v8, 10) <= 11) setFlagsFromString('--interrupt-budget=400000')

/**
 * node:test follows every promise and callback to the test that began it, only to know whose an error is that nobody
 * catches. Here it follows tests alone, which saves much of the time, and such an error ends the run.
 */
function followTestsAlone() {
  const hooks = process.getBuiltinModule('node:async_hooks')
  const { AsyncResource, createHook } = hooks
  /** @type {import('node:async_hooks').HookCallbacks['init']} */
  let begun
  hooks.createHook = ({ init }) => {
    begun = init
    return createHook({})
  }
  hooks.AsyncResource = class extends AsyncResource {
    /** @param {ConstructorParameters<typeof AsyncResource>} given */
    constructor(...given) {
      super(...given)
      if (given[0] === 'Test') begun?.(this.asyncId(), given[0], this.triggerAsyncId(), this)
    }
  }
  process.on('uncaughtException', (error) => {
    console.error('An error that no test caught:', error)
    process.exit(1)
  })
  return () => Object.assign(hooks, { AsyncResource, createHook })
}

const restore = followTestsAlone()
// It takes what it needs of them when it is loaded and when the first test is made.
const { test } = await import('node:test')

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
restore()
