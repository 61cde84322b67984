/** Runs the user's Python, for data that only a Python package can read. */
import { spawn } from 'node:child_process'
import { lineSplitter } from '../files/text.ts'
import type { Option } from '../options/option.ts'
import { EXIT, Fatal } from '../rows/record.ts'

export const PYTHON_OPTION = {
  name: 'python',
  type: 'string',
  value: 'PYTHON',
  default: 'python3',
  about: 'the Python interpreter that reads the data',
} as const satisfies Option

/**
 * The lines that a script writes to `out`; what packages print goes to stderr.
 * @param script if it fails, the last line of its stderr is the error message
 * @throws Fatal (configuration) if Python cannot be started or the script fails
 */
export async function* pythonLines(
  python: string,
  script: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
): AsyncGenerator<string> {
  // Never import modules from the current directory.
  const whole = `import sys\ndel sys.path[0]\nout, sys.stdout = sys.stdout, sys.stderr\n${script}`
  const child = spawn(python, ['-c', whole, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr = (stderr + text).slice(-10_000)
  })
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(`${python} cannot be started: ${error.message}`))
    child.on('close', (code, signal) => {
      const said = signal === null && stderr.trim().split('\n').pop()
      resolve(code === 0 ? undefined : said || `${python} ended with ${signal ?? code}`)
    })
  })
  try {
    const lines = lineSplitter()
    for await (const piece of child.stdout.setEncoding('utf8')) yield* lines(piece)
  } finally {
    child.kill()
  }
  const failure = await ended
  if (failure !== undefined) throw new Fatal(EXIT.config, `${failure} (--python chooses the Python)`)
}
