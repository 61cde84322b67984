/** Threads of this process: how one is started, and what it does then; the main one does the same beside them. */
import { fileURLToPath } from 'node:url'
import type { FilterSpec } from '../../options/option.ts'
import type { Stage } from '../../rows/stage.ts'
import type { ThreadAnswer, ThreadSetup, WorkerPort } from './protocol.ts'
import { work } from './work.ts'

/** Megabytes up to which the young generation of its heap may grow: with three times as many it is no faster. */
const YOUNG = 8

/** Starts one, with the same bundle and the code that V8 has kept of it. */
export function hireThread(filter: string, setting: ThreadSetup): WorkerPort {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const launch = fileURLToPath(new URL('./launch.cjs', import.meta.url))
  const code = `require(${JSON.stringify(launch)}).launch(${JSON.stringify(filter)}, 'work')`
  const worker = new Worker(code, {
    eval: true,
    workerData: setting,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  })
  // It ends as well.
  worker.on('error', () => {})
  return {
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    on: (event: string, listener: (answer: ThreadAnswer) => void) => worker.on(event, listener),
    end() {
      // One that does not end keeps no process alive.
      worker.unref()
      void worker.terminate()
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the options' type is the stage's own affair
type Load = () => Promise<Stage<any>>

/** The main thread as one of them: else it would have nothing to do but write what others make. */
export function mainThread(spec: FilterSpec, load: Load, setting: ThreadSetup): WorkerPort {
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

export function thread(spec: FilterSpec, load: Load): Promise<void> {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  return work(spec, load, workerData, parentPort!)
}
