import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Host, listen } from '../../src/run/host.ts'

test('a lost terminal, an interrupt, a request to end: the first stops the run, the second ends the process', () => {
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    const listeners = new Map<string, () => void>()
    const killed: string[] = []
    const stop = new AbortController()
    listen(
      {
        pid: 1,
        on: (name: string, listener: () => void) => listeners.set(name, listener),
        removeAllListeners: (name: string) => listeners.delete(name),
        kill: (_: number, name: string) => killed.push(name),
      } as unknown as Host,
      stop,
    )
    const listener = listeners.get(signal)
    listener?.()
    assert.equal(stop.signal.reason, signal)
    assert.deepEqual(killed, [])
    listener?.()
    assert.deepEqual([killed, listeners.has(signal)], [[signal], false])
  }
})
