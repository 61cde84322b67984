/** The search for keys in secrets.test.ts, in all cases that there are. */
import { test } from 'node:test'
import { allCases, FACTORS, search } from './keys.ts'

for (const api of FACTORS.api)
  test(`no key anywhere: ${api}`, async (t) => {
    const cases = allCases().filter((one) => one.api === api)
    await search(t, cases)
  })
