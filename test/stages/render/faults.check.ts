/** 5,000 random items, and conversations in nine forms: every copy differs in what its fault changes alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCopies } from './_copies.ts'

for (const kind of ['text', 'pair', 'talk'] as const)
  test(`copies of 1,680 random items (${kind})`, () => {
    let copies = 0
    for (let seed = 0; seed < 140; seed++)
      for (const count of checkCopies(kind, seed, 12).values()) copies += count
    assert.ok(copies > 4000, `${copies} copies`)
  })
