/**
 * Runs test files in one process, as one bundle: compiling and loading each by itself would take longer than most of
 * them. `node --enable-source-maps --test-reporter=spec test/all.js FILE…`
 */
import hooks from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import fc from 'fast-check'
import { bundled } from '../scripts/bundle.js'

// Most of what tests run runs a few times: V8 optimizes it later (from Node 22 on there is no such flag), which saves a fifth of the time.
if (Number.parseInt(process.versions.v8, 10) <= 11) setFlagsFromString('--interrupt-budget=400000')

// A run says the same twice; `make test SEED=7 RUNS=10` tries properties on other values and ten times as many.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) })

/** @type {hooks.AsyncHook[]} */
const following = []
const { createHook } = hooks
hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  following.push(hook)
  return hook
}
const { test } = await import('node:test')
hooks.createHook = createHook

/** @param {string[]} files */
async function load(files) {
  if (files.length === 0) throw new Error('no test file has that word in its path')
  /** @type {unknown[]} */
  const errors = []
  for (const one of await bundled(fileURLToPath(new URL('..', import.meta.url)), files))
    await one().catch((error) => errors.push(error))
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors)
  if (files.length <= MANY) return
  // node:test follows each promise, to know whose an error is that nobody catches: that takes a tenth of the time.
  // Without it such an error still fails the run, and CASE=word says in which test.
  for (const hook of following) hook.disable()
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, console.error)
}

/** Test files that one looks for an error in. */
const MANY = 50
const loaded = load(process.argv.slice(2))

// Tests wait for the first: while they run, the working folder may be another.
test('every test file is loaded', () => loaded)
