/** The property of mutated.test.ts with 20,000 rows. */
import { test } from 'node:test'
import { mutatedRows } from './_mutated.ts'

test('20,000 mutated rows end no filter, and what is written is JSON', () => mutatedRows(20_000, 20, 2))
