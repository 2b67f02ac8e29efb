import { describe, expect, it } from 'vitest'
import type { Resource } from '../resource/resource.ts'
import { readMany, readRow } from './rows.ts'

const resource = { name: 'File', table: 'files', hidden: ['digest'] } as unknown as Resource
const stored = () => ({
  id: 1,
  digest: 'x',
  tags: ['a'],
  meta: { inner: { deep: 1 } },
  bytes: Buffer.from([1]),
})

const shown = { id: 1, tags: ['a'], meta: { inner: { deep: 1 } }, bytes: Buffer.from([1]) }

describe('readRow', () => {
  it('freezes a row deeply and removes hidden columns', () => {
    const row = readRow(resource, stored()) as Partial<ReturnType<typeof stored>>
    expect(row).toEqual(shown)
    for (const part of [row, row.tags, row.meta, row.meta?.inner]) expect(Object.isFrozen(part)).toBe(true)
  })
})

describe('readMany', () => {
  it('removes hidden columns', () => {
    expect(readMany(resource, [stored(), stored()])).toEqual([shown, shown])
  })
})
