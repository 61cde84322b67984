/** What stands between: proxies, compression, time. */
import assert from 'node:assert/strict'
import { createServer, request as httpRequest } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { proxyTo } from '../../../src/stages/call/http/proxy.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { expect, fine } from '../../helpers/run.ts'
import { callOnce, inOrder, trials } from './rows.ts'
import { chatBody, chatServer, listening } from './server.ts'

test('an answer that comes compressed without being asked', async (t) => {
  const packed = gzipSync(JSON.stringify(chatBody('packed')))
  const server = await chatServer(t, () => ({ headers: { 'content-encoding': 'gzip' }, body: packed }))
  const ran = fine(await callOnce(server.url, ['-q'], trials(2)))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.text),
    ['packed', 'packed'],
  )
})

test('what is compressed: a status counts without its body, no more is unpacked than an answer may be long', async (t) => {
  const gzip = { 'content-encoding': 'gzip' }
  for (const body of ['', 'not packed']) {
    const refusing = await chatServer(t, () => ({ status: 401, headers: gzip, body }))
    expect(await callOnce(refusing.url, [], trials(5)), { code: 77, err: /needs a key \(HTTP 401\)/ })
    assert.equal(refusing.calls.length, 1)
  }
  const bomb = Buffer.concat(Array(65).fill(gzipSync(Buffer.alloc(1024 * 1024, 0x20))))
  const odd: [Record<string, string>, Buffer | string, RegExp][] = [
    [gzip, bomb, /bad_response: the answer is longer than 67108864 bytes/],
    [{ 'content-encoding': 'zstd' }, 'x', /the answer has the encoding "zstd", which was not requested/],
  ]
  for (const [headers, body, err] of odd) {
    const server = await chatServer(t, () => ({ headers, body }))
    expect(await callOnce(server.url, ['--max-error-rate', '1'], trials(1)), { err })
    assert.equal(server.calls.length, 1, 'nor is that tried again')
  }
})

test('a BOM before the JSON, and an error that is none, are no failures', async (t) => {
  const beside = (error: unknown) => JSON.stringify({ ...chatBody('good'), error })
  const bodies = [`\ufeff${JSON.stringify(chatBody('good'))}`, beside(false), beside(null), beside('')]
  const server = await chatServer(t, ({ n }) => ({ body: bodies[n] }))
  const ran = fine(await callOnce(server.url, ['-q', '-j', '1', '--retries', '0'], trials(bodies.length)))
  assert.deepEqual(
    rowsOf(ran).map(({ jb }) => jb.reply!.text),
    bodies.map(() => 'good'),
  )
})

test('--timeout may be as long as one likes', async (t) => {
  const server = await chatServer(t, () => ({ delay: 50 }))
  inOrder(fine(await callOnce(server.url, ['-q', '--timeout', '1e9'], trials(3))), 3)
})

test('a proxy is used where the environment names one, and not for NO_PROXY', async (t) => {
  const server = await chatServer(t)
  const through: string[] = []
  const proxy = createServer((incoming, response) => {
    // Plain forwarding: the whole URL stands in the request line.
    through.push(`${incoming.method} ${incoming.url}`)
    const onward = httpRequest(
      incoming.url!,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      },
    )
    incoming.pipe(onward)
  })
  proxy.on('connect', (incoming, socket) => {
    through.push(`CONNECT ${incoming.url}`)
    const [host, port] = incoming.url!.split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  const http_proxy = `http://127.0.0.1:${await listening(t, proxy)}`
  inOrder(fine(await callOnce(server.url, ['-q'], trials(3), { env: { http_proxy, no_proxy: '' } })), 3)
  assert.deepEqual(through, Array(3).fill(`POST ${server.url}/chat/completions`))
  const before = through.length
  inOrder(
    fine(
      await callOnce(server.url, ['-q'], trials(3), {
        env: { HTTP_PROXY: http_proxy, NO_PROXY: '127.0.0.1' },
      }),
    ),
    3,
  )
  assert.equal(through.length, before)
})

test('a proxy that is down, wants a password or is no URL is named', async (t) => {
  let asked = 0
  const refusing = createServer((incoming, response) => {
    asked++
    incoming.resume().on('end', () => response.writeHead(407).end('{"error":"who are you?"}'))
  })
  refusing.on('connect', (_, socket) => {
    asked++
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  })
  const port = await listening(t, refusing)
  const run = (base: string, proxy: string) =>
    callOnce(base, [], trials(3), {
      env: {
        ALL_PROXY: proxy,
        HTTP_PROXY: undefined,
        HTTPS_PROXY: undefined,
        NO_PROXY: undefined,
        http_proxy: '',
        https_proxy: '',
        all_proxy: '',
        no_proxy: '',
      },
    })
  for (const base of ['http://endpoint.invalid/v1', 'https://endpoint.invalid/v1']) {
    asked = 0
    expect(await run(base, `127.0.0.1:${port}`), {
      code: 69,
      err: new RegExp(
        `the proxy 127\\.0\\.0\\.1:${port} \\(ALL_PROXY\\) wants a user and password \\(HTTP 407\\)`,
      ),
    })
    assert.equal(asked, 1, 'it is not asked again')
    expect(await run(base, '127.0.0.1:1'), {
      code: 69,
      err: /endpoint\.invalid through the proxy 127\.0\.0\.1:1 \(ALL_PROXY\): connection refused/,
    })
    for (const wrong of ['no url', 'ftp://user:secret@proxy', 'http://user:secret@host:99999'])
      expect(await run(base, wrong), {
        code: 78,
        err: /^jb-call: ALL_PROXY: "[^"]*" is not the URL of a proxy/,
      })
  }
})

test('NO_PROXY: hosts, what is below them, ports, and all', () => {
  const direct = (url: string, NO_PROXY: string) =>
    proxyTo(new URL(url), { http_proxy: 'proxy:3128', NO_PROXY }) === undefined
  for (const list of ['*', 'a.example', '.example', 'x, a.example:8000', '*.example b'])
    assert.ok(direct('http://A.example:8000/v1', list), list)
  for (const list of ['', 'b.example', 'a.example:80', 'aa.example', 'le'])
    assert.ok(!direct('http://a.example:8000/v1', list), list)
  for (const list of ['[::1]', '::1', 'fd00::/8 ::/64']) assert.ok(direct('http://[::1]:8000/v1', list), list)
  for (const list of ['10.0.0.0/8', '10.1.2.3/32', '0.0.0.0/0', '10.1.2.3'])
    assert.ok(direct('http://10.1.2.3/v1', list), list)
  for (const list of ['11.0.0.0/8', '10.1.2.2/32', '10.0.0.0/99', 'fd00::/8', '10.0.0.0'])
    assert.ok(!direct('http://10.1.2.3/v1', list), list)
  assert.ok(direct('https://a.example/v1', 'a.example:443'))
  assert.equal(proxyTo(new URL('https://a/v1'), { http_proxy: 'one:1' }), undefined, 'that is for http://')
  assert.equal(
    proxyTo(new URL('https://a/v1'), { HTTP_PROXY: 'one:1', HTTPS_PROXY: 'http://two:2' })!.label,
    'the proxy two:2 (HTTPS_PROXY)',
  )
})

test('HTTP 201 and an unasked 100 Continue are as good as any answer', async (t) => {
  const body = JSON.stringify(chatBody('created'))
  const created = await chatServer(t, () => ({ status: 201, body }))
  assert.equal(rowsOf(fine(await callOnce(created.url, ['-q'], trials(1))))[0]!.jb.reply!.text, 'created')
  const raw = createTcpServer((socket) => {
    socket.on('data', () => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
    socket.on('error', () => {})
  })
  const url = `http://127.0.0.1:${await listening(t, raw)}`
  const ran = await callOnce(url, ['-q', '-j', '2', '--retries', '0'], trials(6))
  assert.deepEqual(
    rowsOf(fine(ran)).map(({ jb }) => jb.reply!.text),
    Array.from({ length: 6 }, () => 'created'),
  )
})

test('an answer nested 20,000 levels deep is a failure of its row', async (t) => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  const around = (more: string) =>
    `{"choices":[{"message":{"content":"[[A>B]]"},"finish_reason":"stop"${more}`
  const bodies = [
    around(`,"logprobs":${deep}}]}`),
    around(`}],"usage":{"prompt_tokens":1,"completion_tokens":1,"x":${deep}}}`),
    around(`}],"usage":${deep}}`),
    `{"choices":[{"message":{"content":${deep}}}]}`,
    `{"error":${deep}}`,
    `{"choices":${deep}}`,
    deep,
    around('}]}'),
  ]
  const server = await chatServer(t, ({ n }) => ({ status: n === 6 ? 400 : 200, body: bodies[n] }))
  const rest = ['-q', '-j', '1', '--retries', '0', '--max-error-rate', '1']
  const ran = await callOnce(server.url, rest, trials(bodies.length))
  expect(ran, { code: 0 })
  const rows = rowsOf(ran)
  assert.equal(rows.length, bodies.length)
  assert.equal(rows.at(-1)!.jb.reply!.text, '[[A>B]]')
  for (const { jb } of rows.slice(0, 2)) assert.equal(jb.error?.code, 'bad_response')
})

test('controls and marks of direction in a server’s words are shown', async (t) => {
  const message = 'no \u202emodel\u202c \u0007here\u200b'
  const server = await chatServer(t, () => ({ status: 400, body: { error: { message } } }))
  const ran = await callOnce(server.url, ['--max-error-rate', '1'], trials(1))
  assert.equal(rowsOf(ran)[0]!.jb.error!.message, 'HTTP 400: no \\u202emodel\\u202c \\u0007here\\u200b')
})
