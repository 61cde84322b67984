/** Starts threads, and lets the main thread process ranges as well. */
import { fileURLToPath } from 'node:url'
import type { FilterSpec } from '../../options/option.ts'
import type { LoadStage } from '../../rows/stage.ts'
import type { ThreadAnswer, ThreadSetup, WorkerPort } from './protocol.ts'
import { work } from './work.ts'

/** Limit of a thread's young generation in megabytes: three times as much makes it no faster. */
const YOUNG = 8

/** Starts a thread with the filter's bundle and its code cache. */
export function hireThread(filter: string, setting: ThreadSetup): WorkerPort {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const launch = fileURLToPath(new URL('./launch.cjs', import.meta.url))
  const code = `require(${JSON.stringify(launch)}).launch(${JSON.stringify(filter)}, 'work')`
  const worker = new Worker(code, {
    eval: true,
    workerData: setting,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  })
  // An error is followed by `exit`, which is handled.
  worker.on('error', () => {})
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    on: (event: string, listener: (answer: ThreadAnswer) => void) => worker.on(event, listener),
    end() {
      // A thread that does not end must not keep the process alive.
      worker.unref()
      void worker.terminate()
    },
  }
}

/** A port to the main thread, which processes ranges too: writing the others' output leaves it idle. */
export function mainThread(spec: FilterSpec, load: LoadStage, setting: ThreadSetup): WorkerPort {
  const { port1, port2 } = new MessageChannel()
  const stop = new AbortController()
  void work(spec, load, structuredClone(setting), port2, stop.signal)
  return {
    postMessage: (message, transfer) => port1.postMessage(message, transfer),
    on: (event: string, listener: (answer: ThreadAnswer) => void) => port1.on(event, listener),
    end() {
      stop.abort()
      port1.close()
    },
  }
}

export function thread(spec: FilterSpec, load: LoadStage): Promise<void> {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  return work(spec, load, workerData, parentPort!)
}
