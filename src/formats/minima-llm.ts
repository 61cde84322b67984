/** minima-llm's stored replies (minima_llm.db, SQLite) → lines of a cache for jb-call --cache OWN --cache THESE */
import { spawn } from 'node:child_process'
import { lineSplitter } from '../files/text.ts'
import { requestHash } from '../providers/_key.ts'
import { jsonText, type Params, parsed } from '../providers/_params.ts'
import type { Answer } from '../providers/_provider.ts'
import { provider } from '../providers/chat.ts'
import { withExactIntegers } from '../rows/exact_json.ts'
import { membersOf } from '../rows/json_text.ts'
import { configError, type Json, type JsonObject, RowFailure, usageError } from '../rows/record.ts'
import { Row } from '../rows/row.ts'
import type { Context } from '../rows/stage.ts'
import { inPlaceOf } from './_bad_rows.ts'
import type { Format } from './_format.ts'

/** Prints what it read to `out`; what a package prints goes to stderr. No module of the current directory is imported. */
const SCRIPT = `
import sys
del sys.path[0]
out, sys.stdout = sys.stdout, sys.stderr
import json, pathlib, sqlite3
try:
    database = sqlite3.connect(pathlib.Path(sys.argv[1]).resolve().as_uri() + "?mode=ro", uri=True)
    columns = {row[1] for row in database.execute("PRAGMA table_info(cache)")}
    # A view may have rows without end.
    if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'cache' AND type = 'view'").fetchone():
        sys.exit(f"{sys.argv[1]}: cache is a view, not a table")
    request = "canonical" if "canonical" in columns else "NULL"
    for row in database.execute(f"SELECT {request}, response_text, response_raw FROM cache ORDER BY created_at, key"):
        print(json.dumps(row, default=list), file=out)
except sqlite3.Error as error:
    sys.exit(f"{sys.argv[1]}: {error}")
`

export const format: Format = {
  about: 'minima-llm: the replies in minima_llm.db → a cache for jb-call --cache, read by Python',
  noStdin: true,
  readOptions: [
    {
      name: 'python',
      type: 'string',
      value: 'PYTHON',
      default: 'python3',
      about: 'the Python interpreter that reads the data',
    },
  ],
  async *read(sources, options, context) {
    if (sources.length === 0) throw usageError('minima-llm needs FILE (minima_llm.db)')
    const { python } = options as { python: string }
    let lost = 0
    for (const { name } of sources) {
      let line = 0
      for await (const text of repliesIn(name, python, context.env)) {
        line++
        let made: object | undefined
        try {
          const [request, reply, raw] = JSON.parse(text) as [string | null, Json, string | null]
          if (request !== null) made = kept(request, reply, JSON.parse(raw ?? '{}'))
        } catch (error) {
          const message = `no reply of minima-llm: ${(error as Error).message}`
          yield inPlaceOf({ text, message, file: name, line }, options, context)
          continue
        }
        if (made) yield [Row.make(made, name, line)]
        else lost++
      }
    }
    if (lost > 0)
      context.note(`${lost} replies without their request are left out: minima-llm keeps it since 0.2.7`)
  },
}

/** Each reply of a database, as a line. @throws Fatal (configuration) if Python cannot be started, or fails, with what it says last */
async function* repliesIn(database: string, python: string, env: Context['env']): AsyncGenerator<string> {
  const child = spawn(python, ['-c', SCRIPT, database], { stdio: ['ignore', 'pipe', 'pipe'], env })
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
  if (failure !== undefined) throw configError(`${failure} (--python chooses the Python)`)
}

/** A line of a cache. The endpoint is empty: minima-llm does not record which one answered. */
function kept(request: string, text: Json, raw: JsonObject): object {
  const { model } = JSON.parse(request) as JsonObject
  if (typeof text !== 'string') throw new Error('response_text is not a text')
  if (typeof model !== 'string') throw new Error('the request names no model')
  const params: Params = new Map()
  const { model: _, extra, ...parameters } = textsOf(request.trim())
  for (const [name, value] of Object.entries({ ...parameters, ...(extra && textsOf(extra)) }))
    params.set(name, withExactIntegers(value) === value ? jsonText(parsed(value)) : value)
  const { reasoning, finish_reason = null, served_model, usage } = read(raw)
  return {
    key: requestHash(params, 0),
    model,
    endpoint: '',
    reply: {
      text,
      ...(reasoning && { reasoning }),
      finish_reason,
      model,
      ...(served_model !== undefined && served_model !== model && { served_model }),
      ...(usage && { usage }),
    },
  }
}

/** The JSON text of each member of an object: a seed may exceed 2^53. */
const textsOf = (object: string): Record<string, string> => Object.fromEntries(membersOf(object) ?? [])

/** The fields of the answer besides its text. */
function read(raw: JsonObject): Partial<Answer> {
  try {
    return provider.read(raw)
  } catch (error) {
    if (error instanceof RowFailure) return {}
    throw error
  }
}
