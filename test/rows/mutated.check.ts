/** The property of mutated.test.ts with 20,000 rows. */
import { test } from 'node:test'
import { mutatedRows } from './_mutated.ts'

test('20,000 mutated rows end no filter, and what is written is JSON', (t) => mutatedRows(t, 20_000, 40, 2))
