import { test } from 'node:test'
import { runs } from '../helpers/random.ts'
import { mutatedRows } from './_mutated.ts'

test('mutated rows end no filter, and what is written is JSON', (t) => mutatedRows(t, runs(100), 10, 1))
