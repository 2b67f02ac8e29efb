import { beforeAll, describe, expect, it } from 'vitest'
import { fillNotes } from '../bench/fill.ts'
import { walkInChild } from '../bench/walk-in-child.ts'
import { testDatabase } from 'pergola/testing'

const { url } = await testDatabase()
const ROWS = 100_000

describe('a walk in 48 megabytes', () => {
  // More than fits, and no more: a collector that is kept so short is slow.
  beforeAll(() => fillNotes(url, ROWS), 60_000)

  it.each([
    ['findEach', 1_000],
    ['findEach', 10_000],
    ['findInBatches', 10_000],
  ])('with %s(%i) has room for a hundred thousand rows', { timeout: 60_000 }, async (how, size) => {
    expect(await walkInChild(url, { how, size, heap: 48 })).toMatchObject({ rows: ROWS })
  })
})
