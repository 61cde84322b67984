/** Threads that are none: in this process, through real message ports, so that many small runs cost little. */
import { MessageChannel } from 'node:worker_threads'
import type { Host } from '../../src/run/host.ts'
import type { ThreadAnswer, WorkerPort } from '../../src/run/threads/protocol.ts'
import { work } from '../../src/run/threads/work.ts'

/**
 * @param dies after so many orders a thread is gone
 * @param own on what their number depends where `--threads` does not say
 */
export function threadsHere(
  range: number,
  dies = Number.POSITIVE_INFINITY,
  own: { rowsAThread?: number; cores?: number } = {},
): NonNullable<Host['threads']> {
  return {
    ...own,
    range,
    hire(filter, setting) {
      const { port1, port2 } = new MessageChannel()
      const name = filter.slice('jb-'.length)
      const load = async () => (await import(`../../src/stages/${name}/${name}.ts`))[name]
      const specOf = () => import(`../../src/stages/${name}/options.ts`)
      void specOf().then(({ spec }) => work(spec, load, structuredClone(setting), port2))
      let orders = 0
      let gone = () => {}
      return {
        postMessage(order, transfer) {
          if (orders++ < dies) port1.postMessage(order, transfer)
          else {
            port1.close()
            setImmediate(gone)
          }
        },
        on(event: string, listener: (answer: ThreadAnswer) => void) {
          if (event === 'exit') gone = () => listener('stuck')
          else port1.on(event, listener)
        },
        end: () => port1.close(),
      } satisfies WorkerPort
    },
  }
}
