import { beforeAll, describe, expect, it } from 'vitest'
import { fillNotes } from '../bench/fill.ts'
import { walkInChild } from '../bench/walk-in-child.ts'
import { testDatabase } from 'pergola/testing'

const { url } = await testDatabase()
const ROWS = 100_000

describe('a walk in 48 megabytes', () => {
  // All rows together don't fit into this heap. More rows would only make the test slower.
  beforeAll(() => fillNotes(url, ROWS), 60_000)

  it.each([
    ['findEach', 1_000],
    ['findEach', 10_000],
    ['findInBatches', 10_000],
  ])('reads a hundred thousand rows by %s(%i)', { timeout: 60_000 }, async (how, size) => {
    expect(await walkInChild(url, { how, size, heap: 48 })).toMatchObject({ rows: ROWS })
  })
})
