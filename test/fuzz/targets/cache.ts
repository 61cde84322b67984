/** A file of kept replies: as the cache, and as what is replayed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { filter, type Target } from '../_target.ts'

const ROWS = [1, 2]
  .map((n) =>
    JSON.stringify({
      id: n,
      jb: {
        judge: 'arena_hard',
        item: String(n),
        trial: { n: 0, of: 1, order: 'AB' },
        request: { messages: [{ role: 'user', content: `q${n}` }] },
      },
    }),
  )
  .join('\n')
const ANSWER = JSON.stringify({
  model: 'm',
  choices: [{ message: { content: '[[A>B]]' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
})
/** Nobody listens there. */
const BASE = 'http://127.0.0.1:1/v1'

export const target: Target = {
  words: [
    '{"key":"',
    '"model":',
    '"endpoint":',
    '"reply":{',
    '"sum":"',
    '"text":',
    '"usage":',
    '\n',
    '}',
    'null',
    '[',
    '0',
  ],
  async seeds(folder) {
    const server = createServer((_, response) => response.end(ANSWER))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const path = `${folder}/seed.ndjson`
    await filter('call', ['-m', 'm', '--base-url', `http://127.0.0.1:${port}/v1`, '--cache', path], {
      stdin: ROWS,
    })
    server.closeAllConnections()
    server.close()
    return [readFileSync(path, 'utf8').replaceAll(`http://127.0.0.1:${port}/v1`, BASE), readFileSync(path)]
  },
  async run(input, folder) {
    const path = `${folder}/cache.ndjson`
    writeFileSync(path, input)
    const model = ['-m', 'm', '--base-url', BASE, '--refused-for', '0', '--max-error-rate', '1']
    return [
      await filter('call', [...model, '--cache', path], { stdin: ROWS }),
      await filter('call', [...model, '--replay', path, '--no-cache'], { stdin: ROWS }),
    ]
  },
}
