/** `jb-workflow python -- OPTIONS… ask KEY=TEXT…`: the command for Python judges in a Makefile. */
import { EXIT, Fatal, type JsonObject, usageError } from '../../rows/record.ts'
import type { Context } from '../../rows/stage.ts'
import { PythonHost, type PythonStep, type StepOutcome } from './python_host.ts'
import { wordsJson } from './variables.ts'

/**
 * @param given options of jb-call for the judge's own calls; after the last word `ask` the request for bridge.py, KEY=TEXT and
 *   KEY:=JSON
 * @throws Fatal if the class cannot be imported (configuration) or the judge fails (bug)
 */
export async function pythonStep(
  given: readonly string[],
  { python, passEnv }: { python: string; passEnv: string[] },
  context: Context,
): Promise<void> {
  const at = given.lastIndexOf('ask')
  const [call, words] = [given.slice(0, Math.max(0, at)), given.slice(at + 1)]
  if (words.length === 0) throw usageError('jb-workflow python -- OPTIONS… ask KEY=TEXT KEY:=JSON…')
  const outcome = await ran({ ask: wordsJson(words), python, call, pass: passEnv }, context)
  if (outcome?.exit === 0) context.note(outcome.message)
  else if (outcome) throw new Fatal(outcome.exit, outcome.message)
}

/** Runs the step in the Python process of `jb-workflow run`, or else in a new one. */
async function ran(step: PythonStep, { env }: Context): Promise<StepOutcome | undefined> {
  const [port, ticket] = env.JB_PYTHON_JUDGES?.split(' ') ?? []
  if (port !== undefined) return posted(`http://127.0.0.1:${port}/judge`, ticket!, step)
  const host = new PythonHost(env)
  await host.open()
  try {
    return await host.run(step)
  } finally {
    await host.close()
  }
}

/** Posts the step with node:http, which has no timeout. */
async function posted(url: string, ticket: string, step: JsonObject): Promise<StepOutcome | undefined> {
  const { request } = await import('node:http')
  const { json } = await import('node:stream/consumers')
  const answer = await new Promise<Partial<StepOutcome>>((resolve, reject) => {
    const headers = { authorization: `Bearer ${ticket}`, 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', headers }, (response) =>
      resolve(json(response) as Promise<Partial<StepOutcome>>),
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(step))
  }).catch((error: Error) => {
    throw new Fatal(EXIT.stopped, `jb-workflow run, which started this step, has ended: ${error.message}`)
  })
  return answer.exit === undefined ? undefined : (answer as StepOutcome)
}
