/** The original responses (jb-read autojudge --whole), each with the judge's result under `evaldata`. */
import { EXIT, Fatal, isObject, type JsonObject } from '../rows/record.ts'
import type { Format } from './_format.ts'

export const format: Format = {
  about: 'AutoJudge responses (read with --whole), the judge’s result in their `evaldata`',
  async *write(rows) {
    for await (const batch of rows)
      for (const row of batch) {
        const response = row.field('response')
        if (!isObject(response))
          throw new Fatal(
            EXIT.data,
            `${row.place}: no "response" in the row (jb-read autojudge --whole keeps it)`,
          )
        const { result, error } = { result: row.get('result'), error: row.get('error') }
        const outcome = result ?? { error: { code: error?.code, message: error?.message } }
        const evaldata = {
          ...(response.evaldata as JsonObject | null | undefined),
          [row.get('name') ?? row.get('judge') ?? 'judge']: outcome,
        }
        yield `${JSON.stringify({ ...response, evaldata })}\n`
      }
  },
}
