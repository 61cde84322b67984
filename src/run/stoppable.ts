/** Input that ends when the run is to stop. */
import type { Source } from '../rows/reader.ts'
import { STOPPED } from './failures.ts'

/** Its stream fails when the run is to stop, so that its reader ends too, also while no input comes. */
export function stoppable(source: Source, signal: AbortSignal): Source {
  const open = () => {
    const stream = source.open()
    const end = () => stream.destroy(Object.assign(new Error('stopped'), { code: STOPPED }))
    signal.addEventListener('abort', end)
    stream.once('close', () => signal.removeEventListener('abort', end))
    return stream
  }
  return { ...source, open }
}
