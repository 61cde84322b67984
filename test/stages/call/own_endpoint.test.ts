/** The URL in a judge's own file: what is secret in it stands in nothing that is written. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { simple } from '../../formats/_lm-eval.ts'
import { folder } from '../../helpers/folder.ts'
import { rowsOf } from '../../helpers/rows.ts'
import { jb } from '../../helpers/run.ts'
import { filesIn } from './keys.ts'
import { chatBody, chatServer } from './server.ts'

const SECRET = 'sk-proj-abcdef0123456789abcd'

/** Writes the task with this URL, renders a row, and calls with these options. @returns all that was written */
async function written(t: Parameters<typeof folder>[0], url: string, ...options: string[][]) {
  const judge = `${folder(t, { 'task.yaml': simple.replace(/^( *)prompt_template/m, `$1api_base: "${url}"\n$&`) })}/task.yaml`
  const place = folder(t)
  const env = { XDG_CACHE_HOME: place, JB_JUDGE: judge }
  const rendered = await jb('render', [judge], { stdin: '{"prediction":"p"}\n', env })
  const texts = [rendered.stdout, rendered.stderr]
  const replies: string[] = []
  for (const args of options) {
    const ran = await jb('call', [...args, '--retries', '0', '--max-error-rate', '1', '-v', '--debug'], {
      stdin: rendered.stdout,
      env,
    })
    texts.push(ran.stdout, ran.stderr)
    if (args[0] === '--record') replies.push(rowsOf(ran)[0]?.jb.reply?.text ?? '')
  }
  const files = filesIn(place).filter((path) => !path.includes('/jb/code/'))
  return { text: [...texts, ...files.map((path) => path + readFileSync(path, 'utf8'))].join('\n'), replies }
}

test('a password, a user or a key in api_base: not in rows, messages, cache and recording', async (t) => {
  const server = await chatServer(t, ({ path, headers }) => {
    const said = `you sent ${path} ${headers.authorization} ${SECRET}`
    return path.includes('/bad/')
      ? { status: 400, body: { error: { message: said } } }
      : { body: chatBody(`${said} Score: 4`) }
  })
  const { host } = new URL(server.url)
  const runs = (place: string) => [['-n'], ['--record', `${place}/record`], ['--replay', `${place}/record`]]
  for (const url of [
    `http://user:${SECRET}@${host}/v1`,
    `http://${SECRET}@${host}/v1`,
    `http://${host}/v1?key=${SECRET}`,
    `http://${host}/v1/${SECRET}`,
    `http://${host}/bad/${SECRET}`,
  ]) {
    const place = folder(t)
    const before = server.calls.length
    const { text, replies } = await written(t, url, ...runs(place))
    assert.equal(server.calls.length - before, 1, text)
    const kept = filesIn(place).map((path) => readFileSync(path, 'utf8'))
    for (const one of [text, ...kept]) assert.ok(!one.includes(SECRET), `${url}: ${one}`)
    if (!url.includes('bad')) assert.match(replies[0]!, /^you sent \/v1.* \[key\] Score: 4$/, url)
  }
  for (const url of [`x:${SECRET}`, `ftp://${host}/${SECRET}`, SECRET]) {
    const { text } = await written(t, url, ['-n'], [])
    assert.match(text, /api_base: /)
    assert.ok(!text.includes(SECRET), text)
  }
})
