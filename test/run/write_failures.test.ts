/** Each write, open and rename of a small run fails in its turn: never as a bug, and the next run mends it. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { folder } from '../helpers/folder.ts'
import { jb, type Ran, shown } from '../helpers/run.ts'
import { privateEnv, trials } from '../stages/call/rows.ts'
import { chatServer } from '../stages/call/server.ts'

const { O_WRONLY, O_RDWR } = fs.constants
const writes = (flags: unknown) =>
  typeof flags === 'number' ? (flags & (O_WRONLY | O_RDWR)) !== 0 : /[wa+]/.test(String(flags ?? 'r'))

/** Runs with the k-th call of these functions, of those that write, failing. @returns whether there was one */
async function failing(k: number, path: string, run: () => Promise<Ran>): Promise<[Ran, boolean]> {
  let count = 0
  const names = [
    'open',
    'openSync',
    'write',
    'writeSync',
    'writev',
    'rename',
    'renameSync',
    'fsync',
    'mkdirSync',
  ] as const
  // biome-ignore lint/suspicious/noExplicitAny: functions of every shape
  const all = fs as any
  const originals = names.map((name) => [name, all[name]] as const)
  for (const [name, original] of originals)
    all[name] = (...args: unknown[]) => {
      const ours = typeof args[0] === 'number' ? args[0] > 2 : String(args[0]).startsWith(path)
      if (!ours || (name.startsWith('open') && !writes(args[1])) || ++count !== k)
        return original.apply(fs, args)
      const error = Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), {
        code: 'ENOSPC',
        syscall: name.replace('Sync', ''),
      })
      if (name.endsWith('Sync')) throw error
      return process.nextTick(args.at(-1) as (error: Error) => void, error)
    }
  syncBuiltinESMExports()
  try {
    return [await run(), count >= k]
  } finally {
    Object.assign(fs, Object.fromEntries(originals))
    syncBuiltinESMExports()
  }
}

const withoutTimes = (text: string) => text.replace(/"ms":\d+/g, '"ms":0')

test('jb-call with a cache and a recording, and reports with -o', async (t) => {
  const server = await chatServer(t)
  const stdin = trials(2)
  const commands: [string, (place: string) => string[]][] = [
    [
      'call',
      (place) => [
        '-m',
        'm',
        '--base-url',
        server.url,
        '-q',
        '--cache',
        `${place}/cache`,
        '--record',
        `${place}/record`,
      ],
    ],
    ['aggregate', (place) => ['-o', `${place}/out.json`]],
    ['view', (place) => ['-o', `${place}/out.html`]],
  ]
  const env = privateEnv(t)
  const replies = (
    await jb('call', ['-m', 'm', '--base-url', server.url, '-q', '--no-cache'], { stdin, env })
  ).stdout
  const verdicts = (await jb('parse', [], { stdin: replies })).stdout
  for (const [filter, args] of commands) {
    const input = filter === 'call' ? stdin : verdicts
    const whole = folder(t)
    const wanted = await jb(filter, args(whole), { stdin: input, env })
    let k = 1
    for (let more = true; more; k++) {
      assert.ok(k < 40, filter)
      const place = folder(t)
      const [ran, failed] = await failing(k, place, () => jb(filter, args(place), { stdin: input, env }))
      more = failed
      assert.ok([0, 74].includes(ran.code!), `${filter}, write ${k}: ${shown(ran)}`)
      const [out] = fs.readdirSync(place).filter((name) => name.startsWith('out') && !name.endsWith('.part'))
      if (out)
        assert.equal(
          fs.readFileSync(`${place}/${out}`, 'utf8'),
          fs.readFileSync(`${whole}/${out}`, 'utf8'),
          `${filter}, write ${k}: half a file`,
        )
      const again = await jb(filter, args(place), { stdin: input, env })
      assert.equal(again.code, wanted.code, `${filter}, write ${k}, the run after it: ${shown(again)}`)
      assert.equal(withoutTimes(again.stdout), withoutTimes(wanted.stdout))
    }
    assert.ok(k > 3, `${filter}: nothing failed`)
  }
})
