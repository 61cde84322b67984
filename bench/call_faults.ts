/**
 * jb-call at -j 1024 against a real server that fails 6.5 % of its calls in four ways (answers take 200 ms), in order
 * and not; and what a single 429 with Retry-After: 1 costs. `node --import tsx bench/call_faults.ts [ROWS]`.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { dataFile, measure, random } from './_bench.ts'

const BODY =
  '{"choices":[{"message":{"content":"[[A>B]]"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'

/** `faults`: as the title says; `once`: the 20th call is refused. */
function serve(kind: string): void {
  const draw = random(5)
  let calls = 0
  const server = createServer((request, response) => {
    request.resume()
    const share = kind === 'faults' ? draw() : ++calls === 20 ? 0 : 1
    if (share < 0.02) return response.writeHead(429, { 'retry-after': '1' }).end('{}')
    if (share < 0.03) return response.writeHead(503).end('{}')
    if (share < 0.05) return response.writeHead(500).end('{}')
    if (share < 0.065) return request.socket.destroy()
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(BODY), 200)
  })
  server.listen(0, '127.0.0.1', 4096, () => process.send!((server.address() as { port: number }).port))
}

async function timed(kind: string, rows: string, options: string): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), [kind])
  const port = await new Promise((resolve) => child.once('message', resolve))
  try {
    const { seconds } = await measure(
      `bin/jb-call -q --no-cache -m m --base-url http://127.0.0.1:${port}/v1 ${options} ${rows} > /dev/null`,
    )
    return seconds
  } finally {
    child.kill()
  }
}

const [first = '100000'] = process.argv.slice(2)
if (process.send) serve(first)
else {
  const trials = (count: number) =>
    dataFile(`faults-${count}.ndjson`, function* () {
      for (let i = 0; i < count; i++)
        yield JSON.stringify({
          id: i,
          jb: {
            judge: 'arena_hard',
            item: `${i}`,
            trial: { n: 0, of: 1 },
            request: { messages: [{ role: 'user', content: `${i}` }] },
          },
        })
    })
  const few = await trials(40)
  const refused = await timed('once', few, '-j 1')
  console.log(
    `40 calls one after another, one refused with Retry-After: 1: ${refused.toFixed(1)} s, ideal ${(40 * 0.2 + 1).toFixed(1)} s`,
  )
  const many = await trials(Number(first))
  for (const order of ['--unordered', '']) {
    const seconds = await timed('faults', many, `-j 1024 ${order}`)
    console.log(`${first} rows, 6.5 % mixed faults, -j 1024, ${order || 'in order'}: ${seconds.toFixed(1)} s`)
  }
}
